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

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPromise;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** Accepts clients that know the event loop's worker by its address: HELLO to the server's number begins a channel. */
final class DirectAcceptor implements Acceptor, DirectReceiver {
    private static final InternalLogger logger = InternalLoggerFactory.getInstance(DirectAcceptor.class);

    private final UcxServerSocketChannel server;
    private UcxIoHandler handler;
    private long number;
    private volatile UcxWorkerAddress address;

    DirectAcceptor(UcxServerSocketChannel server) {
        this.server = server;
    }

    /** Any thread; {@code null} while it is not bound. */
    UcxWorkerAddress address() {
        return address;
    }

    @Override
    public void register(UcxIoHandler joined, ChannelPromise promise) {
        handler = joined;
        promise.setSuccess();
    }

    @Override
    public void bind(SocketAddress wanted) {
        number = handler.directReceiverOpened(this);
        workerChanged();
    }

    /** So the address is another one, too. */
    @Override
    public void workerChanged() {
        UcxWorker worker = handler.worker();
        address = new UcxWorkerAddress(worker.id(), number, worker.address());
    }

    @Override
    public boolean isActive() {
        return address != null;
    }

    @Override
    public InetSocketAddress localAddress() {
        return null;
    }

    @Override
    public void read() {
        // Clients come whether they are wanted or not; the server channel keeps them until its user reads.
    }

    @Override
    public void close() {
        if (handler != null) {
            handler.directReceiverClosed(number);
        }
        address = null;
    }

    /** A client's first message, which must be HELLO. */
    @Override
    public void received(long sender, long payload, int length) {
        ByteBuf copy = NativeMemory.copy(server.alloc(), payload, length);
        try {
            Hello hello = ControlHandler.decodeHandshake(copy);
            if (hello == null) {
                logger.debug("{} got a part of a HELLO", server);
            } else if (server.acceptedCount() >= server.config().getMaxPendingHandshakes()) {
                refuse(sender, hello, new RefusedException(Refusal.LINK, "too many wait to be accepted"));
            } else {
                accept(sender, hello);
            }
        } catch (IOException e) {
            logger.debug("{} got no HELLO", server, e);
        } finally {
            copy.release();
        }
    }

    private void accept(long sender, Hello hello) {
        ControlChannel control = new ControlChannel(new UcxWorkerAddress(hello.worker(), sender, hello.address()),
                sender);
        ControlHandler controlHandler = ControlHandler.afterHello();
        control.pipeline().addLast(controlHandler);
        server.accepted(new UcxSocketChannel(server, control, controlHandler, hello,
                server.config().getHandshakeTimeoutMillis()));
    }

    private void refuse(long sender, Hello hello, RefusedException reason) throws IOException {
        handler.link(hello.worker(), hello.address()).sendControl(sender, number,
                ControlCodec.refuse(server.alloc(), reason));
    }
}
