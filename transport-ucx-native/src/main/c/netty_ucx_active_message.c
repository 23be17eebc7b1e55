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

#include "netty_ucx_active_message.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "netty_ucx_library.h"
#include "netty_ucx_send.h"

/* A control message on its way: small and rare, so it is copied. */
typedef struct control {
    netty_ucx_worker_t *worker;
    netty_ucx_message_header_t header;
    char data[];
} control_t;

/* From here on UCX crashes when a rendezvous ends with an error, unless its memory was registered by the user: it
 * invalidates memory of its own in a registration cache that there is not (ucp_request_memh_invalidate). */
#define MAPS_RENDEZVOUS_SINCE NETTY_UCX_VERSION(1, 16)

/* A rendezvous that was accepted: its buffer stays until UCX completed it, whatever became of the channel. */
typedef struct rendezvous {
    netty_ucx_worker_t *worker;
    uint64_t channel;
    uint64_t offset;
    size_t length;
    void *buffer;
    ucp_mem_h memory; /* the buffer as UCX knows it, or NULL */
} rendezvous_t;

int netty_ucx_active_message_send(netty_ucx_endpoint_t *endpoint, uint32_t type, uint64_t channel, uint64_t value,
                                  const ucp_dt_iov_t *iov, int iov_count, uint64_t operation) {
    ucp_request_param_t param = {0};
    const void *data;
    size_t count;
    netty_ucx_send_t *send = netty_ucx_send_begin(endpoint->worker, iov, iov_count, operation, &param, &data, &count);

    if (send == NULL) {
        return UCS_ERR_NO_MEMORY;
    }
    send->header.type = htole32(type);
    send->header.reserved = 0;
    send->header.channel = htole64(channel);
    send->header.value = htole64(value);
    if (type != NETTY_UCX_MESSAGE_DATA) {
        param.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
        param.flags = UCP_AM_SEND_FLAG_EAGER;
    }
    if (type == NETTY_UCX_MESSAGE_READY) {
        /* Names the remote endpoint, as DATA of many fragments does: UCX drops READY, too, when that is gone. */
        param.flags |= UCP_AM_SEND_FLAG_REPLY;
    }
    return netty_ucx_send_end(send, netty_ucx_library.ucp_am_send_nbx(endpoint->ucp_ep, NETTY_UCX_ACTIVE_MESSAGE_ID,
                                                                      &send->header, sizeof(send->header), data, count,
                                                                      &param));
}

static void control_sent(void *request, ucs_status_t status, void *user_data) {
    control_t *control = user_data;

    (void) status; /* a failure is the endpoint's */
    control->worker->open_operations--;
    netty_ucx_library.ucp_request_free(request);
    free(control);
}

int netty_ucx_active_message_send_control(netty_ucx_endpoint_t *endpoint, uint64_t channel, uint64_t sender,
                                          const void *data, size_t length) {
    ucp_request_param_t param = {0};
    ucs_status_ptr_t request;
    control_t *control;

    control = malloc(sizeof(*control) + length);
    if (control == NULL) {
        return UCS_ERR_NO_MEMORY;
    }
    control->worker = endpoint->worker;
    memset(&control->header, 0, sizeof(control->header));
    control->header.type = htole32(channel == 0 ? NETTY_UCX_MESSAGE_CONTROL : NETTY_UCX_MESSAGE_DIRECT);
    control->header.channel = htole64(channel);
    control->header.value = htole64(sender);
    memcpy(control->data, data, length);
    param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
    /* With REPLY the other side knows the endpoint, and UCX drops the message if that is gone: DIRECT must arrive over
     * a link that is half gone, too, or else the two sides could not agree on another one. */
    param.flags = UCP_AM_SEND_FLAG_EAGER | (channel == 0 ? UCP_AM_SEND_FLAG_REPLY : 0);
    param.cb.send = control_sent;
    param.user_data = control;
    control->worker->open_operations++;
    request = netty_ucx_library.ucp_am_send_nbx(endpoint->ucp_ep, NETTY_UCX_ACTIVE_MESSAGE_ID, &control->header,
                                                sizeof(control->header), control->data, length, &param);
    if (UCS_PTR_IS_PTR(request)) {
        return 0;
    }
    control->worker->open_operations--;
    free(control);
    return UCS_PTR_STATUS(request);
}

static void append(netty_ucx_worker_t *worker, uint32_t type, uint64_t channel, uint64_t value, uint64_t length) {
    netty_ucx_event_t *event = netty_ucx_event_queue_append(&worker->events);

    if (event == NULL) {
        worker->out_of_memory = 1;
        return;
    }
    event->record.type = type;
    event->record.target = channel;
    event->record.value = value;
    event->record.length = length;
}

