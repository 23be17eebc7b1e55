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

/* What UCX's callbacks have to say to Java: records in the order of their happening, read after each poll. */
#ifndef NETTY_UCX_EVENT_H_
#define NETTY_UCX_EVENT_H_

#include <stddef.h>
#include <stdint.h>

/* Mirrored by org.nettyucx.EventBatch. */
enum netty_ucx_event_type {
    NETTY_UCX_EVENT_DATA = 1, /* target: channel; value: stream offset; address, length: payload */
    NETTY_UCX_EVENT_CREDIT = 2, /* target: channel; value: total bytes granted */
    NETTY_UCX_EVENT_READY = 3, /* target: channel; value: two link ids */
    NETTY_UCX_EVENT_RENDEZVOUS = 4, /* target: channel; value, length: the range that is being fetched */
    NETTY_UCX_EVENT_RENDEZVOUS_DATA = 5, /* as DATA, ends the RENDEZVOUS of that range; status */
    NETTY_UCX_EVENT_VIOLATION = 6, /* target: channel; value, length: the refused range */
    NETTY_UCX_EVENT_SENT = 7, /* target: operation; status */
    NETTY_UCX_EVENT_LINK_FAILED = 8, /* target: link; status */
    NETTY_UCX_EVENT_GOODBYE = 9, /* target: link */
    NETTY_UCX_EVENT_PROBE = 10, /* target: probe */
    NETTY_UCX_EVENT_CONTROL = 11, /* target: ucp_ep_h that it came over; address, length: payload */
    NETTY_UCX_EVENT_FLUSHED = 12, /* target: link; status */
    NETTY_UCX_EVENT_REQUEST = 13, /* target: listener; address: the request; value: client id; status: address family */
    NETTY_UCX_EVENT_WITHDRAWN = 14, /* a REQUEST that was refused meanwhile */
    NETTY_UCX_EVENT_DIRECT = 15 /* target: control channel; value: that of the sender; address, length: payload */
};

/* Who owns the payload of a record, which stays valid until the poll after the one that reported it. */
enum netty_ucx_payload_owner {
    NETTY_UCX_PAYLOAD_NONE,
    NETTY_UCX_PAYLOAD_DESCRIPTOR, /* UCX: ucp_am_data_release() */
    NETTY_UCX_PAYLOAD_CHUNK, /* a staging chunk */
    NETTY_UCX_PAYLOAD_HEAP /* free() */
};

/* The part that Java sees. */
typedef struct netty_ucx_event_record {
    uint32_t type;
    int32_t status;
    uint64_t target;
    uint64_t value;
    uint64_t length;
    uint64_t address;
} netty_ucx_event_record_t;

typedef struct netty_ucx_event {
    netty_ucx_event_record_t record;
    enum netty_ucx_payload_owner owner;
    void *owned;
} netty_ucx_event_t;

/* A circular queue that grows. [head, delivered) was given to Java by the last poll, [delivered, tail) is new. */
typedef struct netty_ucx_event_queue {
    netty_ucx_event_t *events;
    size_t capacity; /* a power of two */
    size_t head;
    size_t delivered;
    size_t tail;
    size_t reserved; /* room promised to completions of posted operations */
} netty_ucx_event_queue_t;

int netty_ucx_event_queue_init(netty_ucx_event_queue_t *queue);

void netty_ucx_event_queue_destroy(netty_ucx_event_queue_t *queue);

/* Promises room for one later append, so that a completion can never be lost. Returns 0 or -1 (no memory). */
int netty_ucx_event_queue_reserve(netty_ucx_event_queue_t *queue);

void netty_ucx_event_queue_unreserve(netty_ucx_event_queue_t *queue);

/* Returns the zeroed event to be filled, or NULL (no memory). */
netty_ucx_event_t *netty_ucx_event_queue_append(netty_ucx_event_queue_t *queue);

/* As append, using up one reservation; cannot fail. */
netty_ucx_event_t *netty_ucx_event_queue_append_reserved(netty_ucx_event_queue_t *queue);

static inline size_t netty_ucx_event_queue_pending(const netty_ucx_event_queue_t *queue) {
    return queue->tail - queue->delivered;
}

static inline netty_ucx_event_t *netty_ucx_event_queue_at(netty_ucx_event_queue_t *queue, size_t position) {
    return &queue->events[position & (queue->capacity - 1)];
}

#endif
