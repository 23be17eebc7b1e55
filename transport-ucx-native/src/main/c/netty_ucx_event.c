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

#include "netty_ucx_event.h"

#include <stdlib.h>
#include <string.h>

#define INITIAL_CAPACITY 1024

int netty_ucx_event_queue_init(netty_ucx_event_queue_t *queue) {
    memset(queue, 0, sizeof(*queue));
    queue->events = malloc(INITIAL_CAPACITY * sizeof(*queue->events));
    if (queue->events == NULL) {
        return -1;
    }
    queue->capacity = INITIAL_CAPACITY;
    return 0;
}

void netty_ucx_event_queue_destroy(netty_ucx_event_queue_t *queue) {
    free(queue->events);
    queue->events = NULL;
}

static int ensure_room(netty_ucx_event_queue_t *queue) {
    size_t used = queue->tail - queue->head;
    size_t capacity = queue->capacity * 2;
    netty_ucx_event_t *events;
    size_t position;

    if (used + queue->reserved < queue->capacity) {
        return 0;
    }
    events = malloc(capacity * sizeof(*events));
    if (events == NULL) {
        return -1;
    }
    for (position = queue->head; position != queue->tail; position++) {
        events[position & (capacity - 1)] = *netty_ucx_event_queue_at(queue, position);
    }
    free(queue->events);
    queue->events = events;
    queue->capacity = capacity;
    return 0;
}

int netty_ucx_event_queue_reserve(netty_ucx_event_queue_t *queue) {
    if (ensure_room(queue) != 0) {
        return -1;
    }
    queue->reserved++;
    return 0;
}

void netty_ucx_event_queue_unreserve(netty_ucx_event_queue_t *queue) {
    queue->reserved--;
}

static netty_ucx_event_t *take_tail(netty_ucx_event_queue_t *queue) {
    netty_ucx_event_t *event = netty_ucx_event_queue_at(queue, queue->tail++);

    memset(event, 0, sizeof(*event));
    return event;
}

netty_ucx_event_t *netty_ucx_event_queue_append(netty_ucx_event_queue_t *queue) {
    return ensure_room(queue) == 0 ? take_tail(queue) : NULL;
}

netty_ucx_event_t *netty_ucx_event_queue_append_reserved(netty_ucx_event_queue_t *queue) {
    queue->reserved--;
    return take_tail(queue);
}
