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

#include "netty_ucx_staging.h"

#include <stdlib.h>
#include <string.h>

#include "netty_ucx_poison.h"

#define CHUNK_CAPACITY (256 * 1024)
#define MAX_IDLE_CHUNKS 4

struct netty_ucx_chunk {
    netty_ucx_chunk_t *next;
    size_t capacity;
    size_t used;
    size_t live; /* copies that were not released yet */
    char data[];
};

static netty_ucx_chunk_t *take_chunk(netty_ucx_staging_t *staging, size_t length) {
    netty_ucx_chunk_t *chunk = staging->idle;
    size_t capacity = length > CHUNK_CAPACITY ? length : CHUNK_CAPACITY;

    if (chunk != NULL && capacity == CHUNK_CAPACITY) {
        staging->idle = chunk->next;
        staging->idle_count--;
        return chunk;
    }
    chunk = malloc(sizeof(*chunk) + capacity);
    if (chunk != NULL) {
        chunk->capacity = capacity;
        chunk->used = 0;
        chunk->live = 0;
        NETTY_UCX_POISON(chunk->data, capacity);
    }
    return chunk;
}

static void retire_chunk(netty_ucx_staging_t *staging, netty_ucx_chunk_t *chunk) {
    if (chunk->capacity != CHUNK_CAPACITY || staging->idle_count == MAX_IDLE_CHUNKS) {
        free(chunk);
        return;
    }
    chunk->used = 0;
    chunk->next = staging->idle;
    staging->idle = chunk;
    staging->idle_count++;
}

void *netty_ucx_staging_copy(netty_ucx_staging_t *staging, const void *data, size_t length, netty_ucx_chunk_t **chunk) {
    netty_ucx_chunk_t *current = staging->current;
    void *copy;

    if (current == NULL || current->capacity - current->used < length) {
        netty_ucx_chunk_t *fresh = take_chunk(staging, length);
        if (fresh == NULL) {
            return NULL;
        }
        if (current != NULL && current->live == 0) {
            retire_chunk(staging, current);
        }
        staging->current = current = fresh;
    }
    copy = current->data + current->used;
    NETTY_UCX_UNPOISON(copy, length);
    memcpy(copy, data, length);
    /* Keep every copy aligned: Java reads longs out of it. */
    current->used += (length + 7) & ~(size_t) 7;
    if (current->used > current->capacity) {
        current->used = current->capacity;
    }
    current->live++;
    *chunk = current;
    return copy;
}

void netty_ucx_staging_release(netty_ucx_staging_t *staging, netty_ucx_chunk_t *chunk) {
    if (--chunk->live > 0) {
        return;
    }
    NETTY_UCX_POISON(chunk->data, chunk->capacity);
    if (chunk == staging->current) {
        chunk->used = 0;
    } else {
        retire_chunk(staging, chunk);
    }
}

void netty_ucx_staging_destroy(netty_ucx_staging_t *staging) {
    netty_ucx_chunk_t *chunk = staging->idle;

    while (chunk != NULL) {
        netty_ucx_chunk_t *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    free(staging->current);
    memset(staging, 0, sizeof(*staging));
}
