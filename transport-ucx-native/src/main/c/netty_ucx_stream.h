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

/* Bytes by UCX's stream calls, for peers that are not ours (WIRE RAW). */
#ifndef NETTY_UCX_STREAM_H_
#define NETTY_UCX_STREAM_H_

#include <stdint.h>
#include <ucp/api/ucp.h>

#include "netty_ucx_endpoint.h"

/* Receives up to granted bytes of the endpoint's stream and reports them as DATA of the channel. A receive is always
 * posted: what UCX holds unread when the peer goes away it drops without a word (ucp_stream_ep_cleanup), so it must
 * hold nothing. Returns UCS_OK or UCS_ERR_NO_MEMORY. */
ucs_status_t netty_ucx_stream_receive(netty_ucx_endpoint_t *endpoint, uint64_t channel, uint64_t granted);

/* Goes on up to this many bytes since the first. */
void netty_ucx_stream_grant(netty_ucx_endpoint_t *endpoint, uint64_t granted);

/* iov, operation and the result are as with netty_ucx_active_message_send. */
int netty_ucx_stream_send(netty_ucx_endpoint_t *endpoint, const ucp_dt_iov_t *iov, int iov_count, uint64_t operation);

/* The endpoint is about to be closed. */
void netty_ucx_stream_abandon(netty_ucx_endpoint_t *endpoint);

#endif
