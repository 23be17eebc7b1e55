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

#include "netty_ucx_endpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "netty_ucx_library.h"
#include "netty_ucx_stream.h"

#define MAX_TRANSPORTS 64
#define TRANSPORTS_SINCE NETTY_UCX_VERSION(1, 14)

/* ucp_ep_attr_t and its companions as of UCX 1.14. This library is built with 1.13 headers on purpose, so that one
 * binary serves every version; the layout up to here is part of UCX's ABI. */
typedef struct transport_entry {
    const char *transport_name;
    const char *device_name;
} transport_entry_t;

typedef struct endpoint_attributes {
    uint64_t field_mask;
    char name[UCP_ENTITY_NAME_MAX];
    struct sockaddr_storage local_sockaddr;
    struct sockaddr_storage remote_sockaddr;
    struct {
        transport_entry_t *entries;
        unsigned num_entries;
        size_t entry_size;
    } transports;
    void *user_data;
} endpoint_attributes_t;

#define ATTRIBUTE_TRANSPORTS (1 << 3)

static void endpoint_failed(void *argument, ucp_ep_h ucp_ep, ucs_status_t status) {
    netty_ucx_endpoint_t *endpoint = argument;
    netty_ucx_event_t *event;

    (void) ucp_ep;
    event = netty_ucx_event_queue_append(&endpoint->worker->events);
    if (event == NULL) {
        endpoint->worker->out_of_memory = 1;
        return;
    }
    event->record.type = NETTY_UCX_EVENT_LINK_FAILED;
    event->record.status = status;
    event->record.target = endpoint->link;
}

/* params say what it is connected to. */
static ucs_status_t create(netty_ucx_worker_t *worker, ucp_ep_params_t *params, uint64_t link, const char *name,
                           netty_ucx_endpoint_t **endpoint_out) {
    netty_ucx_endpoint_t *endpoint;
    ucs_status_t status;

    endpoint = calloc(1, sizeof(*endpoint));
    if (endpoint == NULL) {
        return UCS_ERR_NO_MEMORY;
    }
    endpoint->worker = worker;
    endpoint->link = link;
    params->field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLER | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE;
    params->err_handler.cb = endpoint_failed;
    params->err_handler.arg = endpoint;
    /* Without it an endpoint cannot be closed by FORCE, nor is there word of a peer's death. */
    params->err_mode = UCP_ERR_HANDLING_MODE_PEER;
    if (name != NULL) {
        params->field_mask |= UCP_EP_PARAM_FIELD_NAME;
        params->name = name;
    }
    status = netty_ucx_library.ucp_ep_create(worker->ucp_worker, params, &endpoint->ucp_ep);
    if (status != UCS_OK) {
        free(endpoint);
        return status;
    }
    *endpoint_out = endpoint;
    return UCS_OK;
}

ucs_status_t netty_ucx_endpoint_create(netty_ucx_worker_t *worker, const void *address, uint64_t link,
                                       netty_ucx_endpoint_t **endpoint) {
    ucp_ep_params_t params = {0};

    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    params.address = address;
    return create(worker, &params, link, NULL, endpoint);
}

ucs_status_t netty_ucx_endpoint_connect(netty_ucx_worker_t *worker, const struct sockaddr_storage *remote,
                                        socklen_t remote_length, const struct sockaddr_storage *local,
                                        socklen_t local_length, uint64_t link, const char *name, int send_client_id,
                                        netty_ucx_endpoint_t **endpoint) {
    ucp_ep_params_t params = {0};

    params.field_mask = UCP_EP_PARAM_FIELD_SOCK_ADDR | UCP_EP_PARAM_FIELD_FLAGS;
    params.flags =
        UCP_EP_PARAMS_FLAGS_CLIENT_SERVER | (send_client_id ? (unsigned) UCP_EP_PARAMS_FLAGS_SEND_CLIENT_ID : 0);
    params.sockaddr.addr = (const struct sockaddr *) remote;
    params.sockaddr.addrlen = remote_length;
    if (local != NULL) {
        params.field_mask |= UCP_EP_PARAM_FIELD_LOCAL_SOCK_ADDR;
        params.local_sockaddr.addr = (const struct sockaddr *) local;
        params.local_sockaddr.addrlen = local_length;
    }
    return create(worker, &params, link, name, endpoint);
}

ucs_status_t netty_ucx_endpoint_accept(netty_ucx_worker_t *worker, ucp_conn_request_h request, uint64_t link,
                                       const char *name, netty_ucx_endpoint_t **endpoint) {
    ucp_ep_params_t params = {0};

    params.field_mask = UCP_EP_PARAM_FIELD_CONN_REQUEST;
    params.conn_request = request;
    return create(worker, &params, link, name, endpoint);
}

/* What a flush needs after its endpoint may be gone. */
typedef struct flush {
    netty_ucx_worker_t *worker;
    uint64_t link;
} flush_t;