/* Takes the payload over: kept as UCX's descriptor where UCX allows it, else copied. */
static ucs_status_t receive_eager(netty_ucx_worker_t *worker, uint32_t type, uint64_t target, uint64_t offset,
                                  void *data, size_t length, int persistent) {
    netty_ucx_event_t *event;

    if (!persistent) {
        netty_ucx_worker_stage(worker, type, target, offset, data, length);
        return UCS_OK;
    }
    event = netty_ucx_event_queue_append(&worker->events);
    if (event == NULL) {
        worker->out_of_memory = 1;
        return UCS_OK;
    }
    event->record.type = type;
    event->record.target = target;
    event->record.value = offset;
    event->record.length = length;
    event->owner = NETTY_UCX_PAYLOAD_DESCRIPTOR;
    event->owned = data;
    event->record.address = (uint64_t) (uintptr_t) data;
    worker->staged_bytes += length;
    return UCS_INPROGRESS;
}

static ucs_status_t map_rendezvous(rendezvous_t *rendezvous, ucp_request_param_t *param) {
    ucp_mem_map_params_t memory = {0};
    ucs_status_t status;

    rendezvous->memory = NULL;
    if (netty_ucx_library_version() < MAPS_RENDEZVOUS_SINCE) {
        return UCS_OK;
    }
    memory.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
    memory.address = rendezvous->buffer;
    memory.length = rendezvous->length;
    status = netty_ucx_library.ucp_mem_map(rendezvous->worker->ucp_context, &memory, &rendezvous->memory);
    if (status == UCS_OK) {
        param->op_attr_mask |= UCP_OP_ATTR_FIELD_MEMH;
        param->memh = rendezvous->memory;
    }
    return status;
}

static void unmap_rendezvous(rendezvous_t *rendezvous) {
    if (rendezvous->memory != NULL) {
        netty_ucx_library.ucp_mem_unmap(rendezvous->worker->ucp_context, rendezvous->memory);
    }
}

static void finish_rendezvous(rendezvous_t *rendezvous, ucs_status_t status) {
    netty_ucx_worker_t *worker = rendezvous->worker;
    netty_ucx_channel_t *channel = netty_ucx_channel_table_find(&worker->channels, rendezvous->channel);
    netty_ucx_event_t *event = netty_ucx_event_queue_append_reserved(&worker->events);

    unmap_rendezvous(rendezvous);
    if (channel != NULL) {
        channel->rendezvous_bytes -= rendezvous->length;
    }
    event->record.type = NETTY_UCX_EVENT_RENDEZVOUS_DATA;
    event->record.status = status;
    event->record.target = rendezvous->channel;
    event->record.value = rendezvous->offset;
    event->record.length = rendezvous->length;
    event->record.address = (uint64_t) (uintptr_t) rendezvous->buffer;
    event->owner = NETTY_UCX_PAYLOAD_HEAP;
    event->owned = rendezvous->buffer;
    worker->staged_bytes += rendezvous->length;
    free(rendezvous);
}

static void rendezvous_received(void *request, ucs_status_t status, size_t length, void *user_data) {
    rendezvous_t *rendezvous = user_data;

    rendezvous->worker->open_operations--;
    netty_ucx_library.ucp_request_free(request);
    finish_rendezvous(rendezvous,
                      status == UCS_OK && length != rendezvous->length ? UCS_ERR_MESSAGE_TRUNCATED : status);
}

/* The channel cannot go on: what it was to receive next will never be here. */
static void append_rendezvous_failure(netty_ucx_worker_t *worker, uint64_t channel, ucs_status_t status) {
    netty_ucx_event_t *event = netty_ucx_event_queue_append(&worker->events);

    if (event == NULL) {
        worker->out_of_memory = 1;
        return;
    }
    event->record.type = NETTY_UCX_EVENT_RENDEZVOUS_DATA;
    event->record.target = channel;
    event->record.status = status;
}

/* Answers at once, so that the sender's memory is never pinned by a reader that does not read: the credit of the
 * channel covers the buffer. UCS_OK declines: UCX completes the send at the sender. */
static ucs_status_t receive_rendezvous(netty_ucx_worker_t *worker, netty_ucx_channel_t *channel, uint64_t offset,
                                       void *descriptor, size_t length) {
    ucp_request_param_t param = {0};
    rendezvous_t *rendezvous;
    ucs_status_ptr_t request;
    ucs_status_t status = UCS_ERR_NO_MEMORY;

    append(worker, NETTY_UCX_EVENT_RENDEZVOUS, channel->id, offset, length);
    rendezvous = malloc(sizeof(*rendezvous));
    if (rendezvous == NULL) {
        goto fail;
    }
    rendezvous->worker = worker;
    rendezvous->channel = channel->id;
    rendezvous->offset = offset;
    rendezvous->length = length;
    rendezvous->buffer = malloc(length);
    if (rendezvous->buffer == NULL) {
        goto free_rendezvous;
    }
    status = map_rendezvous(rendezvous, &param);
    if (status != UCS_OK) {
        goto free_buffer;
    }
    if (netty_ucx_event_queue_reserve(&worker->events) != 0) {
        status = UCS_ERR_NO_MEMORY;
        goto unmap_buffer;
    }
    channel->rendezvous_bytes += length;
    worker->open_operations++;
    param.op_attr_mask |= UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    param.cb.recv_am = rendezvous_received;
    param.user_data = rendezvous;
    request =
        netty_ucx_library.ucp_am_recv_data_nbx(worker->ucp_worker, descriptor, rendezvous->buffer, length, &param);
    if (!UCS_PTR_IS_PTR(request)) {
        worker->open_operations--;
        finish_rendezvous(rendezvous, UCS_PTR_STATUS(request));
    }
    return UCS_PTR_IS_ERR(request) ? UCS_OK : UCS_INPROGRESS;

unmap_buffer:
    unmap_rendezvous(rendezvous);
free_buffer:
    free(rendezvous->buffer);
free_rendezvous:
    free(rendezvous);
fail:
    append_rendezvous_failure(worker, channel->id, status);
    return UCS_OK;
}

