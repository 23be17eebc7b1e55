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

import io.netty.channel.AbstractServerChannel;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.ServerSocketChannel;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.ArrayDeque;

/**
 * Accepts connections over UCX. It listens on a TCP port, where peers shake hands; each one that is a UCX peer becomes
 * a {@link UcxSocketChannel} on the child event loop, active from its first event on. All methods may be called by any
 * thread.
 */
public final class UcxServerSocketChannel extends AbstractServerChannel implements ServerSocketChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    private volatile Acceptor acceptor;
    private final UcxServerSocketChannelConfig config;
    /** Said HELLO (or came to UCX's listener), and wait for the user to read. */
    private final ArrayDeque<UcxSocketChannel> accepted = new ArrayDeque<>();

    private volatile UcxIoHandler handler;
    private boolean readPending;
    private boolean acceptScheduled;
    private volatile boolean open = true;

    /**
     * Makes an unbound server channel.
     *
     * @throws UnsatisfiedLinkError if {@linkplain Ucx UCX is not available}
     * @throws IllegalArgumentException if the system property {@code org.nettyucx.allowedTransports} has a value that
     *         is not allowed
     */
    public UcxServerSocketChannel() {
        Ucx.ensureAvailability();
        // First, as it may throw.
        AllowedTransports allowedTransports = AllowedTransports.ofProperty();
        EpollServerSocketChannel tcp = new EpollServerSocketChannel();
        config = new UcxServerSocketChannelConfig(this, tcp, allowedTransports);
        acceptor = new BootstrapAcceptor(this, tcp);
    }

    @Override
    public UcxServerSocketChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean isActive() {
        return open && acceptor.isActive();
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return null;
    }

    @Override
    protected SocketAddress localAddress0() {
        return acceptor.localAddress();
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new UcxServerUnsafe();
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop && ((IoEventLoop) loop).isCompatible(UcxServerUnsafe.class);
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        if (config.getConnector() == UcxConnector.LISTENER) {
            config.detachTcp();
            acceptor.close();
            acceptor = new ListenerAcceptor(this);
        }
        UcxIoHandler.join(eventLoop(), (UcxServerUnsafe) unsafe(), acceptor instanceof ListenerAcceptor, promise,
                joined -> {
                    handler = joined;
                    acceptor.register(joined, promise);
                });
    }

    @Override
    protected void doDeregister() {
        if (handler != null) {
            handler.leave((UcxServerUnsafe) unsafe());
        }
    }

    /**
     * Returns where clients reach this server that is bound to {@link UcxWorkerAddress#any()}, or {@code null} if it is
     * not. It changes if the event loop's worker has to be replaced (after a process was killed while it wrote to
     * shared memory); clients that have the former one are not accepted any more.
     */
    public UcxWorkerAddress workerAddress() {
        Acceptor current = acceptor;
        return current instanceof DirectAcceptor ? ((DirectAcceptor) current).address() : null;
    }

    @Override
    protected void doBind(SocketAddress localAddress) throws Exception {
        if (localAddress instanceof UcxWorkerAddress && !(acceptor instanceof DirectAcceptor)) {
            if (!localAddress.equals(UcxWorkerAddress.any()) || config.getConnector() != UcxConnector.BOOTSTRAP) {
                throw new SocketException("cannot bind to " + localAddress + ": only to UcxWorkerAddress.any(), with " +
                        "CONNECTOR BOOTSTRAP");
            }
            DirectAcceptor direct = new DirectAcceptor(this);
            UcxIoHandler.join(eventLoop(), (UcxServerUnsafe) unsafe(), true, newPromise(),
                    joined -> direct.register(joined, newPromise()));
            config.detachTcp();
            acceptor.close();
            acceptor = direct;
        }
        acceptor.bind(localAddress);
    }

    UcxIoHandler handler() {
        return handler;
    }

    @Override
    protected void doBeginRead() {
        readPending = true;
        if (accepted.isEmpty()) {
            acceptor.read();
        } else {
            scheduleAccept();
        }
    }

    void autoReadCleared() {
        if (isRegistered()) {
            EventLoop loop = eventLoop();
            if (loop.inEventLoop()) {
                readPending = false;
            } else {
                loop.execute(() -> {
                    if (!config.isAutoRead()) {
                        readPending = false;
                    }
                });
            }
        }
    }

    /** One turn of accepting TCP connections is over; whether more are wanted does not depend on their HELLO. */
    void tcpReadComplete() {
        if (readPending && config.isAutoRead()) {
            acceptor.read();
        }
    }

    /** Goes on with a read() of the user that has not been answered yet. */
    void acceptMore() {
        if (readPending && accepted.isEmpty()) {
            acceptor.read();
        }
    }

    /** How many channels wait for the user to read. */
    int acceptedCount() {
        return accepted.size();
    }

    /** A peer wants to be accepted; the channel is not registered yet. */
    void accepted(UcxSocketChannel channel) {
        if (!open) {
            channel.unsafe().closeForcibly();
            return;
        }
        accepted.add(channel);
        if (readPending) {
            scheduleAccept();
        }
    }

    private void scheduleAccept() {
        if (!acceptScheduled) {
            acceptScheduled = true;
            eventLoop().execute(() -> {
                acceptScheduled = false;
                fireAccepted();
            });
        }
    }

    // Netty's own transports use the type, too; its methods are not deprecated.
    @SuppressWarnings("deprecation")
    private void fireAccepted() {
        if (!readPending || !open || accepted.isEmpty()) {
            return;
        }
        RecvByteBufAllocator.Handle handle = unsafe().recvBufAllocHandle();
        handle.reset(config);
        handle.attemptedBytesRead(1);
        do {
            UcxSocketChannel channel = accepted.poll();
            handle.lastBytesRead(1);
            handle.incMessagesRead(1);
            readPending = false;
            pipeline().fireChannelRead(channel);
        } while (open && !accepted.isEmpty() && handle.continueReading());
        handle.readComplete();
        pipeline().fireChannelReadComplete();
        // Without autoRead one read() is one turn of accepting, as on any other server channel.
        if (readPending && !accepted.isEmpty()) {
            scheduleAccept();
        }
    }

    @Override
    protected void doClose() {
        open = false;
        acceptor.close();
        for (UcxSocketChannel channel = accepted.poll(); channel != null; channel = accepted.poll()) {
            channel.unsafe().closeForcibly();
        }
        if (!isRegistered()) {
            doDeregister();
        }
    }

    /** What Netty calls for a channel, and the handle that the event loop's handler knows it by. */
    private final class UcxServerUnsafe extends AbstractUnsafe implements UcxIoHandle {
        @Override
        public void connect(SocketAddress remoteAddress, SocketAddress localAddress, ChannelPromise promise) {
            promise.setFailure(new UnsupportedOperationException("a server channel cannot connect"));
        }

        @Override
        public void deregister(ChannelPromise promise) {
            if (isOpen() && isRegistered()) {
                promise.tryFailure(new UnsupportedOperationException(
                        "a UCX server channel cannot leave its event loop"));
            } else {
                super.deregister(promise);
            }
        }

        @Override
        public void handle(IoRegistration ioRegistration, IoEvent event) {
            // Connections are accepted by the TCP server.
        }

        @Override
        public void close() {
            close(voidPromise());
        }
    }
}