static void finish_flush(flush_t *flush, ucs_status_t status) {
    netty_ucx_event_t *event = netty_ucx_event_queue_append_reserved(&flush->worker->events);

    event->record.type = NETTY_UCX_EVENT_FLUSHED;
    event->record.status = status;
    event->record.target = flush->link;
    free(flush);
}

static void endpoint_flushed(void *request, ucs_status_t status, void *user_data) {
    flush_t *flush = user_data;

    flush->worker->open_operations--;
    netty_ucx_library.ucp_request_free(request);
    finish_flush(flush, status);
}

ucs_status_t netty_ucx_endpoint_flush(netty_ucx_endpoint_t *endpoint) {
    ucp_request_param_t param = {0};
    ucs_status_ptr_t request;
    flush_t *flush;

    flush = malloc(sizeof(*flush));
    if (flush == NULL) {
        return UCS_ERR_NO_MEMORY;
    }
    if (netty_ucx_event_queue_reserve(&endpoint->worker->events) != 0) {
        free(flush);
        return UCS_ERR_NO_MEMORY;
    }
    flush->worker = endpoint->worker;
    flush->link = endpoint->link;
    param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    param.cb.send = endpoint_flushed;
    param.user_data = flush;
    flush->worker->open_operations++;
    request = netty_ucx_library.ucp_ep_flush_nbx(endpoint->ucp_ep, &param);
    if (!UCS_PTR_IS_PTR(request)) {
        flush->worker->open_operations--;
        finish_flush(flush, UCS_PTR_STATUS(request));
    }
    return UCS_OK;
}

ucs_status_t netty_ucx_endpoint_addresses(netty_ucx_endpoint_t *endpoint, struct sockaddr_storage *local,
                                          struct sockaddr_storage *remote) {
    endpoint_attributes_t attributes;
    ucs_status_t status;

    memset(&attributes, 0, sizeof(attributes));
    attributes.field_mask = UCP_EP_ATTR_FIELD_LOCAL_SOCKADDR | UCP_EP_ATTR_FIELD_REMOTE_SOCKADDR;
    status = netty_ucx_library.ucp_ep_query(endpoint->ucp_ep, (ucp_ep_attr_t *) &attributes);
    *local = attributes.local_sockaddr;
    *remote = attributes.remote_sockaddr;
    return status;
}

static void endpoint_closed(void *request, ucs_status_t status, void *user_data) {
    netty_ucx_endpoint_t *endpoint = user_data;

    (void) status;
    endpoint->worker->open_operations--;
    netty_ucx_library.ucp_request_free(request);
    free(endpoint);
}

void netty_ucx_endpoint_close(netty_ucx_endpoint_t *endpoint) {
    ucp_request_param_t param = {0};
    ucs_status_ptr_t request;

    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    param.flags = UCP_EP_CLOSE_FLAG_FORCE;
    param.cb.send = endpoint_closed;
    param.user_data = endpoint;
    netty_ucx_stream_abandon(endpoint);
    request = netty_ucx_library.ucp_ep_close_nbx(endpoint->ucp_ep, &param);
    if (UCS_PTR_IS_PTR(request)) {
        endpoint->worker->open_operations++;
    } else {
        free(endpoint);
    }
}

static int query_transports(netty_ucx_endpoint_t *endpoint, char *text, size_t capacity) {
    transport_entry_t entries[MAX_TRANSPORTS] = {{NULL, NULL}};
    endpoint_attributes_t attributes;
    ucs_status_t status;
    size_t length = 0;
    unsigned i;

    memset(&attributes, 0, sizeof(attributes));
    attributes.field_mask = ATTRIBUTE_TRANSPORTS;
    attributes.transports.entries = entries;
    attributes.transports.num_entries = MAX_TRANSPORTS;
    attributes.transports.entry_size = sizeof(transport_entry_t);
    status = netty_ucx_library.ucp_ep_query(endpoint->ucp_ep, (ucp_ep_attr_t *) &attributes);
    if (status != UCS_OK) {
        return status;
    }
    for (i = 0; i < attributes.transports.num_entries && length < capacity; i++) {
        length += (size_t) snprintf(text + length, capacity - length, "%s/%s\n", entries[i].transport_name,
                                    entries[i].device_name);
    }
    return (int) (length < capacity ? length : capacity - 1);
}

static int print_transports(netty_ucx_endpoint_t *endpoint, char *text, size_t capacity) {
    FILE *stream = fmemopen(text, capacity, "w");
    long length;

    if (stream == NULL) {
        return UCS_ERR_NO_MEMORY;
    }
    netty_ucx_library.ucp_ep_print_info(endpoint->ucp_ep, stream);
    fflush(stream);
    length = ftell(stream);
    fclose(stream);
    return (int) (length < 0 ? 0 : length);
}

int netty_ucx_endpoint_transports(netty_ucx_endpoint_t *endpoint, char *text, size_t capacity) {
    return netty_ucx_library_version() >= TRANSPORTS_SINCE ? query_transports(endpoint, text, capacity)
                                                           : print_transports(endpoint, text, capacity);
}