static ucs_status_t receive_data(netty_ucx_worker_t *worker, netty_ucx_channel_t *channel, uint64_t offset, void *data,
                                 size_t length, uint64_t attributes) {
    int rendezvous = (attributes & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0;

    if (offset > channel->granted || length > channel->granted - offset || length > NETTY_UCX_MAX_PAYLOAD ||
        (rendezvous && (length == 0 || length > channel->window - channel->rendezvous_bytes))) {
        /* Returning UCS_OK declines a rendezvous: UCX completes it at the sender. */
        append(worker, NETTY_UCX_EVENT_VIOLATION, channel->id, offset, length);
        return UCS_OK;
    }
    return rendezvous ? receive_rendezvous(worker, channel, offset, data, length)
                      : receive_eager(worker, NETTY_UCX_EVENT_DATA, channel->id, offset, data, length,
                                      (attributes & UCP_AM_RECV_ATTR_FLAG_DATA) != 0);
}

/* CONTROL belongs to the endpoint that it came over, which must have been made for it: one that UCX made is unknown to
 * Java. */
static ucs_status_t receive_control(netty_ucx_worker_t *worker, const netty_ucx_message_header_t *message, void *data,
                                    size_t length, const ucp_am_recv_param_t *param) {
    int persistent = (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_DATA) != 0;
    int direct = message->type == NETTY_UCX_MESSAGE_DIRECT;

    if ((!direct && (param->recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP) == 0) ||
        (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0 || length == 0 || length > NETTY_UCX_MAX_CONTROL) {
        return UCS_OK;
    }
    if (direct) {
        return receive_eager(worker, NETTY_UCX_EVENT_DIRECT, message->channel, message->value, data, length,
                             persistent);
    }
    return receive_eager(worker, NETTY_UCX_EVENT_CONTROL, (uint64_t) (uintptr_t) param->reply_ep, 0, data, length,
                         persistent);
}

static ucs_status_t message_received(void *argument, const void *header, size_t header_length, void *data,
                                     size_t length, const ucp_am_recv_param_t *param) {
    netty_ucx_worker_t *worker = argument;
    netty_ucx_channel_t *channel;
    netty_ucx_message_header_t message;

    if (header_length != sizeof(message)) {
        return UCS_OK;
    }
    memcpy(&message, header, sizeof(message));
    message.type = le32toh(message.type);
    message.channel = le64toh(message.channel);
    message.value = le64toh(message.value);
    if (message.type == NETTY_UCX_MESSAGE_GOODBYE || message.type == NETTY_UCX_MESSAGE_PROBE) {
        append(worker, message.type == NETTY_UCX_MESSAGE_GOODBYE ? NETTY_UCX_EVENT_GOODBYE : NETTY_UCX_EVENT_PROBE,
               message.channel, 0, 0);
        return UCS_OK;
    }
    if (message.type == NETTY_UCX_MESSAGE_CONTROL || message.type == NETTY_UCX_MESSAGE_DIRECT) {
        return receive_control(worker, &message, data, length, param);
    }
    channel = netty_ucx_channel_table_find(&worker->channels, message.channel);
    if (channel == NULL) {
        /* Normal after a close. */
        return UCS_OK;
    }
    switch (message.type) {
    case NETTY_UCX_MESSAGE_DATA:
        return receive_data(worker, channel, message.value, data, length, param->recv_attr);
    case NETTY_UCX_MESSAGE_CREDIT:
    case NETTY_UCX_MESSAGE_READY:
        append(worker, message.type, message.channel, message.value, 0);
        return UCS_OK;
    default:
        return UCS_OK;
    }
}

ucs_status_t netty_ucx_active_message_listen(netty_ucx_worker_t *worker) {
    ucp_am_handler_param_t param = {0};

    param.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
    param.id = NETTY_UCX_ACTIVE_MESSAGE_ID;
    param.cb = message_received;
    param.arg = worker;
    return netty_ucx_library.ucp_worker_set_am_recv_handler(worker->ucp_worker, &param);
}
