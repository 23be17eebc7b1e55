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

/* Short-lived copies of payload that UCX lends only for the time of its callback. */
#ifndef NETTY_UCX_STAGING_H_
#define NETTY_UCX_STAGING_H_

#include <stddef.h>

typedef struct netty_ucx_chunk netty_ucx_chunk_t;

typedef struct netty_ucx_staging {
    netty_ucx_chunk_t *current;
    netty_ucx_chunk_t *idle;
    size_t idle_count;
} netty_ucx_staging_t;

/* Copies length bytes; *chunk is what netty_ucx_staging_release() wants back. Returns NULL when out of memory. */
void *netty_ucx_staging_copy(netty_ucx_staging_t *staging, const void *data, size_t length, netty_ucx_chunk_t **chunk);

void netty_ucx_staging_release(netty_ucx_staging_t *staging, netty_ucx_chunk_t *chunk);

void netty_ucx_staging_destroy(netty_ucx_staging_t *staging);

#endif
