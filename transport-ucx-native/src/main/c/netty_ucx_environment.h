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

/* The UCX_* environment that a JVM needs. A value that the user has set is never touched. */
#ifndef NETTY_UCX_ENVIRONMENT_H_
#define NETTY_UCX_ENVIRONMENT_H_

/* What UCX reads while its libraries are being loaded. */
void netty_ucx_environment_before_load(void);

/* What UCX reads when a context is made, and what depends on its version (major << 16 | minor << 8 | release). */
void netty_ucx_environment_after_load(int version);

#endif
