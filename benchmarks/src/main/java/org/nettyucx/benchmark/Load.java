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
package org.nettyucx.benchmark;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.concurrent.Future;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * What one process does during one measurement: a server or a client with one event loop of its own, and with the same
 * options for every transport.
 */
abstract class Load {
    static final int TIMEOUT_SECONDS = 20;

    final Transport transport;
    final Setup setup;
    final EventLoopGroup group;
    /** The bytes of a message; to be written as retained duplicates, so that filling it costs nothing. */
    final ByteBuf message;

    private final Queue<Channel> channels = new ConcurrentLinkedQueue<>();
    private volatile Throwable failure;
    private volatile boolean closing;

    Load(Transport transport, Setup setup) {
        this.transport = transport;
        this.setup = setup;
        group = new MultiThreadIoEventLoopGroup(1, transport.newIoHandlerFactory());
        message = Unpooled.directBuffer(setup.size()).writeZero(setup.size());
    }

    /** Adds the counters as they are now, and what was seen since the mark before. */
    abstract void mark(ObjectNode mark);

    /** Does something beside the measurement, on the thread that takes the commands. */
    void act(String action) throws Exception {
        throw new IllegalArgumentException("unknown action " + action);
    }

    // ---- options

    Map<ChannelOption<?>, Object> options() {
        WriteBufferWaterMark waterMark =
                new WriteBufferWaterMark(setup.waterMark() / 2, setup.waterMark());
        Map<ChannelOption<?>, Object> options = new HashMap<>(Map.of(
                ChannelOption.ALLOCATOR, ByteBufAllocator.DEFAULT,
                ChannelOption.RECVBUF_ALLOCATOR, new AdaptiveRecvByteBufAllocator(),
                ChannelOption.WRITE_BUFFER_WATER_MARK, waterMark));
        if (!transport.isDomainSocket()) {
            options.put(ChannelOption.TCP_NODELAY, true);
        }
        return options;
    }

    @SuppressWarnings("unchecked")
    ServerBootstrap serverBootstrap(Supplier<List<ChannelHandler>> handlers) {
        ServerBootstrap bootstrap = new ServerBootstrap().group(group).channel(transport.serverChannel())
                .option(ChannelOption.SO_BACKLOG, 1024).childHandler(initializer(handlers));
        options().forEach((option, value) -> bootstrap.childOption((ChannelOption<Object>) option, value));
        return bootstrap;
    }

    @SuppressWarnings("unchecked")
    Bootstrap bootstrap(Supplier<List<ChannelHandler>> handlers) {
        Bootstrap bootstrap = new Bootstrap().group(group).channel(transport.clientChannel())
                .handler(initializer(handlers));
        options().forEach((option, value) -> bootstrap.option((ChannelOption<Object>) option, value));
        return bootstrap;
    }

    private static ChannelInitializer<Channel> initializer(Supplier<List<ChannelHandler>> handlers) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                handlers.get().forEach(channel.pipeline()::addLast);
            }
        };
    }

    // ---- addresses as text

    static String text(SocketAddress address) {
        return address instanceof DomainSocketAddress domain ? domain.path() :
                ((InetSocketAddress) address).getHostString() + ':' + ((InetSocketAddress) address).getPort();
    }

    static SocketAddress address(String text) {
        if (text.startsWith("/")) {
            return new DomainSocketAddress(text);
        }
        int colon = text.lastIndexOf(':');
        return new InetSocketAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }

    // ---- waiting

    /** Takes a channel that is to be closed with this load. */
    Channel await(ChannelFuture channel) throws Exception {
        awaitDone(channel);
        channels.add(channel.channel());
        return channel.channel();
    }

    static void awaitDone(Future<?> future) throws Exception {
        if (!future.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new BenchmarkException("timed out");
        }
        if (!future.isSuccess()) {
            throw new BenchmarkException(String.valueOf(future.cause()), future.cause());
        }
    }

    // ---- failures and the end

    /** Lets the measurement fail, unless it is over already. */
    void failed(Throwable cause) {
        if (!closing && failure == null) {
            failure = cause;
        }
    }

    void ended(Channel channel) {
        failed(new BenchmarkException("the connection was closed: " + channel));
    }

    void checkNotFailed() throws BenchmarkException {
        Throwable cause = failure;
        if (cause != null) {
            throw new BenchmarkException(String.valueOf(cause), cause);
        }
    }

    boolean isClosing() {
        return closing;
    }

    /** Ends the traffic, while the event loop still runs. */
    void endTraffic() throws Exception {
        // By default the connections are closed under it.
    }

    /** Closes the connections and ends the event loop. */
    void end() throws Exception {
        closing = true;
        try {
            endTraffic();
            for (Channel channel : channels) {
                awaitDone(channel.close());
            }
        } finally {
            awaitDone(group.shutdownGracefully(0, 5, TimeUnit.SECONDS));
            message.release();
        }
    }
}
