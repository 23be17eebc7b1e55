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

/* A send that UCX has not completed: what UCX reads until then, and what is told to Java afterwards. */
#ifndef NETTY_UCX_SEND_H_
#define NETTY_UCX_SEND_H_

#include <stdint.h>
#include <ucp/api/ucp.h>

#include "netty_ucx_worker.h"

/* Buffers that one send can be gathered from. Mirrored by org.nettyucx.Gather. */
#define NETTY_UCX_MAX_IOV 64

/* The user header of an active message, little endian. */
typedef struct netty_ucx_message_header {
    uint32_t type;
    uint32_t reserved;
    uint64_t channel;
    uint64_t value;
} netty_ucx_message_header_t;

/* Header and iov array belong to UCX until the send completed. */
struct netty_ucx_send {
    netty_ucx_send_t *next;
    netty_ucx_worker_t *worker;
    uint64_t operation;
    netty_ucx_message_header_t header;
    ucp_dt_iov_t iov[NETTY_UCX_MAX_IOV];
};

/* Prepares a send of what iov (address and length pairs, copied) names: sets param, data and count for UCX's call.
 * operation 0 wants no SENT record. Returns NULL when there is no memory. */
netty_ucx_send_t *netty_ucx_send_begin(netty_ucx_worker_t *worker, const ucp_dt_iov_t *iov, int iov_count,
                                       uint64_t operation, ucp_request_param_t *param, const void **data,
                                       size_t *count);

/* Takes what UCX's call returned. Returns 0: done; 1: a SENT record with the operation will follow (none for operation
 * 0); negative: status, nothing was sent. */
int netty_ucx_send_end(netty_ucx_send_t *send, ucs_status_ptr_t request);

/* Frees the send objects that are kept for reuse. */
void netty_ucx_send_free_idle(netty_ucx_worker_t *worker);

#endif
