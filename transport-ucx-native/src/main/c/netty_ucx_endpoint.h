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

/* A UCX endpoint: of a link, or of one channel of the connector LISTENER. */
#ifndef NETTY_UCX_ENDPOINT_H_
#define NETTY_UCX_ENDPOINT_H_

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <ucp/api/ucp.h>

#include "netty_ucx_worker.h"

typedef struct netty_ucx_stream netty_ucx_stream_t;

typedef struct netty_ucx_endpoint {
    netty_ucx_worker_t *worker;
    ucp_ep_h ucp_ep;
    uint64_t link; /* how Java knows it; 0: not at all */
    netty_ucx_stream_t *stream; /* receives bytes of UCX's stream, or NULL */
} netty_ucx_endpoint_t;

/* By a worker address. */
ucs_status_t netty_ucx_endpoint_create(netty_ucx_worker_t *worker, const void *address, uint64_t link,
                                       netty_ucx_endpoint_t **endpoint);

/* By a socket address; local may be NULL. name may be NULL. With send_client_id the server knows whose client this is
 * before it accepts. */
ucs_status_t netty_ucx_endpoint_connect(netty_ucx_worker_t *worker, const struct sockaddr_storage *remote,
                                        socklen_t remote_length, const struct sockaddr_storage *local,
                                        socklen_t local_length, uint64_t link, const char *name, int send_client_id,
                                        netty_ucx_endpoint_t **endpoint);

/* By a connection request, which is used up even if this fails. name may be NULL. */
ucs_status_t netty_ucx_endpoint_accept(netty_ucx_worker_t *worker, ucp_conn_request_h request, uint64_t link,
                                       const char *name, netty_ucx_endpoint_t **endpoint);

/* A FLUSHED record follows when all that was sent has left UCX, and before that: when UCX's own handshake is done.
 * Returns UCS_OK or why there will be none. */
ucs_status_t netty_ucx_endpoint_flush(netty_ucx_endpoint_t *endpoint);

/* The socket addresses of UCX's connection manager. Returns UCS_OK or a failure. */
ucs_status_t netty_ucx_endpoint_addresses(netty_ucx_endpoint_t *endpoint, struct sockaddr_storage *local,
                                          struct sockaddr_storage *remote);

/* Closes by FORCE (what is outstanding completes with UCS_ERR_CANCELED) and frees the endpoint: neither may it be used
 * nor will it fail any more. Never FLUSH, which waits for the peer and still loses data. */
void netty_ucx_endpoint_close(netty_ucx_endpoint_t *endpoint);

/* Writes text that names the transports in use: "transport/device" lines for UCX 1.14 and newer (ucp_ep_query), the
 * output of ucp_ep_print_info for older ones. Returns its length or a negative status. */
int netty_ucx_endpoint_transports(netty_ucx_endpoint_t *endpoint, char *text, size_t capacity);

#endif
