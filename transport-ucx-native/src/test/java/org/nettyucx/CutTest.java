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

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.SocketChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nettyucx.TcpProxy.Cut;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The TCP connection of a connection is cut while UCX would go on: both sides see it at once, after what had arrived,
 * nothing is left, and other connections over the same link are not disturbed.
 */
class CutTest {
    /** The cut must be noticed in this time. */
    private static final long NOTICED_MILLIS = 1000;
    private static final int CLOSED_BYTES = 500_000;
    private static final int ECHOED_BYTES = 3_000_000;
    private static final int BYSTANDER_BYTES = 40_000_000;

    private final ProbedLoops serverLoops = new ProbedLoops(1);
    private final ProbedLoops clientLoops = new ProbedLoops(1);
    private final TestPeers peers = new TestPeers(serverLoops.group(), clientLoops.group());
    private volatile Side next;
    private TcpProxy proxy;

    @BeforeEach
    void listen() throws IOException {
        peers.listen(() -> next == null ? new EchoTest.EchoHandler() : next.initializer());
        proxy = new TcpProxy(peers.address());
    }

    @AfterEach
    void close() throws IOException {
        proxy.close();
        peers.close();
    }

    /** What the connection does when it is cut. */
    private enum Activity {
        IDLE, CLIENT_SENDS, SERVER_SENDS, BOTH_SEND,
        /** The server has not read anything of what the client sends. */
        SERVER_PAUSED,
        /** The client has closed, the server has not read anything. */
        CLIENT_CLOSED
    }

    /** One side of the connection. */
    private static final class Side {
        private final ReceivedBytes received = new ReceivedBytes();
        private final StreamSource source;
        private final boolean reads;

        Side(long bytes, boolean reads) {
            this.reads = reads;
            source = new StreamSource(bytes);
        }

        static Side client(Activity activity) {
            switch (activity) {
                case CLIENT_CLOSED:
                    return new Side(CLOSED_BYTES, true);
                case IDLE:
                case SERVER_SENDS:
                    return new Side(1, true);
                default:
                    return new Side(Long.MAX_VALUE, true);
            }
        }

        static Side server(Activity activity) {
            return new Side(activity == Activity.SERVER_SENDS || activity == Activity.BOTH_SEND ? Long.MAX_VALUE : 1,
                    activity != Activity.SERVER_PAUSED && activity != Activity.CLIENT_CLOSED);
        }

        ChannelHandler initializer() {
            return new ChannelInitializer<SocketChannel>() {
                @Override
                protected void initChannel(SocketChannel channel) {
                    channel.config().setAutoRead(reads);
                    channel.pipeline().addLast(source, received);
                }
            };
        }

        void assertReset() {
            assertEquals(1, received.exceptions().size(), received.exceptions().toString());
            CutTest.assertReset(received.exceptions().get(0));
        }

        void assertWritesFailed() {
            if (source.accepted() > 1) {
                CutTest.assertReset(Until.failed(source.written()));
            }
        }
    }

    private static void assertReset(Throwable cause) {
        assertInstanceOf(IOException.class, cause);
        assertTrue(cause.getMessage().contains("Connection reset by peer"), cause.toString());
    }

    static Stream<Arguments> cuts() {
        return Stream.of(Cut.values()).flatMap(how -> Stream.of(Activity.values()).flatMap(activity ->
                Stream.of(Arguments.of(how, activity, false), Arguments.of(how, activity, true))));
    }

