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

#include "netty_ucx_stream.h"

#include <stdlib.h>

#include "netty_ucx_library.h"
#include "netty_ucx_send.h"

#define BUFFER_SIZE (64 * 1024)

struct netty_ucx_stream {
    netty_ucx_worker_t *worker;
    ucp_ep_h ucp_ep;
    uint64_t channel;
    uint64_t received;
    uint64_t granted;
    int posted; /* UCX may write to the buffer */
    int failed;
    int abandoned; /* goes with the receive that is posted */
    char buffer[BUFFER_SIZE];
};

/* Returns 0 if the bytes cannot be kept. */
static int deliver(netty_ucx_stream_t *stream, size_t length) {
    if (netty_ucx_worker_stage(stream->worker, NETTY_UCX_EVENT_DATA, stream->channel, stream->received, stream->buffer,
                               length) != 0) {
        return 0;
    }
    stream->received += length;
    return 1;
}

static void post(netty_ucx_stream_t *stream);

static void received(void *request, ucs_status_t status, size_t length, void *user_data) {
    netty_ucx_stream_t *stream = user_data;

    stream->worker->open_operations--;
    stream->posted = 0;
    netty_ucx_library.ucp_request_free(request);
    if (stream->abandoned) {
        free(stream);
        return;
    }
    if (length > 0 && !deliver(stream, length)) {
        stream->failed = 1;
    }
    if (status == UCS_OK) {
        post(stream);
    } else {
        /* The endpoint's own error follows. A receive that is posted now would never complete. */
        stream->failed = 1;
    }
}

static void post(netty_ucx_stream_t *stream) {
    while (!stream->posted && !stream->failed && stream->received < stream->granted) {
        uint64_t left = stream->granted - stream->received;
        ucp_request_param_t param = {0};
        ucs_status_ptr_t request;
        size_t length = 0;

        param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
        param.cb.recv_stream = received;
        param.user_data = stream;
        stream->posted = 1;
        stream->worker->open_operations++;
        request = netty_ucx_library.ucp_stream_recv_nbx(
            stream->ucp_ep, stream->buffer, left < BUFFER_SIZE ? (size_t) left : BUFFER_SIZE, &length, &param);
        if (UCS_PTR_IS_PTR(request)) {
            return;
        }
        stream->posted = 0;
        stream->worker->open_operations--;
        if (request != NULL || !deliver(stream, length)) {
            stream->failed = 1;
        }
    }
}

ucs_status_t netty_ucx_stream_receive(netty_ucx_endpoint_t *endpoint, uint64_t channel, uint64_t granted) {
    netty_ucx_stream_t *stream = malloc(sizeof(*stream));

    if (stream == NULL) {
        return UCS_ERR_NO_MEMORY;
    }
    stream->worker = endpoint->worker;
    stream->ucp_ep = endpoint->ucp_ep;
    stream->channel = channel;
    stream->received = 0;
    stream->granted = granted;
    stream->posted = 0;
    stream->failed = 0;
    stream->abandoned = 0;
    endpoint->stream = stream;
    post(stream);
    return UCS_OK;
}

void netty_ucx_stream_grant(netty_ucx_endpoint_t *endpoint, uint64_t granted) {
    endpoint->stream->granted = granted;
    post(endpoint->stream);
}

int netty_ucx_stream_send(netty_ucx_endpoint_t *endpoint, const ucp_dt_iov_t *iov, int iov_count, uint64_t operation) {
    ucp_request_param_t param = {0};
    const void *data;
    size_t count;
    netty_ucx_send_t *send = netty_ucx_send_begin(endpoint->worker, iov, iov_count, operation, &param, &data, &count);

    if (send == NULL) {
        return UCS_ERR_NO_MEMORY;
    }
    return netty_ucx_send_end(send, netty_ucx_library.ucp_stream_send_nbx(endpoint->ucp_ep, data, count, &param));
}

void netty_ucx_stream_abandon(netty_ucx_endpoint_t *endpoint) {
    netty_ucx_stream_t *stream = endpoint->stream;

    endpoint->stream = NULL;
    if (stream != NULL) {
        stream->abandoned = 1;
        if (!stream->posted) {
            free(stream);
        }
    }
}
