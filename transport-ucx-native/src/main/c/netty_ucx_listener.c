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

#include "netty_ucx_listener.h"

#include <stdlib.h>

#include "netty_ucx_endpoint.h"
#include "netty_ucx_library.h"
#include "netty_ucx_socket_address.h"

#define SAFE_REJECT_SINCE NETTY_UCX_VERSION(1, 21)

static void requested(ucp_conn_request_h request, void *argument) {
    netty_ucx_listener_t *listener = argument;
    ucp_conn_request_attr_t attributes;
    netty_ucx_event_t *event;
    int family = AF_UNSPEC;

    attributes.field_mask = UCP_CONN_REQUEST_ATTR_FIELD_CLIENT_ADDR | UCP_CONN_REQUEST_ATTR_FIELD_CLIENT_ID;
    attributes.client_id = 0;
    if (netty_ucx_library.ucp_conn_request_query(request, &attributes) == UCS_OK) {
        family = attributes.client_address.ss_family;
    }
    event = netty_ucx_event_queue_append(&listener->worker->events);
    if (event == NULL) {
        /* Nothing else can be done here without memory. */
        netty_ucx_library.ucp_listener_reject(listener->ucp_listener, request);
        return;
    }
    event->record.type = NETTY_UCX_EVENT_REQUEST;
    event->record.target = listener->id;
    event->record.status = family;
    event->record.value = attributes.client_id;
    event->record.address = (uint64_t) (uintptr_t) request;
}

ucs_status_t netty_ucx_listener_create(netty_ucx_worker_t *worker, const struct sockaddr_storage *address,
                                       socklen_t address_length, uint64_t id, netty_ucx_listener_t **listener_out) {
    ucp_listener_params_t params = {0};
    netty_ucx_listener_t *listener;
    ucs_status_t status;

    listener = calloc(1, sizeof(*listener));
    if (listener == NULL) {
        return UCS_ERR_NO_MEMORY;
    }
    listener->worker = worker;
    listener->id = id;
    params.field_mask = UCP_LISTENER_PARAM_FIELD_SOCK_ADDR | UCP_LISTENER_PARAM_FIELD_CONN_HANDLER;
    params.sockaddr.addr = (const struct sockaddr *) address;
    params.sockaddr.addrlen = address_length;
    params.conn_handler.cb = requested;
    params.conn_handler.arg = listener;
    status = netty_ucx_library.ucp_listener_create(worker->ucp_worker, &params, &listener->ucp_listener);
    if (status != UCS_OK) {
        free(listener);
        return status;
    }
    *listener_out = listener;
    return UCS_OK;
}

int netty_ucx_listener_port(netty_ucx_listener_t *listener) {
    ucp_listener_attr_t attributes;
    ucs_status_t status;
    char host[64];

    attributes.field_mask = UCP_LISTENER_ATTR_FIELD_SOCKADDR;
    status = netty_ucx_library.ucp_listener_query(listener->ucp_listener, &attributes);
    return status == UCS_OK ? netty_ucx_socket_address_format(&attributes.sockaddr, host, sizeof(host)) : status;
}

void netty_ucx_listener_reject(netty_ucx_listener_t *listener, ucp_conn_request_h request) {
    netty_ucx_library.ucp_listener_reject(listener->ucp_listener, request);
}

/* An IPv6 peer may not be accepted, not even for a moment: UCX overflows the heap on its address. */
static void discard(netty_ucx_listener_t *listener, ucp_conn_request_h request, int family) {
    netty_ucx_endpoint_t *endpoint;

    if (netty_ucx_library_version() >= SAFE_REJECT_SINCE || family != AF_INET) {
        netty_ucx_listener_reject(listener, request);
    } else if (netty_ucx_endpoint_accept(listener->worker, request, 0, NULL, &endpoint) == UCS_OK) {
        netty_ucx_endpoint_close(endpoint);
    }
}

void netty_ucx_listener_destroy(netty_ucx_listener_t *listener) {
    netty_ucx_event_queue_t *queue = &listener->worker->events;
    size_t position;

    for (position = queue->delivered; position != queue->tail; position++) {
        netty_ucx_event_t *event = netty_ucx_event_queue_at(queue, position);
        if (event->record.type == NETTY_UCX_EVENT_REQUEST && event->record.target == listener->id) {
            ucp_conn_request_h request = (ucp_conn_request_h) (uintptr_t) event->record.address;
            int family = event->record.status;
            event->record.type = NETTY_UCX_EVENT_WITHDRAWN;
            discard(listener, request, family);
        }
    }
    netty_ucx_library.ucp_listener_destroy(listener->ucp_listener);
    free(listener);
}