    @ParameterizedTest
    @MethodSource("cuts")
    void cut(Cut how, Activity activity, boolean withBystander) throws Exception {
        Side server = Side.server(activity);
        Side client = Side.client(activity);
        next = server;
        UcxSocketChannel clientChannel = (UcxSocketChannel) Until.done(peers.clientBootstrap.clone()
                .handler(client.initializer()).connect(proxy.address())).channel();
        UcxSocketChannel serverChannel = peers.accepted();
        next = null;
        StreamSource bystander = new StreamSource(BYSTANDER_BYTES);
        ReceivedBytes bystanderReceived = new ReceivedBytes();
        UcxSocketChannel bystanderChannel = withBystander ? peers.connect(new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                channel.pipeline().addLast(bystander, bystanderReceived);
            }
        }) : null;
        awaitActivity(activity, server, client, serverChannel, clientChannel);

        long start = System.nanoTime();
        proxy.cut(how);
        client.received.awaitInactive();
        if (server.reads) {
            server.received.awaitInactive();
        }
        Until.holds(() -> clientChannel.connection().state().isFinished() &&
                serverChannel.connection().state().isFinished(), () -> "the cut was not noticed");
        long millis = (System.nanoTime() - start) / 1_000_000;
        System.out.println("FIGURES " + how + ", " + activity + (withBystander ? ", with a bystander" : "") +
                ": noticed after " + millis + " ms; client got " + client.received.count() + " of " +
                server.source.accepted() + ", server " + serverChannel.connection().inbound().received() + " of " +
                client.source.accepted());
        assertTrue(millis < NOTICED_MILLIS, "noticed after " + millis + " ms");

        if (!server.reads) {
            assertTrue(serverChannel.isActive());
            assertEquals(List.of(), server.received.exceptions());
            long staged = Until.onLoop(serverChannel.eventLoop(),
                    () -> serverChannel.connection().inbound().received());
            serverChannel.config().setAutoRead(true);
            server.received.awaitInactive();
            assertEquals(staged, server.received.count());
        }
        if (activity == Activity.CLIENT_CLOSED) {
            // This direction was done before.
            assertEquals(CLOSED_BYTES, server.received.count());
            assertEquals(List.of(), server.received.exceptions());
            assertEquals(List.of(), client.received.exceptions());
        } else {
            server.assertReset();
            client.assertReset();
            server.assertWritesFailed();
            client.assertWritesFailed();
        }
        TestPeers.awaitClosed(clientChannel);
        TestPeers.awaitClosed(serverChannel);
        if (withBystander) {
            bystanderReceived.await(BYSTANDER_BYTES);
            Until.done(bystanderChannel.close());
        }
        assertNothingIsLeft();
    }

    private static void awaitActivity(Activity activity, Side server, Side client, UcxSocketChannel serverChannel,
                                      UcxSocketChannel clientChannel) throws Exception {
        switch (activity) {
            case IDLE:
                client.received.await(1);
                server.received.await(1);
                break;
            case SERVER_PAUSED:
                Until.holds(() -> client.source.isBlocked() && clientChannel.connection().sendable() == 0,
                        () -> "the credit was not used up");
                Until.holds(() -> serverChannel.connection().inbound().received() >= 1 << 20,
                        () -> "the window was not filled");
                break;
            case CLIENT_CLOSED:
                Until.done(client.source.written());
                Until.done(clientChannel.close());
                Until.holds(() -> serverChannel.connection().state().receive() == CloseState.Receive.ENDED,
                        () -> "no end of the input");
                break;
            default:
                Until.holds(() -> (activity == Activity.SERVER_SENDS || server.received.count() > 4 << 20) &&
                        (activity == Activity.CLIENT_SENDS || client.received.count() > 4 << 20), () -> "no traffic");
                break;
        }
    }

    /** A side that had seen the end before the cut may keep its link; the next connection works all the same. */
    private void assertNothingIsLeft() throws Exception {
        serverLoops.awaitIdle(1);
        clientLoops.awaitIdle(0);
        ReceivedBytes received = new ReceivedBytes();
        UcxSocketChannel channel = (UcxSocketChannel) Until.done(peers.clientBootstrap.clone().handler(received)
                .connect(proxy.address())).channel();
        channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(ECHOED_BYTES), 0, ECHOED_BYTES));
        received.await(ECHOED_BYTES);
        Until.done(channel.close());
        serverLoops.awaitIdle(1);
        clientLoops.awaitIdle(0);
    }

    // ---- in the handshake

    /** The server has answered, the client has not got it. */
    @ParameterizedTest
    @EnumSource
    void cutBeforeTheAnswer(Cut how) throws Exception {
        try (TcpProxy holding = new TcpProxy(peers.address())) {
            holding.holdAnswers();
            ChannelFuture connect = peers.clientBootstrap.clone().handler(new ReceivedBytes())
                    .connect(holding.address());
            Until.holds(() -> holding.fromServer() > 0, () -> "no answer");
            assertFalse(connect.isDone());
            long start = System.nanoTime();
            holding.cut(how);
            assertInstanceOf(IOException.class, Until.failed(connect));
            serverLoops.awaitIdle(1);
            long millis = (System.nanoTime() - start) / 1_000_000;
            System.out.println("FIGURES " + how + " before the answer: noticed after " + millis + " ms");
            assertTrue(millis < NOTICED_MILLIS, "noticed after " + millis + " ms");
        }
        assertFalse(peers.hasAccepted());
        assertNothingIsLeft();
    }

    /** The client has got the answer: either side may be active, or not yet. */
    @ParameterizedTest
    @EnumSource
    void cutAfterTheAnswer(Cut how) throws Exception {
        int connected = 0;
        for (int round = 0; round < 20; round++) {
            ReceivedBytes received = new ReceivedBytes();
            proxy.cutAfterAnswer(how);
            ChannelFuture connect = peers.clientBootstrap.clone().handler(received).connect(proxy.address());
            assertTrue(connect.await(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS));
            if (connect.isSuccess()) {
                connected++;
                received.awaitInactive();
                assertEquals(1, received.exceptions().size(), received.exceptions().toString());
                assertReset(received.exceptions().get(0));
            } else {
                assertInstanceOf(IOException.class, connect.cause());
            }
            TestPeers.awaitClosed(connect.channel());
        }
        System.out.println("FIGURES " + how + " after the answer: " + connected + " of 20 were connected before");
        assertNothingIsLeft();
    }
}
