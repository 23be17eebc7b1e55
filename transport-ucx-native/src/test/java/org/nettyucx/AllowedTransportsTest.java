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

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/** Connections that may not use what UCX would use for them fail on both sides, which both are told why. */
class AllowedTransportsTest {
    /** Which side has the policy. */
    enum Side { CLIENT, CHILD, SERVER, PROPERTY }

    private final ProbedLoops serverLoops = new ProbedLoops(1);
    private final ProbedLoops clientLoops = new ProbedLoops(1);
    private final TestPeers peers = new TestPeers(serverLoops.group(), clientLoops.group());
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final CompletableFuture<UcxSocketChannel> child = new CompletableFuture<>();
    private final CompletableFuture<Throwable> childFailed = new CompletableFuture<>();
    private UcxServerSocketChannel server;
    private String childPolicy;
    private UcxConnector connector = UcxConnector.BOOTSTRAP;

    @BeforeEach
    void listen() {
        server = new UcxServerSocketChannel();
        server.config().setOption(UcxChannelOption.CONNECTOR, connector);
        // What ServerBootstrap does, but it only logs why a child cannot be registered.
        server.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object msg) {
                UcxSocketChannel accepted = (UcxSocketChannel) msg;
                if (childPolicy != null) {
                    assertTrue(accepted.config().setOption(UcxChannelOption.ALLOWED_TRANSPORTS, childPolicy));
                }
                accepted.pipeline().addLast(new Recorder());
                ctx.channel().eventLoop().register(accepted).addListener(registered -> {
                    if (registered.isSuccess()) {
                        child.complete(accepted);
                    } else {
                        accepted.unsafe().closeForcibly();
                        childFailed.complete(registered.cause());
                    }
                });
            }
        });
        Until.done(serverLoops.group().register(server));
        Until.done(server.bind(new InetSocketAddress("127.0.0.1", 0)));
    }

    @AfterEach
    void close() {
        System.clearProperty(AllowedTransports.PROPERTY);
        Until.done(server.close());
        peers.close();
    }

    /** Of an accepted channel that is never active there is nothing to hear. */
    private final class Recorder extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            events.add("active");
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            events.add(cause.toString());
        }
    }

    private static boolean has(String prefix) {
        return Ucx.transports().stream().anyMatch(name -> name.startsWith(prefix));
    }

    /** The class of what UCX uses here between two event loops. */
    private static String used() {
        return has("rc_") || has("ud_") ? "rdma" : has("posix/") ? "shm" : "tcp";
    }

    private static String notUsed() {
        return used().equals("tcp") ? "rdma" : "tcp";
    }

    private ChannelFuture connect(Side side, String policy) {
        peers.clientBootstrap.option(UcxChannelOption.CONNECTOR, connector);
        switch (side) {
            case CLIENT:
                return peers.clientBootstrap.clone().option(UcxChannelOption.ALLOWED_TRANSPORTS, policy)
                        .handler(new Recorder()).connect(server.localAddress());
            case CHILD:
                childPolicy = policy;
                break;
            case SERVER:
                server.config().setAllowedTransports(policy);
                break;
            default:
                System.setProperty(AllowedTransports.PROPERTY, policy);
                break;
        }
        return peers.clientBootstrap.clone().handler(new Recorder()).connect(server.localAddress());
    }

    private static void assertTells(Throwable cause, String policy) {
        assertInstanceOf(ConnectException.class, cause);
        String message = cause.getMessage();
        assertTrue(message.contains("the connection would use "), message);
        assertTrue(message.contains(", but allowed are only " + policy + "; available to UCX are "), message);
        for (String transport : Ucx.transports()) {
            assertTrue(message.contains(transport), message);
        }
    }

    @ParameterizedTest
    @EnumSource
    void refused(Side side) throws Exception {
        ChannelFuture connect = connect(side, notUsed());
        assertTells(Until.failed(connect), notUsed());
        assertTells(childFailed.get(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS), notUsed());
        TestPeers.awaitClosed(connect.channel());
        clientLoops.awaitIdle(0);
        serverLoops.awaitIdle(1);
        Until.turn(server);
        assertEquals(List.of(), events);
        assertFalse(child.isDone());
        // The next one may.
        System.clearProperty(AllowedTransports.PROPERTY);
        childPolicy = "all";
        connects(Side.CLIENT, used());
    }

    /** Over UCX's listener a server's channel is open when it has answered, so a client may refuse it later. */
    @ParameterizedTest
    @EnumSource
    void refusedOverListener(Side side) throws Exception {
        assumeFalse(used().equals("rdma"), "rdma_cm knows no device for the loopback address");
        Until.done(server.close());
        connector = UcxConnector.LISTENER;
        listen();
        ChannelFuture connect = connect(side, notUsed());
        assertTells(Until.failed(connect), notUsed());
        if (side == Side.CHILD || side == Side.SERVER) {
            assertTells(childFailed.get(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS), notUsed());
            assertEquals(List.of(), events);
        } else {
            Until.holds("the server is told", () -> events.stream().anyMatch(
                    event -> event.contains("but allowed are only " + notUsed())));
            assertEquals("active", events.get(0));
            TestPeers.awaitClosed(child.get(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS));
        }
        TestPeers.awaitClosed(connect.channel());
        clientLoops.awaitIdle(0);
    }

    @ParameterizedTest
    @EnumSource
    void allowed(Side side) throws Exception {
        connects(side, used());
    }

    /** The names of UCX, and more than what is used. */
    @Test
    void names() throws Exception {
        connects(Side.CLIENT, "dc_mlx5, tcp,posix,cma,sysv,rc_verbs,ud_verbs");
    }

    private void connects(Side side, String policy) throws Exception {
        Channel client = Until.done(connect(side, policy)).channel();
        UcxSocketChannel accepted = child.get(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS);
        assertEquals(((UcxSocketChannel) client).transports(), accepted.transports());
        Until.done(client.close());
        Until.done(accepted.close());
    }

    @Test
    void configuration() {
        UcxSocketChannel channel = new UcxSocketChannel();
        assertEquals("all", channel.config().getAllowedTransports());
        assertTrue(channel.config().setOption(UcxChannelOption.ALLOWED_TRANSPORTS, "rdma"));
        assertEquals("rdma", channel.config().getOption(UcxChannelOption.ALLOWED_TRANSPORTS));
        assertEquals("rdma", channel.config().getOptions().get(UcxChannelOption.ALLOWED_TRANSPORTS));
        assertThrows(IllegalArgumentException.class, () -> channel.config().setAllowedTransports("ethernet"));
        channel.unsafe().closeForcibly();
        assertTrue(server.config().setOption(UcxChannelOption.ALLOWED_TRANSPORTS, "shm,tcp"));
        assertEquals("shm,tcp", server.config().getOption(UcxChannelOption.ALLOWED_TRANSPORTS));
        System.setProperty(AllowedTransports.PROPERTY, "tcp");
        assertEquals("shm,tcp", server.config().getAllowedTransports());
        UcxSocketChannel next = new UcxSocketChannel();
        assertEquals("tcp", next.config().getAllowedTransports());
        next.unsafe().closeForcibly();
    }
}
