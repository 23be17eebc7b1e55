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
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Channels between the same two event loops share a link; what happens to one of them does not touch the others. */
class SharedLinkTest {
    private static final int MEBIBYTE = 1 << 20;
    private static final int ECHO = 50_000;

    /** How the one channel ends while its writes are half done. */
    enum End { WRITER_CLOSES, WRITER_RESETS, READER_CLOSES, READER_RESETS }

    private static int links(UcxSocketChannel channel) {
        return Until.onLoop(channel.eventLoop(), () -> channel.connection().handler().linkCount());
    }

    static void awaitNoOperation(UcxSocketChannel... channels) throws Exception {
        for (UcxSocketChannel channel : channels) {
            Until.holds("no send is left on the loop of " + channel, () -> Until.onLoop(channel.eventLoop(), () ->
                    channel.connection().handler().operations().inUse() == 0));
        }
    }

    private static void writeEcho(Channel channel, int round) {
        channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(ECHO), (long) round * ECHO, ECHO));
    }

    @Test
    void oneLinkForAllChannels() throws Exception {
        try (TestPeers peers = new TestPeers().listen(EchoTest.EchoHandler::new)) {
            List<UcxSocketChannel> channels = new ArrayList<>();
            List<ReceivedBytes> received = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                received.add(new ReceivedBytes());
                channels.add(peers.connect(received.get(i)));
            }
            UcxSocketChannel server = peers.accepted();
            assertEquals(1, links(channels.get(0)));
            assertEquals(1, links(server));
            for (UcxSocketChannel channel : channels) {
                CloseTest.write(channel, 0, MEBIBYTE);
            }
            for (ReceivedBytes one : received) {
                one.await(MEBIBYTE);
            }
            for (UcxSocketChannel channel : channels) {
                channel.close().sync();
            }
            assertEquals(1, links(server), "kept for the next channel");
            awaitNoOperation(channels.get(0), server);
        }
    }

    /** Many in parallel: their messages are mixed on the link. */
    @Test
    void parallelStreams() throws Exception {
        try (TestPeers peers = new TestPeers().listen(EchoTest.EchoHandler::new)) {
            List<ReceivedBytes> received = new ArrayList<>();
            List<UcxSocketChannel> channels = new ArrayList<>();
            int[] lengths = {1, 1000, 30_000, 200_000, 3_000_000, 5_000_000};
            for (int length : lengths) {
                received.add(new ReceivedBytes());
                channels.add(peers.connect(received.get(received.size() - 1)));
            }
            int rounds = 5;
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < lengths.length; i++) {
                    CloseTest.write(channels.get(i), (long) round * lengths[i], lengths[i]);
                }
            }
            for (int i = 0; i < lengths.length; i++) {
                received.get(i).await((long) rounds * lengths[i]);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void endOfOneDuringItsWrites(End end) throws Exception {
        for (boolean reading : new boolean[] {true, false}) {
            endOfOneDuringItsWrites(end, reading);
        }
    }

    static void endOfOneDuringItsWrites(End end, boolean reading) throws Exception {
        ReceivedBytes[] victim = new ReceivedBytes[1];
        try (TestPeers peers = new TestPeers()) {
            // More than UCX and the kernel take at once: some sends are pinned when the end comes.
            peers.option(ChannelOption.SO_RCVBUF, reading ? 16 * MEBIBYTE : MEBIBYTE);
            peers.listen(() -> new ChannelInboundHandlerAdapter() {
                @Override
                public void handlerAdded(ChannelHandlerContext ctx) {
                    ChannelHandler handler = victim[0] != null ? victim[0] : new EchoTest.EchoHandler();
                    ctx.pipeline().addLast(handler);
                    if (victim[0] != null) {
                        ctx.channel().config().setAutoRead(reading);
                    }
                }
            });
            List<ReceivedBytes> others = new ArrayList<>();
            List<UcxSocketChannel> channels = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                others.add(new ReceivedBytes());
                channels.add(peers.connect(others.get(i)));
                peers.accepted();
            }
            victim[0] = new ReceivedBytes();
            ReceivedBytes writerSide = new ReceivedBytes();
            UcxSocketChannel writer = peers.connect(writerSide);
            UcxSocketChannel reader = peers.accepted();
            assertEquals(1, links(writer));

            int round = 0;
            for (UcxSocketChannel channel : channels) {
                writeEcho(channel, round);
            }
            List<ByteBuf> buffers = new ArrayList<>();
            List<ChannelFuture> futures = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                ByteBuf buffer = TestBytes.write(writer.alloc().directBuffer(MEBIBYTE), (long) i * MEBIBYTE, MEBIBYTE);
                buffers.add(buffer);
                futures.add(writer.write(buffer));
            }
            writer.flush();
            Until.holds("it is on its way", () -> reading ? victim[0].count() > 0 : Until.onLoop(reader.eventLoop(),
                    () -> reader.connection().inbound().readableBytes()) > 0);
            UcxSocketChannel closing = end == End.WRITER_CLOSES || end == End.WRITER_RESETS ? writer : reader;
            if (end == End.WRITER_RESETS || end == End.READER_RESETS) {
                closing.config().setSoLinger(0);
            }
            closing.close().sync();
            reader.config().setAutoRead(true);
            TestPeers.awaitClosed(writer);
            TestPeers.awaitClosed(reader);
            victim[0].awaitInactive();
            long arrived = victim[0].count();
            for (ChannelFuture future : futures) {
                assertTrue(future.await(TestPeers.TIMEOUT_SECONDS * 1000));
                if (future.isSuccess() && end == End.WRITER_CLOSES) {
                    arrived -= MEBIBYTE;
                } else if (!future.isSuccess()) {
                    assertTrue(future.cause() instanceof IOException, future.toString());
                }
            }
            assertTrue(arrived >= 0, "succeeded writes did not arrive");
            if (end == End.WRITER_CLOSES) {
                assertEquals(List.of(), victim[0].exceptions());
            }

            for (round = 1; round <= 10; round++) {
                for (UcxSocketChannel channel : channels) {
                    writeEcho(channel, round);
                }
            }
            for (ReceivedBytes other : others) {
                other.await((long) round * ECHO);
                assertEquals(List.of(), other.exceptions());
            }
            WriteTest.awaitReleased(buffers);
            awaitNoOperation(writer, reader);
            assertEquals(1, links(writer));
            for (UcxSocketChannel channel : channels) {
                assertTrue(channel.isActive());
                channel.close().sync();
            }
        }
    }

    /** The end of the last channel of a link must not hurt the one that is connected right after it. */
    @ParameterizedTest
    @EnumSource
    void connectRightAfterTheEndOfOne(End end) throws Exception {
        ReceivedBytes[] victim = new ReceivedBytes[1];
        try (TestPeers peers = new TestPeers()) {
            peers.listen(() -> victim[0] == null ? new EchoTest.EchoHandler() : victim[0]);
            for (int round = 0; round < 40; round++) {
                victim[0] = new ReceivedBytes();
                UcxSocketChannel writer = peers.connect(new ReceivedBytes());
                UcxSocketChannel reader = peers.accepted();
                ChannelFuture write = CloseTest.write(writer, 0, 4 * MEBIBYTE);
                Until.holds("it is on its way", () -> victim[0].count() > 0 || write.cause() != null);
                assertNull(write.cause(), "round " + round);
                UcxSocketChannel closing = end == End.WRITER_CLOSES || end == End.WRITER_RESETS ? writer : reader;
                if (end == End.WRITER_RESETS || end == End.READER_RESETS) {
                    closing.config().setSoLinger(0);
                }
                closing.close();
                victim[0] = null;
                ReceivedBytes received = new ReceivedBytes();
                UcxSocketChannel echo = peers.connect(received);
                peers.accepted();
                writeEcho(echo, 0);
                received.await(ECHO);
                assertEquals(List.of(), received.exceptions(), "round " + round);
                echo.close().sync();
            }
        }
    }
}
