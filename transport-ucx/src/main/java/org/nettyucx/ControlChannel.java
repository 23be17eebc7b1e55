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
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.Future;
import io.netty.util.internal.SystemPropertyUtil;

import java.net.SocketAddress;
import java.net.SocketException;

/**
 * Stands in for the TCP connection of a channel that has none, as its peer is known by a worker address: carries the
 * control messages over the link, and finds out that the peer is gone, which UCX does not tell. Never seen by users.
 */
final class ControlChannel extends AbstractChannel implements DirectReceiver {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false);
    /** A peer that was silent for so long is taken for dead. */
    private static final int SILENCE_MILLIS = SystemPropertyUtil.getInt("org.nettyucx.silenceMillis", 15_000);
    /** So often a side says something that has nothing to say. */
    private static final int PING_MILLIS = Math.max(1, SILENCE_MILLIS / 4);

    private final ChannelConfig config = new DefaultChannelConfig(this);
    private final SocketAddress remote;
    private UcxIoHandler handler;
    private IoRegistration registration;
    private UcxLink link;
    /** The number of the peer's control channel, or of the server that it is to make one. */
    private long peer;
    private long id;
    private long lastHeard;
    private Deadlines.Deadline ping;
    private boolean open = true;

    /** peer is a server's number on the client's side, the client's control channel on the server's. */
    ControlChannel(SocketAddress remote, long peer) {
        super(null);
        this.remote = remote;
        this.peer = peer;
    }

    /** Sends over this link from now on. */
    void use(UcxLink other) {
        link = other;
    }

    @Override
    public void received(long sender, long address, int length) {
        peer = sender;
        lastHeard = System.nanoTime();
        pipeline().fireChannelRead(NativeMemory.copy(alloc(), address, length)).fireChannelReadComplete();
    }

    private void schedulePing() {
        ping = handler.deadlines().schedule(PING_MILLIS, () -> {
            if (System.nanoTime() - lastHeard > SILENCE_MILLIS * 1_000_000L) {
                unsafe().close(unsafe().voidPromise());
            } else {
                writeAndFlush(ControlCodec.ping(alloc()));
                schedulePing();
            }
        });
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        IoEventLoop loop = (IoEventLoop) eventLoop();
        loop.register((ControlUnsafe) unsafe()).addListener((Future<IoRegistration> registered) -> {
            if (!registered.isSuccess()) {
                promise.setFailure(registered.cause());
                return;
            }
            registration = registered.getNow();
            handler = registration.attachment();
            id = handler.directReceiverOpened(this);
            lastHeard = System.nanoTime();
            schedulePing();
            promise.setSuccess();
        });
    }

    @Override
    protected void doDeregister() {
        if (registration != null) {
            handler.deadlines().cancel(ping);
            handler.directReceiverClosed(id);
            registration.cancel();
            registration = null;
        }
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer buffer) throws Exception {
        for (Object message = buffer.current(); message != null; message = buffer.current()) {
            if (link == null || !link.isOpen()) {
                throw new SocketException("the link is closed");
            }
            link.sendControl(peer, id, ((ByteBuf) message).retain());
            buffer.remove();
        }
    }

    @Override
    protected Object filterOutboundMessage(Object message) {
        ByteBuf buffer = (ByteBuf) message;
        if (buffer.isDirect()) {
            return buffer;
        }
        ByteBuf direct = alloc().directBuffer(buffer.readableBytes()).writeBytes(buffer);
        buffer.release();
        return direct;
    }

    @Override
    protected void doClose() {
        open = false;
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doBind(SocketAddress localAddress) {
        throw new UnsupportedOperationException("a channel by worker address has no local address");
    }

    @Override
    protected void doBeginRead() {
        // What comes is read at once: the handler keeps it if nobody wants it yet.
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop && ((IoEventLoop) loop).isCompatible(ControlUnsafe.class);
    }

    @Override
    protected SocketAddress localAddress0() {
        return null;
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return remote;
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean isActive() {
        return open;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new ControlUnsafe();
    }

    /** Also the handle by which the event loop counts it. */
    private final class ControlUnsafe extends AbstractUnsafe implements UcxIoHandle {
        @Override
        public void connect(SocketAddress remoteAddress, SocketAddress localAddress, ChannelPromise promise) {
            promise.setFailure(new UnsupportedOperationException("it is connected from its beginning"));
        }

        @Override
        public void handle(IoRegistration ioRegistration, IoEvent event) {
            // What comes is dispatched by its number.
        }

        @Override
        public void close() {
            // The channel that it serves decides when.
        }
    }
}
