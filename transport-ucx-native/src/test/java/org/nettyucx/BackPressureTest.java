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
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A peer that does not read stops its writer, and costs no more memory than its window. */
class BackPressureTest {
    private static final int MEBIBYTE = 1 << 20;
    private static final int SMALLEST_WINDOW = 4096;
    /** What a buffer of a few staged bytes may cost. */
    private static final int SLACK = 512 * 1024;

    private final TestPeers peers = new TestPeers();
    private final ReceivedBytes clientReceived = new ReceivedBytes();
    private final ReceivedBytes serverReceived = new ReceivedBytes();
    private UcxSocketChannel client;
    private UcxSocketChannel server;

    private void connect() throws Exception {
        peers.listen(() -> serverReceived);
        client = peers.connect(clientReceived);
        server = peers.accepted();
    }

    @AfterEach
    void close() {
        peers.close();
        assertEquals(List.of(), clientReceived.exceptions());
        assertEquals(List.of(), serverReceived.exceptions());
    }

    private static long sent(UcxSocketChannel channel) {
        return Until.onLoop(channel.eventLoop(), () -> channel.connection().sent());
    }

    private static int staged(UcxSocketChannel channel) {
        return Until.onLoop(channel.eventLoop(), () -> channel.connection().inbound().readableBytes());
    }

    /** Waits until the window of this channel is full, and its peer can do no more. */
    private static void awaitFull(UcxSocketChannel reader, UcxSocketChannel writer) throws Exception {
        int window = reader.config().getReceiveBufferSize();
        Until.holds("the window is full", () -> staged(reader) >= window);
        Until.turn(writer);
        Until.turn(reader);
        assertEquals(window, sent(writer));
        assertEquals(window, staged(reader));
    }

    @ParameterizedTest
    @ValueSource(ints = {SMALLEST_WINDOW, 100_001, MEBIBYTE, 8 * MEBIBYTE})
    void readerThatDoesNotRead(int window) throws Exception {
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        peers.serverBootstrap.childOption(ChannelOption.AUTO_READ, false).childOption(ChannelOption.SO_RCVBUF, window)
                .childOption(ChannelOption.ALLOCATOR, allocator);
        connect();
        assertEquals(window, server.config().getReceiveBufferSize());
        int length = window < MEBIBYTE ? 5 * MEBIBYTE : 20 * MEBIBYTE;
        ChannelFuture last = CloseTest.write(client, 0, length);
        awaitFull(server, client);
        assertEquals(0, serverReceived.count());
        assertFalse(client.isWritable());
        assertFalse(last.isDone());
        long used = allocator.metric().usedDirectMemory();
        assertTrue(used <= 2L * window + SLACK, used + " bytes are used for a window of " + window);
        // A part of it, then all.
        server.read();
        Until.holds("the first bytes are read", () -> serverReceived.count() > 0);
        assertTrue(sent(client) <= serverReceived.count() + window);
        server.config().setAutoRead(true);
        serverReceived.await(length);
        Until.done(last);
        Until.holds("writable again", client::isWritable);
        Until.turn(server);
        assertEquals(0, staged(server));
        Until.holds("all memory is given back", () -> allocator.metric().usedDirectMemory() == 0);
    }

