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
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.FileRegion;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.internal.StringUtil;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.List;
import java.util.function.Function;

/**
 * A connection over UCX. Behaves as Netty's other socket channels do: half-closure, back-pressure, {@code SO_LINGER},
 * "Connection reset by peer". It is active when UCX has proved to work in both directions. A write promise succeeds
 * when UCX does not need the memory any more; {@link #close()} still delivers what was written so. A channel that was
 * connected cannot leave its event loop any more: {@link #deregister()} of an open one fails with
 * {@link UnsupportedOperationException}. As with any Netty channel, all methods may be called by any thread.
 */
public final class UcxSocketChannel extends AbstractChannel implements SocketChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);
    /** More pieces than this are copied into one buffer. */
    private static final int MAX_COMPONENTS = 16;

    private Wire wire;
    private final ChannelRecorder recorder = new ChannelRecorder(this);
    private final Connection connection;
    private final UcxSocketChannelConfig config;
    private final OutboundWriter writer;
    private final ReadLoop reader;
    private final ConnectAttempt connectAttempt;

    private ChannelPromise registerPromise;
    private volatile InetSocketAddress local;
    private volatile InetSocketAddress remote;
    private volatile boolean open = true;
    private volatile boolean active;
    private volatile boolean inputShutdown;
    private volatile boolean outputShutdown;

    /**
     * Makes an unconnected channel.
     *
     * @throws UnsatisfiedLinkError if {@linkplain Ucx UCX is not available}
     * @throws IllegalArgumentException if the system property {@code org.nettyucx.allowedTransports} has a value that
     *         is not allowed
     */
    public UcxSocketChannel() {
        this(null, UcxConnector.BOOTSTRAP, UcxWire.NETTY, policyOfClients(), BootstrapWire::new);
    }

    /** An accepted connection that has said HELLO, over TCP or not; the time counts from its registration. */
    UcxSocketChannel(UcxServerSocketChannel parent, Channel tcp, ControlHandler controlHandler, Hello hello,
                     int timeoutMillis) {
        this(parent, UcxConnector.BOOTSTRAP, UcxWire.NETTY, parent.config().allowedTransports(),
                channel -> new BootstrapWire(channel, tcp, controlHandler, hello, timeoutMillis));
        local = wire.localAddress();
        remote = wire.remoteAddress();
    }

    /** A connection request of UCX's listener. */
    UcxSocketChannel(UcxServerSocketChannel parent, UcxListener.Request request) {
        this(parent, UcxConnector.LISTENER, parent.config().getWire(), parent.config().allowedTransports(),
                channel -> EndpointWire.of(channel, parent.config().getWire(), request,
                        parent.config().getHandshakeTimeoutMillis()));
    }

    private static AllowedTransports policyOfClients() {
        Ucx.ensureAvailability();
        return AllowedTransports.ofProperty();
    }

    private UcxSocketChannel(UcxServerSocketChannel parent, UcxConnector connector, UcxWire wireKind,
                             AllowedTransports allowedTransports, Function<UcxSocketChannel, Wire> wires) {
        super(parent);
        wire = wires.apply(this);
        connection = new Connection(this, wire);
        config = new UcxSocketChannelConfig(this, connector, wireKind, wire.tcpConnection(), allowedTransports);
        writer = new OutboundWriter(this, connection);
        reader = new ReadLoop(this, connection);
        connectAttempt = new ConnectAttempt(this);
    }

    // ---- SocketChannel

    @Override
    public ServerSocketChannel parent() {
        return (ServerSocketChannel) super.parent();
    }

    @Override
    public UcxSocketChannelConfig config() {
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
        return active;
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return (InetSocketAddress) super.remoteAddress();
    }

    @Override
    protected SocketAddress localAddress0() {
        return local;
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return remote;
    }

    /**
     * Returns the UCX transports and devices that this connection really uses, like {@code posix/memory} or
     * {@code rc_mlx5/mlx5_0:1}; those that carry the bytes come first. Empty while the channel is not active.
     */
    public List<String> transports() {
        return connectAttempt.transports();
    }

    /** Returns what this channel has done up to now. By any thread; cheap, but not more than a look at the moment. */
    public UcxChannelCounters counters() {
        return recorder.snapshot();
    }

    // ---- half-closure

    @Override
    public boolean isInputShutdown() {
        return inputShutdown || !open;
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShutdown || !open;
    }

    @Override
    public boolean isShutdown() {
        return isInputShutdown() && isOutputShutdown();
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        onEventLoop(() -> {
            if (requireActive(promise)) {
                reader.shutdownInput();
                promise.trySuccess();
            }
        });
        return promise;
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        onEventLoop(() -> {
            if (requireActive(promise)) {
                ((UcxUnsafe) unsafe()).shutdownOutput(promise);
            }
        });
        return promise;
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        shutdownOutput().addListener((ChannelFutureListener) output ->
                shutdownInput().addListener((ChannelFutureListener) input -> {
                    Throwable cause = output.cause() != null ? output.cause() : input.cause();
                    if (cause == null) {
                        promise.trySuccess();
                    } else {
                        promise.tryFailure(cause);
                    }
                }));
        return promise;
    }

    private void onEventLoop(Runnable action) {
        EventLoop loop = eventLoop();
        if (loop.inEventLoop()) {
            action.run();
        } else {
            loop.execute(action);
        }
    }

    private boolean requireActive(ChannelPromise promise) {
        if (!open) {
            promise.tryFailure(new ClosedChannelException());
        } else if (!active) {
            promise.tryFailure(new NotYetConnectedException());
        }
        return active;
    }

    @Override
    protected void doShutdownOutput() {
        outputShutdown = true;
        writer.close();
        connection.shutdownOutput();
    }

    void setInputShutdown() {
        inputShutdown = true;
    }

    // ---- registration

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new UcxUnsafe();
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop && ((IoEventLoop) loop).isCompatible(UcxUnsafe.class);
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        if (config.getConnector() == UcxConnector.LISTENER && wire instanceof BootstrapWire) {
            config.detachTcp();
            wire.abort();
            wire = EndpointWire.of(this, config.getWire(), null, 0);
            connection.use(wire);
        }
        UcxIoHandler.join(eventLoop(), (UcxUnsafe) unsafe(), wire instanceof EndpointWire, promise, handler -> {
            if (parent() != null) {
                registerPromise = promise;
                recorder.opening(remote, true);
            }
            connection.register(handler, eventLoop(), promise);
        });
    }

    @Override
    protected void doDeregister() {
        if (connection.handler() != null) {
            connection.handler().leave((UcxUnsafe) unsafe());
        }
    }

    // ---- opening

    Connection connection() {
        return connection;
    }

    ChannelRecorder recorder() {
        return recorder;
    }

    Wire wire() {
        return wire;
    }

    @Override
    protected void doBind(SocketAddress localAddress) throws Exception {
        wire.bind(localAddress);
        local = wire.localAddress();
    }

    /** The handshake is done. */
    void connectionOpened() {
        local = wire.localAddress();
        remote = wire.remoteAddress();
        active = true;
        connectAttempt.opened();
        recorder.opened();
        if (registerPromise != null) {
            ChannelPromise promise = registerPromise;
            registerPromise = null;
            promise.setSuccess();
        } else {
            connectAttempt.succeeded();
        }
    }

    /** The connection will never be open. */
    void connectionFailed(Throwable cause) {
        recorder.failed(cause);
        if (registerPromise != null) {
            ChannelPromise promise = registerPromise;
            registerPromise = null;
            promise.setFailure(cause);
        } else {
            connectAttempt.failed(cause);
        }
    }

    // ---- reading

    @Override
    protected void doBeginRead() {
        reader.beginRead();
    }

    void autoReadCleared() {
        if (isRegistered()) {
            onEventLoop(() -> {
                if (!config.isAutoRead()) {
                    reader.clearReadPending();
                }
            });
        } else {
            reader.clearReadPending();
        }
    }

    /** Something that the user must hear of has come in. */
    void deliver() {
        reader.deliver();
    }

    void inputEnded() {
        reader.inputEnded();
    }

    void inputFailed(IOException cause) {
        reader.inputFailed(cause);
    }

    void outputFailed(IOException cause) {
        reader.outputFailed(cause);
    }

    // ---- writing

    @Override
    protected Object filterOutboundMessage(Object message) {
        if (message instanceof ByteBuf) {
            ByteBuf buffer = (ByteBuf) message;
            return buffer.isDirect() ? buffer.nioBufferCount() <= MAX_COMPONENTS ? buffer : newDirectBuffer(buffer)
                    : buffer.readableBytes() <= Gather.SMALL ? buffer : newDirectBuffer(buffer);
        }
        if (message instanceof FileRegion) {
            return message;
        }
        throw new UnsupportedOperationException("unsupported message type: " + StringUtil.simpleClassName(message) +
                " (expected: ByteBuf, FileRegion)");
    }

    private ByteBuf newDirectBuffer(ByteBuf buffer) {
        int length = buffer.readableBytes();
        ByteBuf direct = alloc().directBuffer(Math.max(1, length), Math.max(1, length));
        direct.writeBytes(buffer, buffer.readerIndex(), length);
        buffer.release();
        return direct;
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer buffer) throws Exception {
        IOException lost = connection.state().lost();
        if (lost == null) {
            writer.write(buffer);
        } else if (config.isAutoClose()) {
            // Closing the channel is left to the read loop, which first delivers what the peer had sent.
            failFlushed(buffer, lost);
        } else {
            // Netty shuts down the output.
            throw lost;
        }
    }

    private void failFlushed(ChannelOutboundBuffer buffer, IOException cause) {
        // What is here now: a user who writes whenever the channel is writable would keep this busy for ever.
        for (int left = buffer.size(); left > 0 && outboundBuffer() == buffer && buffer.remove(cause); left--) {
            // Each call failed one message.
        }
    }

    ChannelOutboundBuffer outboundBuffer() {
        return unsafe().outboundBuffer();
    }

    /** There is more credit, or a send has completed. */
    void writeMore() {
        if (open) {
            ((UcxUnsafe) unsafe()).flush0();
        }
    }

    void writeCompleted(SendOperation operation) {
        writer.completed(operation);
        writeMore();
    }

    // ---- closing

    long lingerMillis(UcxIoHandlerConfig handlerConfig) {
        int soLinger = config.getSoLinger();
        return soLinger > 0 ? soLinger * 1000L : handlerConfig.lingerMillis();
    }

    @Override
    protected void doClose() {
        open = false;
        active = false;
        inputShutdown = true;
        outputShutdown = true;
        writer.close();
        connection.close(config.getSoLinger() == 0);
        connectAttempt.closed();
        if (registerPromise != null) {
            ChannelPromise promise = registerPromise;
            registerPromise = null;
            promise.tryFailure(new ClosedChannelException());
        }
        if (!isRegistered()) {
            doDeregister();
        }
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    /** What Netty calls for a channel, and the handle that the event loop's handler knows it by. */
    private final class UcxUnsafe extends AbstractUnsafe implements UcxIoHandle {
        @Override
        public void connect(SocketAddress remoteAddress, SocketAddress localAddress, ChannelPromise promise) {
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            connectAttempt.start(remoteAddress, localAddress, promise);
        }

        @Override
        public void deregister(ChannelPromise promise) {
            if (!isOpen() || !isRegistered()) {
                super.deregister(promise);
            } else if (wire.isNew()) {
                wire.deregister(() -> super.deregister(promise));
            } else {
                promise.tryFailure(new UnsupportedOperationException(
                        "a connected UCX channel cannot leave its event loop, whose UCX worker it uses"));
            }
        }

        @Override
        protected void flush0() {
            super.flush0();
        }

        @Override
        public void handle(IoRegistration ioRegistration, IoEvent event) {
            // Events reach the channel through its connection, not through its registration.
        }

        @Override
        public void close() {
            close(voidPromise());
        }
    }
}
