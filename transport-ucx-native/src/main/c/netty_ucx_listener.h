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

/* UCX's own listener, for connects by sockaddr. A connection request must be accepted or refused exactly once, before
 * its listener is destroyed: UCX reads the listener then. Java holds a lock around accept, refuse and destroy, as UCX
 * deadlocks when two workers accept each other's requests (uct_tcp_sockcm_ep_create takes the other worker's lock). */
#ifndef NETTY_UCX_LISTENER_H_
#define NETTY_UCX_LISTENER_H_

#include <stdint.h>
#include <sys/socket.h>
#include <ucp/api/ucp.h>

#include "netty_ucx_worker.h"

typedef struct netty_ucx_listener {
    netty_ucx_worker_t *worker;
    ucp_listener_h ucp_listener;
    uint64_t id; /* how Java knows it */
} netty_ucx_listener_t;

ucs_status_t netty_ucx_listener_create(netty_ucx_worker_t *worker, const struct sockaddr_storage *address,
                                       socklen_t address_length, uint64_t id, netty_ucx_listener_t **listener);

/* The port that it listens on, or a negative status. */
int netty_ucx_listener_port(netty_ucx_listener_t *listener);

/* The peer's connect fails. Before UCX 1.21 the process may crash when the client is gone by then: the endpoint that
 * UCX makes has no notify callback (https://github.com/openucx/ucx/issues/11235). */
void netty_ucx_listener_reject(netty_ucx_listener_t *listener, ucp_conn_request_h request);

/* Ends the requests that Java has not been told of. */
void netty_ucx_listener_destroy(netty_ucx_listener_t *listener);

#endif
