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

import io.netty.channel.ChannelPromise;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** The server side of the connector LISTENER: UCX's listener on the worker of the server's event loop. */
final class ListenerAcceptor implements Acceptor, UcxListener.Acceptor {
    private static final InternalLogger logger = InternalLoggerFactory.getInstance(ListenerAcceptor.class);

    private final UcxServerSocketChannel server;
    private UcxIoHandler handler;
    private volatile UcxListener listener;

    ListenerAcceptor(UcxServerSocketChannel server) {
        this.server = server;
    }

    @Override
    public void register(UcxIoHandler joined, ChannelPromise promise) {
        handler = joined;
        promise.setSuccess();
    }

    @Override
    public void bind(SocketAddress address) throws IOException {
        InetSocketAddress checked = EndpointWire.checked(address);
        listener = new UcxListener(handler, server.config().getWire(), checked, this);
        handler.warnOfManyWorkers();
    }

    @Override
    public boolean isActive() {
        return listener != null;
    }

    @Override
    public InetSocketAddress localAddress() {
        UcxListener current = listener;
        return current == null ? null : current.address();
    }

    /** Requests come whether they are wanted or not; the server channel keeps them until its user reads. */
    @Override
    public void read() {
        // Nothing to ask for.
    }

    @Override
    public void requested(UcxListener.Request request) {
        if (!request.isIpv4() && !Boolean.getBoolean(EndpointWire.ALLOW_IPV6)) {
            refuse(request, Refusal.CONNECTOR, "it comes over IPv6");
        } else if (server.acceptedCount() >= server.config().getMaxPendingHandshakes()) {
            refuse(request, Refusal.LINK, "too many wait to be accepted");
        } else if (!request.isOurs() && server.config().getWire() == UcxWire.NETTY) {
            refuse(request, Refusal.CONNECTOR, "it is no netty-ucx peer with WIRE NETTY (a server for other programs " +
                    "needs WIRE RAW)");
        } else if (request.isOurs() && server.config().getWire() == UcxWire.RAW) {
            refuse(request, Refusal.CONNECTOR, "this server uses WIRE RAW: both sides must use the same");
        } else {
            server.accepted(new UcxSocketChannel(server, request));
        }
    }

    private void refuse(UcxListener.Request request, Refusal refusal, String reason) {
        logger.debug("{} refused a connection request: {}", server, reason);
        request.refuse(new RefusedException(refusal, reason));
    }

    @Override
    public void close() {
        UcxListener closed = listener;
        listener = null;
        if (closed != null) {
            handler.listenerClosed(closed);
            closed.close();
        }
    }
}
