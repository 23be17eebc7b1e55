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

/* DATA, CREDIT, READY, GOODBYE, CONTROL and DIRECT: the active messages of docs/wire-protocol.md. */
#ifndef NETTY_UCX_ACTIVE_MESSAGE_H_
#define NETTY_UCX_ACTIVE_MESSAGE_H_

#include <stdint.h>
#include <ucp/api/ucp.h>

#include "netty_ucx_endpoint.h"
#include "netty_ucx_worker.h"

#define NETTY_UCX_ACTIVE_MESSAGE_ID 78
/* Payload bytes of one message. Mirrored by org.nettyucx.Connection. */
#define NETTY_UCX_MAX_PAYLOAD (1024 * 1024)

/* Message types, also those of the records. */
#define NETTY_UCX_MESSAGE_DATA 1
#define NETTY_UCX_MESSAGE_CREDIT 2
#define NETTY_UCX_MESSAGE_READY 3
#define NETTY_UCX_MESSAGE_GOODBYE 4 /* names a link where the others name a channel */
#define NETTY_UCX_MESSAGE_PROBE 5 /* only within a process; names a probe */
#define NETTY_UCX_MESSAGE_CONTROL 6 /* connector LISTENER: what goes over TCP otherwise */
#define NETTY_UCX_MESSAGE_DIRECT 7 /* the same for channels by worker address; names a control channel and its peer */
/* Bytes of one CONTROL or DIRECT: the longest is HELLO. */
#define NETTY_UCX_MAX_CONTROL (32 * 1024)

/* Registers the receive handler. */
ucs_status_t netty_ucx_active_message_listen(netty_ucx_worker_t *worker);

/* Sends one message to a remote channel. iov (address and length pairs) is copied; the memory that it names must stay
 * until the operation is done. Returns as netty_ucx_send_end. */
int netty_ucx_active_message_send(netty_ucx_endpoint_t *endpoint, uint32_t type, uint64_t channel, uint64_t value,
                                  const ucp_dt_iov_t *iov, int iov_count, uint64_t operation);

/* Sends a copy of these bytes: as CONTROL if channel is 0, else as DIRECT to that control channel, from the one that
 * sender names. Returns 0 or a negative status. */
int netty_ucx_active_message_send_control(netty_ucx_endpoint_t *endpoint, uint64_t channel, uint64_t sender,
                                          const void *data, size_t length);

#endif
