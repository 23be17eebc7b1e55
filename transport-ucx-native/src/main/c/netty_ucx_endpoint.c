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

#define MAX_TRANSPORTS 64
#define TRANSPORTS_SINCE ((1 << 16) | (14 << 8))

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
    netty_ucx_event_t *event = netty_ucx_event_queue_append(&endpoint->worker->events);

    (void) ucp_ep;
    if (event == NULL) {
        endpoint->worker->out_of_memory = 1;
        return;
    }
    event->record.type = NETTY_UCX_EVENT_LINK_FAILED;
    event->record.status = status;
    event->record.target = endpoint->link;
}

ucs_status_t netty_ucx_endpoint_create(netty_ucx_worker_t *worker, const void *address, uint64_t link,
                                       netty_ucx_endpoint_t **endpoint_out) {
    ucp_ep_params_t params = {0};
    netty_ucx_endpoint_t *endpoint;
    ucs_status_t status;

    endpoint = calloc(1, sizeof(*endpoint));
    if (endpoint == NULL) {
        return UCS_ERR_NO_MEMORY;
    }
    endpoint->worker = worker;
    endpoint->link = link;
    params.field_mask =
        UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLER | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE;
    params.address = address;
    params.err_handler.cb = endpoint_failed;
    params.err_handler.arg = endpoint;
    params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
    status = netty_ucx_library.ucp_ep_create(worker->ucp_worker, &params, &endpoint->ucp_ep);
    if (status != UCS_OK) {
        free(endpoint);
        return status;
    }
    *endpoint_out = endpoint;
    return UCS_OK;
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