    /** Messages of one byte, and larger ones that leave no room behind them in a buffer. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2047, 2048, 2049})
    void smallMessagesDoNotPinLargeBuffers(int size) throws Exception {
        int window = 64 * 1024;
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        peers.serverBootstrap.childOption(ChannelOption.AUTO_READ, false).childOption(ChannelOption.SO_RCVBUF, window)
                .childOption(ChannelOption.ALLOCATOR, allocator);
        connect();
        UnpooledByteBufAllocator untracked = new UnpooledByteBufAllocator(true, true);
        int length = 2 * window;
        client.eventLoop().submit(() -> {
            for (int done = 0, i = 0; done < length; i++) {
                int piece = Math.min(length - done, i % 2 == 0 ? 1 : size);
                client.writeAndFlush(TestBytes.write(untracked.directBuffer(piece), done, piece));
                done += piece;
            }
        }).sync();
        awaitFull(server, client);
        long used = allocator.metric().usedDirectMemory();
        assertTrue(used <= 4L * window, used + " bytes are used for a window of " + window);
        server.config().setAutoRead(true);
        serverReceived.await(length);
        Until.holds("all memory is given back", () -> allocator.metric().usedDirectMemory() == 0);
    }

    @Test
    void writerHoldsNoMoreThanItsWrites() throws Exception {
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        peers.clientBootstrap.option(ChannelOption.ALLOCATOR, allocator);
        peers.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
        connect();
        int length = 16 * MEBIBYTE;
        ChannelFuture last = CloseTest.write(client, 0, length);
        awaitFull(server, client);
        long used = allocator.metric().usedDirectMemory();
        assertTrue(used <= length, used + " bytes are used for " + length);
        server.config().setAutoRead(true);
        Until.done(last);
        serverReceived.await(length);
        Until.holds("all memory is given back", () -> allocator.metric().usedDirectMemory() == 0);
        Until.holds("no send is left", () -> Until.onLoop(client.eventLoop(), () ->
                client.connection().handler().operations().inUse() == 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {SMALLEST_WINDOW, MEBIBYTE})
    void bothBlockedAtOnce(int window) throws Exception {
        peers.option(ChannelOption.AUTO_READ, false).option(ChannelOption.SO_RCVBUF, window);
        connect();
        int length = window == SMALLEST_WINDOW ? 2 * MEBIBYTE : 20 * MEBIBYTE;
        ChannelFuture fromClient = CloseTest.write(client, 0, length);
        ChannelFuture fromServer = CloseTest.write(server, 0, length);
        awaitFull(server, client);
        awaitFull(client, server);
        client.config().setAutoRead(true);
        clientReceived.await(length);
        assertFalse(fromClient.isDone());
        server.config().setAutoRead(true);
        serverReceived.await(length);
        Until.done(fromClient);
        Until.done(fromServer);
    }

    /** Each side reads only as much as it has written, in one event loop. */
    @Test
    void bothOnOneEventLoop() throws Exception {
        UcxEventLoopGroup group = new UcxEventLoopGroup(1);
        try (TestPeers both = new TestPeers(group, group).listen(EchoTest.EchoHandler::new)) {
            ReceivedBytes received = new ReceivedBytes();
            UcxSocketChannel channel = both.connect(received);
            CloseTest.write(channel, 0, 20 * MEBIBYTE);
            received.await(20 * MEBIBYTE);
        }
    }

    @Test
    void writabilityChanges() throws Exception {
        peers.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
        List<Boolean> changes = Collections.synchronizedList(new ArrayList<>());
        peers.listen(() -> serverReceived);
        client = peers.connect(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelWritabilityChanged(ChannelHandlerContext ctx) {
                changes.add(ctx.channel().isWritable());
            }
        });
        server = peers.accepted();
        assertTrue(client.isWritable());
        for (int round = 1; round <= 3; round++) {
            long offset = (round - 1) * 4L * MEBIBYTE;
            int events = 2 * round - 1;
            client.eventLoop().submit(() -> CloseTest.write(client, offset, 4 * MEBIBYTE)).sync();
            assertFalse(client.isWritable());
            Until.holds("told that it is not writable", () -> changes.size() == events);
            server.config().setAutoRead(true);
            serverReceived.await(offset + 4 * MEBIBYTE);
            Until.holds("told that it is writable", () -> changes.size() == events + 1);
            server.config().setAutoRead(false);
        }
        assertEquals(List.of(false, true, false, true, false, true), changes);
    }

    /** What the well-known pump does: writes while the channel is writable. */
    @Test
    void writesWhileWritable() throws Exception {
        int length = 20 * MEBIBYTE;
        peers.listen(() -> serverReceived);
        client = peers.connect(new ChannelInboundHandlerAdapter() {
            private int written;

            @Override
            public void channelActive(ChannelHandlerContext ctx) {
                pump(ctx);
            }

            @Override
            public void channelWritabilityChanged(ChannelHandlerContext ctx) {
                pump(ctx);
            }

            private void pump(ChannelHandlerContext ctx) {
                while (ctx.channel().isWritable() && written < length) {
                    int piece = Math.min(50_000, length - written);
                    ByteBuf buffer = TestBytes.write(ctx.alloc().directBuffer(piece), written, piece);
                    written += piece;
                    ctx.writeAndFlush(buffer);
                }
            }
        });
        serverReceived.await(length);
    }
}
