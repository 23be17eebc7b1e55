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

#include "netty_ucx_worker.h"

#include <stdlib.h>
#include <time.h>

#include "netty_ucx_active_message.h"
#include "netty_ucx_library.h"
#include "netty_ucx_send.h"

/* One poll takes at most this much payload (plus one message) out of UCX before Java has a look at it. */
#define MAX_STAGED_BYTES (1024 * 1024)
#define MAX_PENDING_EVENTS 4096
/* How long destroy waits for UCX to give back what it still holds. */
#define DESTROY_WAIT_NANOS 500000000L
#define SAFE_DESTROY_SINCE NETTY_UCX_VERSION(1, 14)

ucs_status_t netty_ucx_worker_create(ucp_context_h context, int stream, netty_ucx_worker_t **worker_out) {
    ucp_worker_params_t params = {0};
    netty_ucx_worker_t *worker;
    ucs_status_t status;

    worker = calloc(1, sizeof(*worker));
    if (worker == NULL) {
        return UCS_ERR_NO_MEMORY;
    }
    if (netty_ucx_event_queue_init(&worker->events) != 0) {
        status = UCS_ERR_NO_MEMORY;
        goto free_worker;
    }
    worker->ucp_context = context;
    params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_CLIENT_ID;
    params.thread_mode = UCS_THREAD_MODE_SERIALIZED;
    params.client_id = NETTY_UCX_CLIENT_ID;
    status = netty_ucx_library.ucp_worker_create(context, &params, &worker->ucp_worker);
    if (status != UCS_OK) {
        goto destroy_events;
    }
    if (!stream) {
        status = netty_ucx_active_message_listen(worker);
        if (status != UCS_OK) {
            goto destroy_ucp_worker;
        }
    }
    status = netty_ucx_library.ucp_worker_get_efd(worker->ucp_worker, &worker->event_fd);
    if (status != UCS_OK) {
        goto destroy_ucp_worker;
    }
    status = netty_ucx_library.ucp_worker_get_address(worker->ucp_worker, &worker->address, &worker->address_length);
    if (status != UCS_OK) {
        goto destroy_ucp_worker;
    }
    *worker_out = worker;
    return UCS_OK;

destroy_ucp_worker:
    netty_ucx_library.ucp_worker_destroy(worker->ucp_worker);
destroy_events:
    netty_ucx_event_queue_destroy(&worker->events);
free_worker:
    free(worker);
    return status;
}

static void release_payload(netty_ucx_worker_t *worker, netty_ucx_event_t *event) {
    switch (event->owner) {
    case NETTY_UCX_PAYLOAD_NONE:
        return;
    case NETTY_UCX_PAYLOAD_DESCRIPTOR:
        if (worker->ucp_worker != NULL) { /* else gone with the worker */
            netty_ucx_library.ucp_am_data_release(worker->ucp_worker, event->owned);
        }
        break;
    case NETTY_UCX_PAYLOAD_CHUNK:
        netty_ucx_staging_release(&worker->staging, event->owned);
        break;
    case NETTY_UCX_PAYLOAD_HEAP:
        free(event->owned);
        break;
    }
    worker->staged_bytes -= event->record.length;
}

static void release_until(netty_ucx_worker_t *worker, size_t end) {
    netty_ucx_event_queue_t *queue = &worker->events;

    while (queue->head != end) {
        netty_ucx_event_t event = *netty_ucx_event_queue_at(queue, queue->head);
        queue->head++;
        release_payload(worker, &event);
    }
}

static int64_t nanos(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

static void flushed(void *request, ucs_status_t status, void *user_data) {
    netty_ucx_worker_t *worker = user_data;

    (void) status;
    worker->open_operations--;
    netty_ucx_library.ucp_request_free(request);
}

/* UCX answers peers over endpoints of its own, too. On 1.13 destroying a worker while such an answer is still queued
 * aborts the process (ucp_request.c: "req->send.wireup.type == EP_REMOVED || ..."), so it is flushed out first. */
static void flush_worker(netty_ucx_worker_t *worker) {
    ucp_request_param_t param = {0};
    ucs_status_ptr_t request;

    param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    param.cb.send = flushed;
    param.user_data = worker;
    request = netty_ucx_library.ucp_worker_flush_nbx(worker->ucp_worker, &param);
    if (UCS_PTR_IS_PTR(request)) {
        worker->open_operations++;
    }
}

int netty_ucx_worker_destroy(netty_ucx_worker_t *worker) {
    int64_t deadline = nanos() + DESTROY_WAIT_NANOS;

    flush_worker(worker);
    while (worker->open_operations > 0 && nanos() < deadline) {
        netty_ucx_library.ucp_worker_progress(worker->ucp_worker);
    }
    release_until(worker, worker->events.tail);
    if (worker->open_operations > 0 && netty_ucx_library_version() < SAFE_DESTROY_SINCE) {
        return -1;
    }
    netty_ucx_library.ucp_worker_release_address(worker->ucp_worker, worker->address);
    /* Completes whatever is still open, which may append events once more. */
    netty_ucx_library.ucp_worker_destroy(worker->ucp_worker);
    worker->ucp_worker = NULL;
    release_until(worker, worker->events.tail);
    netty_ucx_send_free_idle(worker);
    netty_ucx_staging_destroy(&worker->staging);
    netty_ucx_channel_table_destroy(&worker->channels);
    netty_ucx_event_queue_destroy(&worker->events);
    free(worker);
    return 0;
}

int netty_ucx_worker_poll(netty_ucx_worker_t *worker, int max_progress, netty_ucx_event_record_t *records,
                          int max_records) {
    netty_ucx_event_queue_t *queue = &worker->events;
    int progressed = 0, count = 0;

    release_until(worker, queue->delivered);
    while (max_progress-- > 0 && worker->staged_bytes < MAX_STAGED_BYTES &&
           netty_ucx_event_queue_pending(queue) < MAX_PENDING_EVENTS &&
           netty_ucx_library.ucp_worker_progress(worker->ucp_worker) != 0) {
        progressed = 1;
    }
    if (worker->out_of_memory) {
        worker->out_of_memory = 0;
        return UCS_ERR_NO_MEMORY;
    }
    while (count < max_records && queue->delivered != queue->tail) {
        records[count++] = netty_ucx_event_queue_at(queue, queue->delivered++)->record;
    }
    return count == 0 && progressed ? NETTY_UCX_POLL_PROGRESSED : count;
}

int netty_ucx_worker_stage(netty_ucx_worker_t *worker, uint32_t type, uint64_t target, uint64_t value, const void *data,
                           size_t length) {
    netty_ucx_event_t *event = netty_ucx_event_queue_append(&worker->events);
    netty_ucx_chunk_t *chunk;
    void *copy;

    if (event == NULL) {
        worker->out_of_memory = 1;
        return -1;
    }
    event->record.type = type;
    event->record.target = target;
    event->record.value = value;
    copy = netty_ucx_staging_copy(&worker->staging, data, length, &chunk);
    if (copy == NULL) {
        worker->out_of_memory = 1;
        return -1;
    }
    event->record.address = (uint64_t) (uintptr_t) copy;
    event->record.length = length;
    event->owner = NETTY_UCX_PAYLOAD_CHUNK;
    event->owned = chunk;
    worker->staged_bytes += length;
    return 0;
}

ucs_status_t netty_ucx_worker_arm(netty_ucx_worker_t *worker) {
    if (netty_ucx_event_queue_pending(&worker->events) > 0) {
        return UCS_ERR_BUSY;
    }
    return netty_ucx_library.ucp_worker_arm(worker->ucp_worker);
}
