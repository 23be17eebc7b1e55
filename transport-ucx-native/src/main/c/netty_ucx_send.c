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

#include "netty_ucx_send.h"

#include <stdlib.h>
#include <string.h>

#include "netty_ucx_library.h"
#include "netty_ucx_poison.h"

static netty_ucx_send_t *take(netty_ucx_worker_t *worker) {
    netty_ucx_send_t *send = worker->idle_sends;

    if (send != NULL) {
        NETTY_UCX_UNPOISON(send, sizeof(*send));
        worker->idle_sends = send->next;
        return send;
    }
    send = malloc(sizeof(*send));
    if (send != NULL) {
        send->worker = worker;
    }
    return send;
}

static void give_back(netty_ucx_send_t *send) {
    netty_ucx_worker_t *worker = send->worker;

    send->next = worker->idle_sends;
    worker->idle_sends = send;
    NETTY_UCX_POISON(send, sizeof(*send));
}

void netty_ucx_send_free_idle(netty_ucx_worker_t *worker) {
    netty_ucx_send_t *send = worker->idle_sends;

    while (send != NULL) {
        netty_ucx_send_t *next;
        NETTY_UCX_UNPOISON(send, sizeof(*send));
        next = send->next;
        free(send);
        send = next;
    }
    worker->idle_sends = NULL;
}

static void sent(void *request, ucs_status_t status, void *user_data) {
    netty_ucx_send_t *send = user_data;
    netty_ucx_worker_t *worker = send->worker;

    worker->open_operations--;
    if (send->operation != 0) {
        netty_ucx_event_t *event = netty_ucx_event_queue_append_reserved(&worker->events);
        event->record.type = NETTY_UCX_EVENT_SENT;
        event->record.status = status;
        event->record.target = send->operation;
    }
    give_back(send);
    netty_ucx_library.ucp_request_free(request);
}

netty_ucx_send_t *netty_ucx_send_begin(netty_ucx_worker_t *worker, const ucp_dt_iov_t *iov, int iov_count,
                                       uint64_t operation, ucp_request_param_t *param, const void **data,
                                       size_t *count) {
    netty_ucx_send_t *send;

    if (iov_count < 0 || iov_count > NETTY_UCX_MAX_IOV) {
        return NULL;
    }
    send = take(worker);
    if (send == NULL) {
        return NULL;
    }
    if (operation != 0 && netty_ucx_event_queue_reserve(&worker->events) != 0) {
        give_back(send);
        return NULL;
    }
    send->operation = operation;
    param->op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    param->cb.send = sent;
    param->user_data = send;
    *data = NULL;
    *count = 0;
    if (iov_count == 1) {
        *data = iov[0].buffer;
        *count = iov[0].length;
    } else if (iov_count > 1) {
        memcpy(send->iov, iov, (size_t) iov_count * sizeof(*iov));
        *data = send->iov;
        *count = (size_t) iov_count;
        param->op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
        param->datatype = UCP_DATATYPE_IOV;
    }
    worker->open_operations++;
    return send;
}

int netty_ucx_send_end(netty_ucx_send_t *send, ucs_status_ptr_t request) {
    netty_ucx_worker_t *worker = send->worker;

    if (UCS_PTR_IS_PTR(request)) {
        return 1;
    }
    worker->open_operations--;
    if (send->operation != 0) {
        netty_ucx_event_queue_unreserve(&worker->events);
    }
    give_back(send);
    return UCS_PTR_STATUS(request);
}
