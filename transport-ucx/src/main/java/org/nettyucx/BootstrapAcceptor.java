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

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * The handler of a server channel's TCP server: reads HELLO of every accepted connection on the server's event loop, in
 * bounded time and number, so that a stranger never becomes a channel. What says HELLO leaves this event loop and is
 * offered to the server channel.
 */
final class BootstrapAcceptor extends ChannelInboundHandlerAdapter implements Acceptor {
    private static final InternalLogger logger = InternalLoggerFactory.getInstance(BootstrapAcceptor.class);

    /** After an accept that failed, most likely for want of descriptors. As long as ServerBootstrap's own pause. */
    private static final int PAUSE_MILLIS = 1_000;

    private final UcxServerSocketChannel server;
    private final EpollServerSocketChannel tcpServer;
    private final Set<Pending> pending = Collections.newSetFromMap(new IdentityHashMap<>());
    /** Those that left this event loop and may not be open yet. */
    private final List<UcxSocketChannel> opening = new ArrayList<>();
    private Deadlines.Deadline pause;
    private boolean readRefused;
    private boolean closed;

    BootstrapAcceptor(UcxServerSocketChannel server, EpollServerSocketChannel tcpServer) {
        this.server = server;
        this.tcpServer = tcpServer;
        tcpServer.config().setAutoRead(false);
        tcpServer.pipeline().addLast(this);
    }

    @Override
    public void register(UcxIoHandler handler, ChannelPromise promise) {
        server.eventLoop().register(tcpServer).addListener((ChannelFutureListener) registered -> {
            if (registered.isSuccess()) {
                promise.setSuccess();
            } else {
                promise.setFailure(registered.cause());
            }
        });
    }

    @Override
    public void bind(SocketAddress address) throws Exception {
        BootstrapWire.bind(tcpServer, address);
    }

    @Override
    public boolean isActive() {
        return tcpServer.isActive();
    }

    @Override
    public InetSocketAddress localAddress() {
        return tcpServer.localAddress();
    }

    @Override
    public void read() {
        if (pause == null && pending.size() < server.config().getMaxPendingHandshakes()) {
            tcpServer.read();
        } else {
            readRefused = true;
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        EpollSocketChannel tcp = (EpollSocketChannel) msg;
        if (closed) {
            tcp.unsafe().closeForcibly();
            return;
        }
        if (isTooMany(tcp)) {
            tcp.unsafe().closeForcibly();
            pause();
            return;
        }
        BootstrapWire.configure(tcp);
        Pending handshake = new Pending(tcp);
        tcp.pipeline().addLast(handshake.controlHandler);
        pending.add(handshake);
        ctx.channel().eventLoop().register(tcp).addListener((ChannelFutureListener) registered -> {
            if (!registered.isSuccess()) {
                handshake.drop("it cannot be registered: " + registered.cause());
            }
        });
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        server.tcpReadComplete();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        pause();
        // An accept that failed does not answer the read(): the TCP server would try again at once, for ever.
        tcpServer.config().setAutoRead(true).setAutoRead(false);
        server.pipeline().fireExceptionCaught(cause);
    }

    private boolean isTooMany(EpollSocketChannel tcp) {
        int newest = tcp.fd().intValue();
        opening.removeIf(channel -> channel.isActive() || !channel.isOpen());
        if (Descriptors.sufficeForServer(newest, pending.size() + opening.size() + 1)) {
            return false;
        }
        logger.warn("{} refuses connections: {} of {} file descriptors are in use (see ulimit -n)", server, newest + 1,
                Native.descriptorLimit());
        return true;
    }

    private void pause() {
        if (pause == null && !closed) {
            pause = server.handler().deadlines().schedule(PAUSE_MILLIS, this::pauseOver);
        }
    }

    private void pauseOver() {
        pause = null;
        readRefused = false;
        server.acceptMore();
    }

    /** Nothing more is accepted; what is in its handshake is closed. */
    @Override
    public void close() {
        closed = true;
        if (pause != null) {
            server.handler().deadlines().cancel(pause);
        }
        for (Pending handshake : new ArrayList<>(pending)) {
            handshake.drop("the server was closed");
        }
        if (tcpServer.isRegistered()) {
            tcpServer.close();
        } else {
            tcpServer.unsafe().closeForcibly();
        }
    }

    private void done(Pending handshake) {
        if (!pending.remove(handshake) || closed) {
            return;
        }
        if (pause != null) {
            return;
        }
        if (readRefused) {
            readRefused = false;
            tcpServer.read();
        } else if (pending.isEmpty()) {
            // If they are all gone, the user's read() has not been answered yet.
            server.acceptMore();
        }
    }

    /** An accepted connection that has not said HELLO yet. */
    private final class Pending implements ControlHandler.Listener {
        private final EpollSocketChannel tcp;
        private final ControlHandler controlHandler = new ControlHandler(this);
        private final Deadlines.Deadline deadline;
        private final long end;
        private boolean over;

        Pending(EpollSocketChannel tcp) {
            this.tcp = tcp;
            int millis = server.config().getHandshakeTimeoutMillis();
            end = System.nanoTime() + millis * 1_000_000L;
            deadline = server.handler().deadlines().schedule(millis, () -> drop("no HELLO within " + millis + " ms"));
        }

        private boolean finish() {
            if (over) {
                return false;
            }
            over = true;
            server.handler().deadlines().cancel(deadline);
            return true;
        }

        private void drop(String reason) {
            if (finish()) {
                logger.debug("{} dropped the connection from {}: {}", server, tcp.remoteAddress(), reason);
                if (tcp.isRegistered()) {
                    tcp.close();
                } else {
                    tcp.unsafe().closeForcibly();
                }
                done(this);
            }
        }

        @Override
        public void helloReceived(Hello hello) {
            if (!finish()) {
                return;
            }
            // The connection goes to the event loop of its channel; what it sent meanwhile waits in its handler.
            controlHandler.pause();
            tcp.config().setAutoRead(false);
            // How long it then waits for the user's read() does not count.
            int millisLeft = (int) Math.max(1, (end - System.nanoTime()) / 1_000_000);
            tcp.deregister().addListener((ChannelFutureListener) deregistered -> {
                if (closed || !tcp.isOpen()) {
                    tcp.unsafe().closeForcibly();
                    controlHandler.release();
                } else {
                    UcxSocketChannel channel = new UcxSocketChannel(server, tcp, controlHandler, hello,
                            millisLeft);
                    opening.add(channel);
                    server.accepted(channel);
                }
                done(this);
            });
        }

        @Override
        public void handshakeFailed(RefusedException cause) {
            if (over) {
                return;
            }
            if (cause.refusal() == Refusal.VERSION || cause.refusal() == Refusal.CONNECTOR) {
                tcp.writeAndFlush(ControlCodec.refuse(tcp.alloc(), cause));
            }
            drop(cause.getMessage());
        }

        @Override
        public void finReceived(long total) {
            drop("FIN before the handshake");
        }

        @Override
        public void finAckReceived() {
            drop("FIN_ACK before the handshake");
        }

        @Override
        public void resetReceived(ResetReason reason, long total) {
            drop("RESET before the handshake");
        }

        @Override
        public void refusedReceived(RefusedException cause) {
            drop(cause.getMessage());
        }

        @Override
        public void controlViolated(String what) {
            drop(what);
        }

        @Override
        public void ended(Throwable cause) {
            drop("it ended before HELLO" + (cause == null ? "" : ": " + cause.getMessage()));
        }
    }
}
