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

#include "netty_ucx_channel_table.h"

#include <stdlib.h>
#include <string.h>

#define SLOT_MASK ((1u << NETTY_UCX_CHANNEL_SLOT_BITS) - 1)
#define NO_SLOT UINT32_MAX

static int grow(netty_ucx_channel_table_t *table) {
    uint32_t capacity = table->capacity == 0 ? 64 : table->capacity * 2;
    netty_ucx_channel_t *channels;
    uint32_t slot;

    if (capacity > SLOT_MASK + 1) {
        return -1;
    }
    channels = realloc(table->channels, capacity * sizeof(*channels));
    if (channels == NULL) {
        return -1;
    }
    for (slot = table->capacity; slot < capacity; slot++) {
        channels[slot].id = 0;
        channels[slot].next_free = slot + 1 < capacity ? slot + 1 : NO_SLOT;
    }
    table->first_free = table->capacity;
    table->channels = channels;
    table->capacity = capacity;
    return 0;
}

uint64_t netty_ucx_channel_table_add(netty_ucx_channel_table_t *table, uint64_t random, uint64_t window) {
    netty_ucx_channel_t *channel;
    uint32_t slot;

    if ((table->capacity == 0 || table->first_free == NO_SLOT) && grow(table) != 0) {
        return 0;
    }
    slot = table->first_free;
    channel = &table->channels[slot];
    table->first_free = channel->next_free;
    /* The lowest random bit is set so that no id is 0. */
    channel->id = ((random | 1) << NETTY_UCX_CHANNEL_SLOT_BITS) | slot;
    channel->granted = window;
    channel->window = window;
    channel->rendezvous_bytes = 0;
    return channel->id;
}

netty_ucx_channel_t *netty_ucx_channel_table_find(netty_ucx_channel_table_t *table, uint64_t id) {
    uint32_t slot = (uint32_t) id & SLOT_MASK;

    return id != 0 && slot < table->capacity && table->channels[slot].id == id ? &table->channels[slot] : NULL;
}

void netty_ucx_channel_table_remove(netty_ucx_channel_table_t *table, uint64_t id) {
    netty_ucx_channel_t *channel = netty_ucx_channel_table_find(table, id);

    if (channel != NULL) {
        channel->id = 0;
        channel->next_free = table->first_free;
        table->first_free = (uint32_t) (channel - table->channels);
    }
}

void netty_ucx_channel_table_destroy(netty_ucx_channel_table_t *table) {
    free(table->channels);
    memset(table, 0, sizeof(*table));
}
