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

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;

import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import static org.junit.jupiter.api.Assertions.assertNotNull;

/** A server and a client group in this JVM, and the connections between them. */
final class TestPeers implements AutoCloseable {
    /** Nothing that works takes so long, on the slowest machine; on an emulated one it is set to more. */
    static final long TIMEOUT_SECONDS = Long.getLong("org.nettyucx.test.timeoutSeconds", 30);

    /** The one that tests use which do not say otherwise; see the module's pom.xml. */
    static final UcxConnector CONNECTOR =
            UcxConnector.valueOf(System.getProperty("org.nettyucx.test.connector", UcxConnector.BOOTSTRAP.name()));

    final EventLoopGroup serverGroup;
    final EventLoopGroup clientGroup;
    final ServerBootstrap serverBootstrap;
    final Bootstrap clientBootstrap;
    private final BlockingQueue<UcxSocketChannel> accepted = new LinkedBlockingQueue<>();
    private UcxServerSocketChannel server;

    TestPeers() {
        this(new UcxEventLoopGroup(1));
    }

    private TestPeers(EventLoopGroup group) {
        // UCX's own connection manager is not safe with more than one worker in a process.
        this(group, CONNECTOR == UcxConnector.LISTENER ? group : new UcxEventLoopGroup(1));
    }

    /** The groups may be one and the same. */
    TestPeers(EventLoopGroup serverGroup, EventLoopGroup clientGroup) {
        this.serverGroup = serverGroup;
        this.clientGroup = clientGroup;
        serverBootstrap = new ServerBootstrap().channel(UcxServerSocketChannel.class)
                .option(UcxChannelOption.CONNECTOR, CONNECTOR);
        clientBootstrap = new Bootstrap().group(clientGroup).channel(UcxSocketChannel.class)
                .option(UcxChannelOption.CONNECTOR, CONNECTOR);
    }

    /** Binds to a free port of the loopback address; every accepted channel gets a handler of its own. */
    TestPeers listen(Supplier<? extends ChannelHandler> handlers) {
        serverBootstrap.childHandler(new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                channel.pipeline().addLast(handlers.get());
                accepted.add((UcxSocketChannel) channel);
            }
        });
        if (serverBootstrap.config().group() == null) {
            serverBootstrap.group(serverGroup);
        }
        server = (UcxServerSocketChannel) serverBootstrap.bind("127.0.0.1", 0).syncUninterruptibly().channel();
        return this;
    }

    InetSocketAddress address() {
        return server.localAddress();
    }

    UcxServerSocketChannel server() {
        return server;
    }

    UcxSocketChannel connect(ChannelHandler handler) {
        return (UcxSocketChannel) connectLater(handler).syncUninterruptibly().channel();
    }

    ChannelFuture connectLater(ChannelHandler handler) {
        return clientBootstrap.clone().handler(handler).connect(address());
    }

    /** The next accepted channel. */
    UcxSocketChannel accepted() throws InterruptedException {
        UcxSocketChannel channel = accepted.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        assertNotNull(channel, "no connection was accepted");
        return channel;
    }

    /** A new connection to the server works, to its end. */
    void assertServes() throws Exception {
        ReceivedBytes received = new ReceivedBytes();
        UcxSocketChannel channel = connect(received);
        channel.writeAndFlush(TestBytes.write(channel.alloc().buffer(1000), 0, 1000));
        received.await(1000);
        channel.close().sync();
        awaitClosed(accepted());
    }

    /** Forgets the channels that were accepted. */
    void drainAccepted() {
        accepted.clear();
    }

    boolean hasAccepted() {
        return !accepted.isEmpty();
    }

    <T> TestPeers option(ChannelOption<T> option, T value) {
        clientBootstrap.option(option, value);
        serverBootstrap.childOption(option, value);
        return this;
    }

    TestPeers connector(UcxConnector connector, UcxWire wire) {
        serverBootstrap.option(UcxChannelOption.CONNECTOR, connector).option(UcxChannelOption.WIRE, wire);
        clientBootstrap.option(UcxChannelOption.CONNECTOR, connector).option(UcxChannelOption.WIRE, wire);
        return this;
    }

    /** Waits until the channel is closed. */
    static void awaitClosed(Channel channel) {
        if (!channel.closeFuture().awaitUninterruptibly(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError(channel + " was not closed");
        }
    }

    @Override
    public void close() {
        if (server != null && server.isOpen()) {
            server.close().syncUninterruptibly();
        }
        serverGroup.shutdownGracefully(0, 10, TimeUnit.SECONDS);
        clientGroup.shutdownGracefully(0, 10, TimeUnit.SECONDS);
        serverGroup.terminationFuture().syncUninterruptibly();
        clientGroup.terminationFuture().syncUninterruptibly();
    }
}
