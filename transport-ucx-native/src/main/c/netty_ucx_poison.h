/*
 * Copyright 2026 The netty-ucx Authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at:
 *
 *   https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */

/* For memory that is kept to be used again: AddressSanitizer, in a build with it, reports who touches it meanwhile. */
#ifndef NETTY_UCX_POISON_H_
#define NETTY_UCX_POISON_H_

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define NETTY_UCX_POISON(address, length) ASAN_POISON_MEMORY_REGION(address, length)
#define NETTY_UCX_UNPOISON(address, length) ASAN_UNPOISON_MEMORY_REGION(address, length)
#else
#define NETTY_UCX_POISON(address, length) ((void) (address), (void) (length))
#define NETTY_UCX_UNPOISON(address, length) ((void) (address), (void) (length))
#endif

#endif
