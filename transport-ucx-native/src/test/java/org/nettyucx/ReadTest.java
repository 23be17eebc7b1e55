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
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Reading by the rules of Netty: what was asked for and no more, in buffers that the allocator decides on. */
class ReadTest {
    /** Counts reads and their ends. */
    private static class Reader extends ReceivedBytes {
        final AtomicInteger reads = new AtomicInteger();
        final AtomicInteger completes = new AtomicInteger();
        /** Of the current turn. */
        private int turnReads;
        volatile String wrong;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            reads.incrementAndGet();
            turnReads++;
            if (!((ByteBuf) msg).isReadable()) {
                wrong = "an empty buffer was read";
            }
            super.channelRead(ctx, msg);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            completes.incrementAndGet();
            if (turnReads == 0) {
                wrong = "channelReadComplete without channelRead";
            }
            turnReads = 0;
        }
    }

    private final Reader reader = new Reader();
    private final TestPeers peers = new TestPeers();
    private UcxSocketChannel client;
    private UcxSocketChannel server;

    private void connect(Reader handler) throws Exception {
        peers.listen(() -> handler);
        client = peers.connect(new ChannelInboundHandlerAdapter());
        server = peers.accepted();
    }

    @AfterEach
    void close() {
        peers.close();
        assertEquals(List.of(), reader.exceptions());
        assertEquals(null, reader.wrong);
    }

    private void write(long offset, int length) {
        client.writeAndFlush(TestBytes.write(client.alloc().directBuffer(length), offset, length));
    }

    /** Waits until this many bytes are on the reader's side, read or not. */
    private void awaitArrived(long bytes) throws Exception {
        Until.holds(bytes + " bytes arrive", () -> Until.onLoop(server.eventLoop(),
                () -> server.connection().inbound().received()) >= bytes);
    }

    @Test
    void byteByByte() throws Exception {
        peers.serverBootstrap.childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(1));
        connect(reader);
        int length = 10_000;
        write(0, length);
        reader.await(length);
        assertEquals(length, reader.reads.get());
        // 16 messages are the default limit of a turn.
        Until.turn(server);
        assertTrue(reader.completes.get() >= length / 16, "turns: " + reader.completes);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 16})
    void oneReadIsOneTurn(int maxMessages) throws Exception {
        peers.serverBootstrap.childOption(ChannelOption.AUTO_READ, false).childOption(ChannelOption.RECVBUF_ALLOCATOR,
                new FixedRecvByteBufAllocator(100).maxMessagesPerRead(maxMessages));
        connect(reader);
        int length = 20_000;
        write(0, length);
        awaitArrived(length);
        Until.turn(server);
        assertEquals(0, reader.reads.get());
        for (int turn = 1; turn <= 5; turn++) {
            server.read();
            int expected = turn;
            Until.holds("turn " + turn, () -> reader.completes.get() >= expected);
            Until.turn(server);
            assertEquals(turn, reader.completes.get());
            // Without autoRead the default allocators want a read() for every message.
            assertEquals(turn, reader.reads.get());
            assertEquals(100L * turn, reader.count());
        }
        server.config().setAutoRead(true);
        reader.await(length);
    }

    /** More than one read() before there is anything is one read(). */
    @Test
    void readWaitsForBytes() throws Exception {
        peers.serverBootstrap.childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(100));
        connect(reader);
        server.read();
        server.read();
        Until.turn(server);
        assertEquals(0, reader.completes.get());
        write(0, 1000);
        reader.await(100);
        awaitArrived(1000);
        Until.turn(server);
        assertEquals(1, reader.completes.get());
        assertEquals(100, reader.count());
    }

    /** As Netty's other transports: a read() of a channel that is not active yet is not lost. */
    @Test
    void readBeforeActive() throws Exception {
        peers.listen(EchoTest.EchoHandler::new);
        UcxSocketChannel channel = new UcxSocketChannel();
        channel.config().setConnector(TestPeers.CONNECTOR).setAutoRead(false);
        channel.config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(100));
        channel.pipeline().addLast(reader);
        Until.done(peers.clientGroup.register(channel));
        channel.read();
        Until.turn(channel);
        Until.done(channel.connect(peers.address()));
        channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(1000), 0, 1000));
        reader.await(100);
        Until.turn(channel);
        assertEquals(1, reader.reads.get());
        channel.config().setAutoRead(true);
        reader.await(1000);
    }

    @Test
    void readInHandlers() throws Exception {
        peers.serverBootstrap.childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(1000));
        Reader again = new Reader() {
            @Override
            public void channelActive(ChannelHandlerContext ctx) {
                ctx.read();
            }

            @Override
            public void channelRead(ChannelHandlerContext ctx, Object msg) {
                super.channelRead(ctx, msg);
                if (reads.get() % 2 == 0) {
                    ctx.read();
                }
            }

            @Override
            public void channelReadComplete(ChannelHandlerContext ctx) {
                super.channelReadComplete(ctx);
                if (reads.get() % 2 != 0) {
                    ctx.read();
                }
            }
        };
        connect(again);
        for (int i = 0; i < 30; i++) {
            write(i * 100_000L, 100_000);
        }
        again.await(3_000_000);
        Until.turn(server);
        assertEquals(again.reads.get(), again.completes.get());
        assertEquals(null, again.wrong);
    }

    /** autoRead is switched off in channelRead: nothing more comes until it is on again. */
    @Test
    void autoReadOffInHandler() throws Exception {
        peers.serverBootstrap.childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(500));
        Reader stopping = new Reader() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object msg) {
                if (!ctx.channel().config().isAutoRead()) {
                    wrong = "read while autoRead was off";
                }
                super.channelRead(ctx, msg);
                ctx.channel().config().setAutoRead(false);
            }
        };
        connect(stopping);
        write(0, 50_000);
        for (int i = 1; i <= 100; i++) {
            stopping.await(500L * i);
            awaitArrived(50_000);
            Until.turn(server);
            assertEquals(i, stopping.reads.get());
            Until.holds("turn " + i + " is complete", () -> !server.config().isAutoRead());
            server.config().setAutoRead(true);
        }
        assertEquals(null, stopping.wrong);
    }

    @Test
    void autoReadToggledByOtherThreads() throws Exception {
        peers.serverBootstrap.childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(3000));
        connect(reader);
        int length = 30 << 20;
        client.eventLoop().execute(() -> {
            for (int done = 0; done < length; done += 1 << 20) {
                write(done, 1 << 20);
            }
        });
        Thread[] togglers = new Thread[2];
        for (int t = 0; t < togglers.length; t++) {
            Random random = new Random(t);
            togglers[t] = new Thread(() -> {
                while (reader.count() < length / 2) {
                    server.config().setAutoRead(random.nextBoolean());
                    if (random.nextInt(10) == 0) {
                        server.read();
                    }
                }
            });
            togglers[t].start();
        }
        for (Thread toggler : togglers) {
            toggler.join();
        }
        // What is off now stays off.
        server.config().setAutoRead(false);
        Until.turn(server);
        int reads = reader.reads.get();
        Until.turn(server);
        assertEquals(reads, reader.reads.get());
        server.config().setAutoRead(true);
        reader.await(length);
        Until.turn(server);
        assertTrue(reader.completes.get() <= reader.reads.get());
    }

    // Netty's own transports use the type, too; its methods are not deprecated.
    @SuppressWarnings("deprecation")
    @Test
    void neverMoreThanTheAllocatorGuesses() throws Exception {
        AtomicInteger guess = new AtomicInteger();
        AdaptiveRecvByteBufAllocator adaptive = new AdaptiveRecvByteBufAllocator(64, 512, 8192);
        peers.serverBootstrap.childOption(ChannelOption.RECVBUF_ALLOCATOR, () ->
                new RecvByteBufAllocator.DelegatingHandle(adaptive.newHandle()) {
                    @Override
                    public ByteBuf allocate(ByteBufAllocator allocator) {
                        guess.set(guess());
                        return delegate().allocate(allocator);
                    }
                });
        AtomicInteger largest = new AtomicInteger();
        Reader measuring = new Reader() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object msg) {
                int length = ((ByteBuf) msg).readableBytes();
                if (length > guess.get()) {
                    wrong = length + " bytes were read, the guess was " + guess;
                }
                largest.accumulateAndGet(length, Math::max);
                super.channelRead(ctx, msg);
            }
        };
        connect(measuring);
        for (int i = 0; i < 20; i++) {
            write(i * 200_000L, 200_000);
        }
        measuring.await(4_000_000);
        assertEquals(null, measuring.wrong);
        assertEquals(8192, largest.get(), "the guess has grown");
    }

    /** A turn has its reads, then one channelReadComplete; see Reader for that there are no others. */
    @Test
    void readCompleteOncePerTurn() throws Exception {
        peers.serverBootstrap.childOption(ChannelOption.RECVBUF_ALLOCATOR,
                new FixedRecvByteBufAllocator(10).maxMessagesPerRead(5));
        connect(reader);
        for (int i = 1; i <= 200; i++) {
            write((i - 1) * 50L, 50);
            reader.await(i * 50L);
        }
        Until.turn(server);
        assertEquals(1000, reader.reads.get());
        assertTrue(reader.completes.get() >= 200, "turns: " + reader.completes);
        assertTrue(reader.completes.get() <= 1000, "turns: " + reader.completes);
    }
}
