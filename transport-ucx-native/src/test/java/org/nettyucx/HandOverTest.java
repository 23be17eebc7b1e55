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
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.ReferenceCountUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The way of an accepted connection from the server's event loop to the one of its channel, and what can go wrong. */
class HandOverTest {
    private static final int LENGTH = 5000;

    private static void shutDown(EventLoopGroup... groups) {
        for (EventLoopGroup group : groups) {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS);
        }
        for (EventLoopGroup group : groups) {
            assertTrue(group.terminationFuture().awaitUninterruptibly(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS));
        }
    }

    private static void echo(UcxSocketChannel channel, ReceivedBytes received) throws Exception {
        channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(LENGTH), 0, LENGTH));
        received.await(LENGTH);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void manyInFlight(int workers) throws Exception {
        EventLoopGroup boss = new UcxEventLoopGroup(1);
        EventLoopGroup worker = new UcxEventLoopGroup(workers);
        try (TestPeers peers = new TestPeers(boss, new UcxEventLoopGroup(2))) {
            peers.serverBootstrap.group(boss, worker);
            peers.listen(EchoTest.EchoHandler::new);
            for (int round = 0; round < 3; round++) {
                List<ChannelFuture> futures = new ArrayList<>();
                List<ReceivedBytes> received = new ArrayList<>();
                for (int i = 0; i < 32; i++) {
                    received.add(new ReceivedBytes());
                    futures.add(peers.connectLater(received.get(i)));
                }
                for (int i = 0; i < 32; i++) {
                    echo((UcxSocketChannel) futures.get(i).sync().channel(), received.get(i));
                }
                Set<Object> loops = ConcurrentHashMap.newKeySet();
                for (int i = 0; i < 32; i++) {
                    UcxSocketChannel child = peers.accepted();
                    loops.add(child.eventLoop());
                    assertTrue(child.connection().handler() != peers.server().handler());
                    futures.get(i).channel().close();
                    assertEquals(peers.server(), child.parent());
                }
                assertEquals(workers, loops.size());
                for (Object loop : loops) {
                    assertFalse(loop == peers.server().eventLoop());
                }
            }
            // Everything left the server's event loop, links there were none.
            LoopState.await(peers.server(), LoopState.REGISTRATIONS_OF_CHANNEL, 0, 0);
        } finally {
            shutDown(worker);
        }
    }

    @Test
    void childOnTheEventLoopOfItsServer() throws Exception {
        try (TestPeers peers = new TestPeers().listen(EchoTest.EchoHandler::new)) {
            ReceivedBytes received = new ReceivedBytes();
            UcxSocketChannel channel = peers.connect(received);
            echo(channel, received);
            assertEquals(peers.server().eventLoop(), peers.accepted().eventLoop());
        }
    }

    @Test
    void childGroupIsShutDown() throws Exception {
        EventLoopGroup boss = new UcxEventLoopGroup(1);
        EventLoopGroup worker = new UcxEventLoopGroup(1);
        shutDown(worker);
        try (TestPeers peers = new TestPeers(boss, new UcxEventLoopGroup(1))) {
            peers.serverBootstrap.group(boss, worker);
            peers.listen(EchoTest.EchoHandler::new);
            for (int i = 0; i < 3; i++) {
                ChannelFuture future = peers.connectLater(new ReceivedBytes());
                assertTrue(future.await(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS));
                assertNotNull(future.cause());
                TestPeers.awaitClosed(future.channel());
                // With bytes that are still waiting to be read.
                try (ScriptedPeer peer = ScriptedPeer.connect(peers.address())) {
                    peer.tcp(ScriptedPeer.encoded(peer.hello()), ScriptedPeer.encodedFin(0));
                    peer.awaitEnd();
                    assertFalse(peer.hasHello());
                }
            }
            LoopState.await(peers.server(), LoopState.REGISTRATIONS_OF_CHANNEL, 0, 0);
            assertFalse(peers.hasAccepted());
            LoopState.reportLeaks();
        }
    }

    /** The group of the children is not one for UCX. */
    @Test
    void childGroupIsOfAnotherTransport() throws Exception {
        EventLoopGroup worker = new MultiThreadIoEventLoopGroup(1,
                EpollIoHandler.newFactory());
        EventLoopGroup boss = new UcxEventLoopGroup(1);
        try (TestPeers peers = new TestPeers(boss, new UcxEventLoopGroup(1))) {
            peers.serverBootstrap.group(boss, worker);
            peers.listen(EchoTest.EchoHandler::new);
            ChannelFuture future = peers.connectLater(new ReceivedBytes());
            assertTrue(future.await(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS));
            assertNotNull(future.cause());
            LoopState.await(peers.server(), LoopState.REGISTRATIONS_OF_CHANNEL, 0, 0);
        } finally {
            shutDown(worker);
        }
    }

    /** The child's loop is busy, so that everything happens while the child is on the move. */
    @ParameterizedTest
    @ValueSource(strings = {"client closes", "client resets", "client says RESET", "server closes", "FIN"})
    void whileTheChildIsOnTheMove(String what) throws Exception {
        EventLoopGroup boss = new UcxEventLoopGroup(1);
        EventLoopGroup worker = new UcxEventLoopGroup(1);
        CountDownLatch move = new CountDownLatch(1);
        ReceivedBytes childReceived = new ReceivedBytes();
        try (TestPeers peers = new TestPeers(boss, new UcxEventLoopGroup(1))) {
            peers.serverBootstrap.group(boss, worker);
            peers.listen(() -> childReceived);
            worker.execute(() -> awaitQuietly(move));
            try (ScriptedPeer peer = ScriptedPeer.connect(peers.address())) {
                byte[] hello = ScriptedPeer.encoded(peer.hello());
                switch (what) {
                    case "client says RESET":
                        peer.tcp(hello, ScriptedPeer.encodedReset(ResetReason.ABORTED, 0));
                        break;
                    case "FIN":
                        peer.tcp(hello, ScriptedPeer.encodedFin(0));
                        break;
                    default:
                        peer.tcp(hello);
                        break;
                }
                // The inner connection is on neither loop.
                LoopState.await(peers.server(), LoopState.REGISTRATIONS_OF_CHANNEL, 0, 0);
                switch (what) {
                    case "client closes":
                        peer.closeTcp();
                        break;
                    case "client resets":
                        peer.resetTcp();
                        break;
                    case "server closes":
                        peers.server().close().sync();
                        break;
                    default:
                        break;
                }
                move.countDown();
                if ("FIN".equals(what) || "server closes".equals(what)) {
                    peer.awaitHello();
                    peer.ready();
                    peer.await("child", peers::hasAccepted);
                    UcxSocketChannel child = peers.accepted();
                    if ("FIN".equals(what)) {
                        peer.awaitControl(ControlCodec.FIN);
                        childReceived.awaitInactive();
                    } else {
                        assertTrue(child.isActive());
                        peer.data(0, 100);
                        childReceived.await(100);
                        child.close().sync();
                    }
                } else {
                    peer.awaitEnd();
                    // Nothing is left on the child's loop, which never had a channel.
                    awaitNoRegistrations(worker);
                    assertFalse(peers.hasAccepted());
                }
            }
        } finally {
            shutDown(worker);
        }
    }

    private static void awaitNoRegistrations(EventLoopGroup group) throws Exception {
        long deadline = System.nanoTime() + TestPeers.TIMEOUT_SECONDS * 1_000_000_000L;
        while (LoopState.registrations(group.next()) != 0) {
            assertTrue(System.nanoTime() < deadline, "still registered");
            Thread.sleep(1);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertTrue(latch.await(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void peerDiesBeforeReady(boolean reset) throws Exception {
        EventLoopGroup boss = new UcxEventLoopGroup(1);
        EventLoopGroup worker = new UcxEventLoopGroup(1);
        try (TestPeers peers = new TestPeers(boss, new UcxEventLoopGroup(1))) {
            peers.serverBootstrap.group(boss, worker);
            peers.listen(EchoTest.EchoHandler::new);
            for (int i = 0; i < 5; i++) {
                try (ScriptedPeer peer = ScriptedPeer.connect(peers.address())) {
                    peer.tcp(ScriptedPeer.encoded(peer.hello())).awaitHello();
                    if (reset) {
                        peer.resetTcp();
                    } else {
                        peer.closeTcp();
                    }
                }
            }
            awaitNoRegistrations(worker);
            assertFalse(peers.hasAccepted());
            ReceivedBytes received = new ReceivedBytes();
            echo(peers.connect(received), received);
            UcxSocketChannel child = peers.accepted();
            // The dead peers' links go after a grace time; this one is alive.
            LoopState.await(child, LoopState.REGISTRATIONS_OF_CHANNEL, 1, 1);
        } finally {
            shutDown(worker);
        }
    }

    @Test
    void groupIsShutDownWhileTheChildWaitsForReady() throws Exception {
        EventLoopGroup boss = new UcxEventLoopGroup(1);
        EventLoopGroup worker = new UcxEventLoopGroup(1);
        try (TestPeers peers = new TestPeers(boss, new UcxEventLoopGroup(1))) {
            peers.serverBootstrap.group(boss, worker);
            peers.listen(EchoTest.EchoHandler::new);
            try (ScriptedPeer peer = ScriptedPeer.connect(peers.address())) {
                peer.tcp(ScriptedPeer.encoded(peer.hello())).awaitHello();
                shutDown(worker);
                peer.awaitEnd();
            }
            assertFalse(peers.hasAccepted());
        }
    }

    // ---- what the user's handlers may do

    private static final class Throwing extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel channel) {
            throw new IllegalStateException("thrown on purpose");
        }
    }

    private static final class Closing extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel channel) {
            channel.close();
        }
    }

    private static final class ClosingWhenAdded extends ChannelInboundHandlerAdapter {
        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            ctx.close();
        }
    }

    private static final class ClosingWhenRegistered extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRegistered(ChannelHandlerContext ctx) {
            ctx.close();
        }
    }

    private static final class ClosingWhenActive extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            ctx.close();
        }
    }

    private static ChannelHandler handler(String name) {
        switch (name) {
            case "throws":
                return new Throwing();
            case "closes":
                return new Closing();
            case "closes when added":
                return new ClosingWhenAdded();
            case "closes when registered":
                return new ClosingWhenRegistered();
            default:
                return new ClosingWhenActive();
        }
    }

    /** The client is connected, or just failed to be, and then sees the end; the server goes on. */
    @ParameterizedTest
    @ValueSource(strings = {"throws", "closes", "closes when added", "closes when registered", "closes when active"})
    void childHandlerEndsTheChannel(String how) throws Exception {
        EventLoopGroup boss = new UcxEventLoopGroup(1);
        EventLoopGroup worker = new UcxEventLoopGroup(1);
        try (TestPeers peers = new TestPeers(boss, new UcxEventLoopGroup(1))) {
            peers.serverBootstrap.group(boss, worker);
            AtomicInteger count = new AtomicInteger();
            peers.listen(() -> count.getAndIncrement() < 3 ? handler(how) : new EchoTest.EchoHandler());
            for (int i = 0; i < 3; i++) {
                ReceivedBytes received = new ReceivedBytes();
                ChannelFuture future = peers.connectLater(received).sync();
                received.awaitInactive();
                TestPeers.awaitClosed(future.channel());
                assertEquals(List.of(), received.exceptions());
                TestPeers.awaitClosed(peers.accepted());
            }
            awaitNoRegistrations(worker);
            ReceivedBytes received = new ReceivedBytes();
            echo(peers.connect(received), received);
        } finally {
            shutDown(worker);
        }
    }

    /** A handler of the server that sorts out connections before they are registered. */
    @Test
    void serverHandlerClosesTheChild() throws Exception {
        try (TestPeers peers = new TestPeers()) {
            AtomicInteger closed = new AtomicInteger();
            peers.serverBootstrap.handler(new ChannelInitializer<Channel>() {
                @Override
                protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelRead(ChannelHandlerContext ctx, Object msg) {
                            UcxSocketChannel child = (UcxSocketChannel) msg;
                            assertNotNull(child.remoteAddress());
                            assertNotNull(child.localAddress());
                            assertFalse(child.isActive());
                            if (closed.getAndIncrement() < 4) {
                                child.unsafe().closeForcibly();
                                ReferenceCountUtil.release(msg);
                            } else {
                                ctx.fireChannelRead(msg);
                            }
                        }
                    });
                }
            });
            peers.listen(EchoTest.EchoHandler::new);
            for (int i = 0; i < 2; i++) {
                ChannelFuture future = peers.connectLater(new ReceivedBytes());
                assertTrue(future.await(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS));
                assertNotNull(future.cause());
                try (ScriptedPeer peer = ScriptedPeer.connect(peers.address())) {
                    peer.tcp(ScriptedPeer.encoded(peer.hello()), ScriptedPeer.encodedFin(0));
                    peer.awaitEnd();
                }
            }
            LoopState.await(peers.server(), LoopState.REGISTRATIONS_OF_CHANNEL, 0, 0);
            assertFalse(peers.hasAccepted());
            ReceivedBytes received = new ReceivedBytes();
            echo(peers.connect(received), received);
            LoopState.reportLeaks();
        }
    }
}
