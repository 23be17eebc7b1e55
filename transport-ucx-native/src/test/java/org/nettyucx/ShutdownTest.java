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
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Event loops end, whatever their channels do just then. */
class ShutdownTest {
    /** The loops wait up to 2 s for their peers; more would be a hang. */
    private static final long BOUND_MILLIS = 10_000;

    @Test
    @Timeout(180)
    void hundredTimesInTheMiddleOfEverything() throws Exception {
        long slowest = 0;
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            for (int round = 0; round < 100; round++) {
                slowest = Math.max(slowest, shutDownInTheMiddle(round, silent));
            }
        }
        System.out.println("FIGURES slowest shutdown " + slowest + " ms");
    }

    private static long shutDownInTheMiddle(int round, ServerSocket silent) throws Exception {
        UcxEventLoopGroup serverGroup = new UcxEventLoopGroup(1 + round % 2);
        UcxEventLoopGroup clientGroup = new UcxEventLoopGroup(1 + round / 2 % 2);
        TestPeers peers = new TestPeers(serverGroup, clientGroup).listen(EchoTest.EchoHandler::new);
        List<ChannelFuture> connects = new ArrayList<>();
        List<StreamSource> sources = new ArrayList<>();
        List<ReceivedBytes> readers = new ArrayList<>();
        List<Channel> channels = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            StreamSource source = new StreamSource(Long.MAX_VALUE);
            ReceivedBytes reader = new ReceivedBytes();
            sources.add(source);
            readers.add(reader);
            channels.add(peers.connect(source(source, reader, i % 2 == 0)));
        }
        // The last one is half-closed, the others write, and every other one of them has a peer that does not read.
        UcxSocketChannel idle = peers.connect(new ReceivedBytes());
        idle.shutdownOutput().sync();
        channels.add(idle);
        if (round % 4 == 0) {
            Until.holds(() -> readers.get(0).count() > 100_000, () -> "no echo");
        }
        for (int i = 0; i < 4; i++) {
            connects.add(peers.connectLater(new ReceivedBytes()));
            connects.add(peers.clientBootstrap.clone().handler(new ReceivedBytes())
                    .connect(silent.getInetAddress(), silent.getLocalPort()));
        }
        long start = System.nanoTime();
        switch (round % 3) {
            case 0:
                serverGroup.shutdownGracefully(0, 10, TimeUnit.SECONDS);
                clientGroup.shutdownGracefully(0, 10, TimeUnit.SECONDS);
                break;
            case 1:
                serverGroup.shutdownGracefully(0, 10, TimeUnit.SECONDS);
                awaitTerminated(serverGroup);
                clientGroup.shutdownGracefully(0, 10, TimeUnit.SECONDS);
                break;
            default:
                clientGroup.shutdownGracefully(0, 10, TimeUnit.SECONDS);
                awaitTerminated(clientGroup);
                serverGroup.shutdownGracefully(0, 10, TimeUnit.SECONDS);
                break;
        }
        awaitTerminated(serverGroup);
        awaitTerminated(clientGroup);
        long millis = (System.nanoTime() - start) / 1_000_000;
        for (ChannelFuture connect : connects) {
            assertTrue(connect.isDone(), "a connect() was left open");
            assertFalse(connect.channel().isOpen());
        }
        for (int i = 0; i < sources.size(); i++) {
            assertTrue(sources.get(i).written().isDone(), "a write was left open");
            assertTrue(readers.get(i).isInactive(), "a handler was not told");
        }
        for (Channel channel : channels) {
            assertFalse(channel.isOpen());
        }
        while (peers.hasAccepted()) {
            assertFalse(peers.accepted().isOpen());
        }
        return millis;
    }

    private static ChannelInitializer<SocketChannel> source(StreamSource source, ReceivedBytes reader, boolean read) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                channel.config().setAutoRead(read);
                channel.pipeline().addLast(source, reader);
            }
        };
    }

    private static void awaitTerminated(EventLoopGroup group) throws InterruptedException {
        assertTrue(group.awaitTermination(BOUND_MILLIS, TimeUnit.MILLISECONDS), "the group does not end");
    }

    /** One of the groups has ended before, so that its channels cannot be closed any more. */
    private static void end(TestPeers peers) throws InterruptedException {
        peers.serverGroup.shutdownGracefully(0, 10, TimeUnit.SECONDS);
        peers.clientGroup.shutdownGracefully(0, 10, TimeUnit.SECONDS);
        awaitTerminated(peers.serverGroup);
        awaitTerminated(peers.clientGroup);
    }

    /** What was written before is not lost by the shutdown, of the client's or the server's group. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatWasWrittenArrives(boolean ofServer) throws Exception {
        for (int round = 0; round < 20; round++) {
            int length = round % 2 == 0 ? 1000 : 1 << 20;
            TestPeers peers = new TestPeers();
            ReceivedBytes received = new ReceivedBytes();
            StreamSource source = new StreamSource(length);
            peers.option(ChannelOption.AUTO_READ, false);
            peers.listen(() -> ofServer ? source : received);
            UcxSocketChannel client = peers.connect(ofServer ? received : source);
            UcxSocketChannel accepted = peers.accepted();
            UcxSocketChannel reader = ofServer ? client : accepted;
            source.written().sync();
            EventLoopGroup group = ofServer ? peers.serverGroup : peers.clientGroup;
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS);
            awaitTerminated(group);
            assertTrue(reader.isActive());
            reader.config().setAutoRead(true);
            received.awaitInactive();
            assertEquals(length, received.count());
            assertEquals(List.of(), received.exceptions());
            end(peers);
        }
    }

    /** With its channels in order, a group ends at once, not after the time that it may take. */
    @Test
    void idleGroupsEndAtOnce() throws Exception {
        TestPeers peers = new TestPeers().listen(EchoTest.EchoHandler::new);
        for (int i = 0; i < 50; i++) {
            peers.connect(new ReceivedBytes());
        }
        long start = System.nanoTime();
        peers.clientGroup.shutdownGracefully(0, 10, TimeUnit.SECONDS);
        awaitTerminated(peers.clientGroup);
        long millis = (System.nanoTime() - start) / 1_000_000;
        assertTrue(millis < 1500, "took " + millis + " ms");
        peers.close();
    }

    @Test
    void nothingStartsAfterwards() throws Exception {
        EventLoopGroup group = new UcxEventLoopGroup(1);
        try (TestPeers peers = new TestPeers().listen(EchoTest.EchoHandler::new)) {
            group.next().submit(() -> { }).sync();
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS);
            awaitTerminated(group);
            ChannelFuture late = new Bootstrap().group(group).channel(UcxSocketChannel.class)
                    .handler(new ReceivedBytes()).connect(peers.address());
            assertTrue(late.await(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS));
            assertNotNull(late.cause());
            assertFalse(late.channel().isOpen());
        }
    }

    /** A group that was never used, and one whose loop never ran. */
    @Test
    void unusedGroupsEnd() throws Exception {
        EventLoopGroup group = new UcxEventLoopGroup(8);
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS);
        awaitTerminated(group);
    }

    @Test
    void fromAHandler() throws Exception {
        UcxEventLoopGroup group = new UcxEventLoopGroup(1);
        TestPeers peers = new TestPeers(group, new UcxEventLoopGroup(1)).listen(() ->
                new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext ctx, Object msg) {
                        ctx.writeAndFlush(msg);
                        group.shutdownGracefully(0, 10, TimeUnit.SECONDS);
                    }
                });
        ReceivedBytes received = new ReceivedBytes();
        Channel channel = peers.connect(received);
        channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(5000), 0, 5000)).sync();
        received.awaitInactive();
        assertEquals(5000, received.count());
        assertEquals(List.of(), received.exceptions());
        awaitTerminated(group);
        end(peers);
    }

    @ParameterizedTest
    @ValueSource(strings = {"exit", "return", "hook"})
    void jvmEnds(String how) throws Exception {
        for (int round = 0; round < 5; round++) {
            try (TestProcess child = TestProcess.builder().jvm("-Xmx128m").start(ExitMain.class, how)) {
                child.awaitExit();
                child.assertQuiet();
            }
        }
    }
}
