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

/* Which channel ids are alive and how many bytes each may receive: decides inside UCX's callback, before anything is
 * allocated for a message, whether it is for anybody. */
#ifndef NETTY_UCX_CHANNEL_TABLE_H_
#define NETTY_UCX_CHANNEL_TABLE_H_

#include <stdint.h>

typedef struct netty_ucx_channel {
    uint64_t id; /* 0: free */
    uint64_t granted;
    uint64_t window;
    uint64_t rendezvous_bytes; /* being fetched now */
    uint32_t next_free;
} netty_ucx_channel_t;

typedef struct netty_ucx_channel_table {
    netty_ucx_channel_t *channels;
    uint32_t capacity;
    uint32_t first_free;
} netty_ucx_channel_table_t;

/* The low bits of an id are the index of its slot, the others are random, so that a late or forged id finds nothing.
 * Mirrored by org.nettyucx.ConnectionTable. */
#define NETTY_UCX_CHANNEL_SLOT_BITS 24

/* Returns the new id (never 0), or 0 when out of memory or slots. */
uint64_t netty_ucx_channel_table_add(netty_ucx_channel_table_t *table, uint64_t random, uint64_t window);

netty_ucx_channel_t *netty_ucx_channel_table_find(netty_ucx_channel_table_t *table, uint64_t id);

void netty_ucx_channel_table_remove(netty_ucx_channel_table_t *table, uint64_t id);

void netty_ucx_channel_table_destroy(netty_ucx_channel_table_t *table);

#endif
