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

/* One UCX worker and all that belongs to it; used by one thread at a time (UCS_THREAD_MODE_SERIALIZED). */
#ifndef NETTY_UCX_WORKER_H_
#define NETTY_UCX_WORKER_H_

#include <limits.h>
#include <stdint.h>
#include <ucp/api/ucp.h>

#include "netty_ucx_channel_table.h"
#include "netty_ucx_event.h"
#include "netty_ucx_staging.h"

/* How a listener knows our clients: "NettyUCX" with the last letter replaced by the protocol version. UCX sends it with
 * a connect by sockaddr (UCP_EP_PARAMS_FLAGS_SEND_CLIENT_ID). Mirrored by org.nettyucx.ListenerAcceptor. */
#define NETTY_UCX_CLIENT_ID 0x4e65747479554301ULL

typedef struct netty_ucx_send netty_ucx_send_t;

typedef struct netty_ucx_worker {
    ucp_context_h ucp_context;
    ucp_worker_h ucp_worker;
    ucp_address_t *address;
    size_t address_length;
    int event_fd;
    int out_of_memory; /* something received could not be recorded: the worker's links cannot go on */
    netty_ucx_event_queue_t events;
    netty_ucx_channel_table_t channels;
    netty_ucx_staging_t staging;
    netty_ucx_send_t *idle_sends;
    size_t staged_bytes; /* payload of records not yet released */
    size_t open_operations; /* UCX requests that were not completed yet, closing endpoints included */
} netty_ucx_worker_t;

/* stream: as the context. */
ucs_status_t netty_ucx_worker_create(ucp_context_h context, int stream, netty_ucx_worker_t **worker);

/* All endpoints must have been closed. Waits (bounded) for what UCX has not completed yet. Returns 0, or -1 if the
 * worker had to be left behind because UCX would abort the process. */
int netty_ucx_worker_destroy(netty_ucx_worker_t *worker);

/* What netty_ucx_worker_poll returns when UCX did something of which there is no record. */
#define NETTY_UCX_POLL_PROGRESSED INT_MAX

/* Releases the payload of the records that the previous call gave out, progresses UCX at most max_progress times, and
 * copies up to max_records records. Returns their number, or NETTY_UCX_POLL_PROGRESSED, or, once, UCS_ERR_NO_MEMORY
 * when something received was lost: the records are still there then. */
int netty_ucx_worker_poll(netty_ucx_worker_t *worker, int max_progress, netty_ucx_event_record_t *records,
                          int max_records);

/* Appends an event with a copy of what was received. Returns 0, or -1 when there is no memory: the worker's links
 * cannot go on then. */
int netty_ucx_worker_stage(netty_ucx_worker_t *worker, uint32_t type, uint64_t target, uint64_t value, const void *data,
                           size_t length);

/* UCS_OK: the event fd will report the next event. UCS_ERR_BUSY: poll again first. */
ucs_status_t netty_ucx_worker_arm(netty_ucx_worker_t *worker);

#endif
