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

import io.netty.channel.ChannelOption;

/** The options of UCX channels beside Netty's own. */
public final class UcxChannelOption<T> extends ChannelOption<T> {
    /**
     * Server: how long an accepted TCP connection may take to become a channel, in milliseconds; default 10,000. See
     * {@link UcxServerSocketChannelConfig#setHandshakeTimeoutMillis}.
     */
    public static final ChannelOption<Integer> HANDSHAKE_TIMEOUT_MILLIS =
            valueOf(UcxChannelOption.class, "HANDSHAKE_TIMEOUT_MILLIS");

    /**
     * Server: how many accepted TCP connections may wait for their HELLO at once; default 1,024. See
     * {@link UcxServerSocketChannelConfig#setMaxPendingHandshakes}.
     */
    public static final ChannelOption<Integer> MAX_PENDING_HANDSHAKES =
            valueOf(UcxChannelOption.class, "MAX_PENDING_HANDSHAKES");

    /** Client and server: how connections are made, see {@link UcxConnector}. Must be set before registration. */
    public static final ChannelOption<UcxConnector> CONNECTOR = valueOf(UcxChannelOption.class, "CONNECTOR");

    /** Client and server: what goes over an endpoint of {@link UcxConnector#LISTENER}, see {@link UcxWire}. */
    public static final ChannelOption<UcxWire> WIRE = valueOf(UcxChannelOption.class, "WIRE");

    /**
     * Client and child: what UCX calls the endpoint of a channel with {@link UcxConnector#LISTENER}. See
     * {@link UcxSocketChannelConfig#setEndpointName}.
     */
    public static final ChannelOption<String> ENDPOINT_NAME = valueOf(UcxChannelOption.class, "ENDPOINT_NAME");

    /**
     * Client and child channels, server channels as the default of their children: the transports that a connection may
     * use, as a list of {@code rdma}, {@code shm}, {@code tcp} and UCX's own names, like {@code rdma,posix}; default
     * {@code all}, or what the system property {@code org.nettyucx.allowedTransports} says. A connection that would use
     * another one fails. See {@link UcxSocketChannelConfig#setAllowedTransports}.
     */
    public static final ChannelOption<String> ALLOWED_TRANSPORTS =
            valueOf(UcxChannelOption.class, "ALLOWED_TRANSPORTS");

    // Only its constants are used.
    @SuppressWarnings("deprecation")
    private UcxChannelOption() {
        super(null);
    }
}
