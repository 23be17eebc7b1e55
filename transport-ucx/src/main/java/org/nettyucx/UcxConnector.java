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
package org.nettyucx;

/** How channels get connected; see docs/connectors.md. Client and server must use the same one. */
public enum UcxConnector {
    /**
     * The default: a TCP connection shakes hands and carries control messages, the bytes go over one UCX endpoint for
     * each pair of event loops ({@code ucp_ep_create} by worker address), which all their channels share.
     */
    BOOTSTRAP,

    /**
     * UCX's own connection manager: {@code ucp_listener_create} and endpoints by socket address, one for each channel.
     * For RDMA-CM and, with {@link UcxWire#RAW}, for peers that are other programs. UCX itself is not stable with more
     * than one event loop per process and many connects.
     */
    LISTENER
}
