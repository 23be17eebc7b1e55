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

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.FileRegion;
import io.netty.util.AbstractReferenceCounted;
import io.netty.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** What can be written, in every shape; the peer must get the right bytes and every promise must be told in order. */
class WriteTest {
    /** Where buffers come from. */
    enum Source {
        UNPOOLED(UnpooledByteBufAllocator.DEFAULT),
        POOLED(PooledByteBufAllocator.DEFAULT),
        ADAPTIVE(new AdaptiveByteBufAllocator());

        private final ByteBufAllocator allocator;

        Source(ByteBufAllocator allocator) {
            this.allocator = allocator;
        }
    }

    @TempDir
    private Path directory;
    private final ReceivedBytes received = new ReceivedBytes();
    private TestPeers peers;
    private UcxSocketChannel channel;
    /** Of the next byte to be written. */
    private long offset;

    @BeforeEach
    void connect() {
        // More than what lies between the two in UCX and the kernel, so that some sends do not complete at once.
        peers = new TestPeers().option(ChannelOption.SO_RCVBUF, 32 << 20).listen(() -> received);
        channel = peers.connect(new ChannelInboundHandlerAdapter());
    }

    @AfterEach
    void close() {
        channel.close().syncUninterruptibly();
        peers.close();
        assertEquals(List.of(), received.exceptions());
    }

    /** Over tcp a larger one would be put together by UCX, in memory of its own. */
    @Test
    void messagesOverTcpFitIntoASegment() {
        boolean tcp = channel.transports().stream().allMatch(name -> name.startsWith("tcp/"));
        int sendable = Until.onLoop(channel.eventLoop(), () -> channel.connection().sendable());
        assertEquals(tcp ? 255 * 1024 : 1024 * 1024, sendable);
    }

    private ByteBuf fill(ByteBuf buffer, int length) {
        TestBytes.write(buffer, offset, length);
        offset += length;
        return buffer;
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        fill(Unpooled.wrappedBuffer(bytes).clear(), length);
        return bytes;
    }

    // ---- many at once

    /** Untracked buffers: paranoid leak detection takes too long for so many. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void manyTinyWritesInOneFlush(boolean direct) throws Exception {
        ByteBufAllocator allocator = new UnpooledByteBufAllocator(direct, true);
        int writes = 100_000;
        int[] told = new int[1];
        List<String> wrong = new ArrayList<>();
        List<ByteBuf> buffers = new ArrayList<>(writes);
        ChannelFuture last = null;
        for (int i = 0; i < writes; i++) {
            byte[] bytes = bytes(1 + i % 3);
            ByteBuf buffer = direct ? allocator.directBuffer(bytes.length) : allocator.heapBuffer(bytes.length);
            buffers.add(buffer.writeBytes(bytes));
            int number = i;
            last = channel.write(buffer).addListener(future -> {
                if (!future.isSuccess() || told[0] != number) {
                    wrong.add(number + " was told after " + told[0] + ": " + future);
                }
                told[0]++;
            });
        }
        channel.flush();
        Until.done(last);
        received.await(offset);
        assertEquals(List.of(), Until.onLoop(channel.eventLoop(), () -> wrong));
        assertEquals(writes, Until.onLoop(channel.eventLoop(), () -> told[0]));
        awaitReleased(buffers);
    }

    @ParameterizedTest
    @EnumSource
    void buffersOfEveryKindAndSize(Source source) throws Exception {
        ByteBufAllocator allocator = source.allocator;
        int[] sizes = {0, 1, 2, 1022, 1023, Gather.SMALL, Gather.SMALL + 1, 1026, 4096, 65_535, 65_536, 65_537,
            200_000};
        Random random = new Random(42);
        List<ByteBuf> buffers = new ArrayList<>();
        List<ChannelFuture> futures = new ArrayList<>();
        int[] told = new int[1];
        for (int i = 0; i < 1500; i++) {
            int size = random.nextInt(10) == 0 ? sizes[random.nextInt(sizes.length)] : sizes[random.nextInt(8)];
            ByteBuf buffer = buffer(allocator, i % 9, size);
            assertEquals(size, buffer.readableBytes());
            if (size > 0) {
                // Some empty ones are a constant.
                buffers.add(buffer);
            }
            int number = i;
            futures.add(channel.write(buffer).addListener(future -> assertOrder(number, told[0]++)));
            if (random.nextInt(100) == 0) {
                channel.flush();
            }
        }
        channel.flush();
        for (ChannelFuture future : futures) {
            Until.done(future);
        }
        received.await(offset);
        assertEquals(futures.size(), Until.onLoop(channel.eventLoop(), () -> told[0]));
        assertNull(orderError);
        awaitReleased(buffers);
    }

    /** The reader's event loop does nothing for a while: UCX cannot take all, and its completions come late. */
    @Test
    void sendsThatDoNotCompleteAtOnce() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        UcxSocketChannel server = peers.accepted();
        assumeTrue(server.eventLoop() != channel.eventLoop(), "both sides have the same event loop");
        Future<?> busy = server.eventLoop().submit(() -> goOn.await(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS));
        List<ByteBuf> buffers = new ArrayList<>();
        int[] told = new int[1];
        ChannelFuture last = null;
        int[] sizes = {500_000, 3, 70_001, 0, 1024, 1_000_000, 1025};
        for (int i = 0; i < 200; i++) {
            int size = sizes[i % sizes.length];
            ByteBuf buffer = fill(i % 2 == 0 ? channel.alloc().directBuffer(size + 1)
                    : channel.alloc().heapBuffer(size + 1), size);
            buffers.add(buffer);
            int number = i;
            last = channel.write(buffer).addListener(future -> assertOrder(number, told[0]++));
            if (i % 5 == 0) {
                channel.flush();
            }
        }
        channel.flush();
        Until.turn(channel);
        assertFalse(last.isDone());
        assertTrue(Until.onLoop(channel.eventLoop(), () -> channel.connection().handler().operations().inUse()) > 0);
        goOn.countDown();
        Until.done(busy);
        Until.done(last);
        received.await(offset);
        assertNull(orderError);
        awaitReleased(buffers);
        SharedLinkTest.awaitNoOperation(channel);
    }

    private volatile String orderError;

    private void assertOrder(int expected, int actual) {
        if (expected != actual) {
            orderError = "write " + expected + " was told as number " + actual;
        }
    }

    private ByteBuf buffer(ByteBufAllocator allocator, int kind, int size) {
        switch (kind) {
            case 0:
                return fill(allocator.directBuffer(Math.max(1, size)), size);
            case 1:
                return fill(allocator.heapBuffer(Math.max(1, size)), size);
            case 2:
                // Something in front of what is read, and behind it.
                ByteBuf large = allocator.directBuffer(size + 30).writeZero(13);
                return fill(large, size).writeZero(17).readerIndex(13).writerIndex(13 + size);
            case 3:
                ByteBuf sliced = fill(allocator.directBuffer(size + 9).writeZero(9), size);
                ByteBuf slice = sliced.retainedSlice(9, size);
                sliced.release();
                return slice;
            case 4:
                ByteBuf duplicated = fill(allocator.directBuffer(size + 5).writeZero(5), size).skipBytes(5);
                ByteBuf duplicate = duplicated.retainedDuplicate();
                duplicated.release();
                return duplicate;
            case 5:
                return fill(allocator.directBuffer(Math.max(1, size)), size).asReadOnly();
            case 6:
                return Unpooled.wrappedBuffer(bytes(size)).asReadOnly();
            case 7:
                return Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(size).put(bytes(size)).flip());
            default:
                CompositeByteBuf composite = allocator.compositeBuffer(64);
                int first = size / 3;
                composite.addComponent(true, fill(allocator.directBuffer(Math.max(1, first)), first));
                composite.addComponent(true, allocator.directBuffer(1));
                int rest = size - first;
                composite.addComponent(true, fill(rest % 2 == 0 ? allocator.directBuffer(rest + 1)
                        : allocator.heapBuffer(rest + 1), rest));
                return composite;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 15, 16, 17, 63, 64, 65, 300})
    void compositeBuffers(int components) throws Exception {
        List<ByteBuf> buffers = new ArrayList<>();
        // Small ones are copied, large ones named by address; alone in a flush or not.
        for (int size : new int[] {1, 100, 3000}) {
            for (int run = 0; run < 4; run++) {
                CompositeByteBuf composite = channel.alloc().compositeBuffer(Integer.MAX_VALUE);
                for (int i = 0; i < components; i++) {
                    ByteBuf component = run == 2 && i % 3 == 0 ? nested(size)
                            : fill(channel.alloc().directBuffer(size), i % 4 == 3 ? 0 : size);
                    composite.addComponent(true, component);
                }
                if (run == 3 && composite.isReadable()) {
                    // Not from its first byte.
                    int skipped = composite.readableBytes() / 2;
                    int rest = composite.readableBytes() - skipped;
                    offset -= skipped + rest;
                    composite.setIndex(skipped, skipped);
                    fill(composite, rest);
                }
                buffers.add(composite);
                channel.write(composite);
                if (run % 2 == 0) {
                    channel.flush();
                }
            }
        }
        Until.done(channel.writeAndFlush(Unpooled.EMPTY_BUFFER));
        received.await(offset);
        awaitReleased(buffers);
    }

    private ByteBuf nested(int size) {
        CompositeByteBuf inner = channel.alloc().compositeBuffer();
        inner.addComponent(true, fill(channel.alloc().directBuffer(size), size));
        inner.addComponent(true, channel.alloc().directBuffer(1));
        inner.addComponent(true, fill(channel.alloc().directBuffer(size), size));
        return inner;
    }

    @Test
    void emptyBuffersBetweenOthers() throws Exception {
        StringBuffer order = new StringBuffer();
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 100; i++) {
                // The first and the last of a flush are empty, too.
                channel.write(channel.alloc().directBuffer(1)).addListener(future -> order.append('e'));
                channel.write(fill(channel.alloc().directBuffer(1), 1)).addListener(future -> order.append('1'));
                channel.write(channel.alloc().heapBuffer(1)).addListener(future -> order.append('h'));
            }
            channel.flush();
        }
        Until.done(channel.writeAndFlush(Unpooled.EMPTY_BUFFER));
        assertEquals("e1h".repeat(300), order.toString());
        received.await(offset);
        // Nothing but empty ones.
        ChannelFuture alone = channel.write(channel.alloc().directBuffer(1));
        Until.done(channel.writeAndFlush(channel.alloc().heapBuffer(1)));
        assertTrue(alone.isSuccess());
        assertEquals(offset, received.count());
    }

    // ---- promises

    @Test
    void voidPromises() throws Exception {
        List<ByteBuf> buffers = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            ByteBuf buffer = fill(channel.alloc().directBuffer(1500), i * 7 % 1500);
            buffers.add(buffer);
            channel.write(buffer, channel.voidPromise());
        }
        channel.flush();
        received.await(offset);
        awaitReleased(buffers);
    }

    /** Each write is made by the listener of the one before, so inside of the writer's loop. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3000, 40_000})
    void listenerThatWritesAndFlushes(int length) throws Exception {
        int writes = 3000;
        int size = Math.max(1, length / 100);
        ChannelPromise done = channel.newPromise();
        int[] left = {writes};
        ChannelFutureListener again = new ChannelFutureListener() {
            @Override
            public void operationComplete(ChannelFuture future) {
                if (!future.isSuccess()) {
                    done.tryFailure(future.cause());
                } else if (--left[0] == 0) {
                    done.trySuccess();
                } else {
                    // Two of them, so that the flush does not find an empty buffer.
                    channel.write(fill(channel.alloc().directBuffer(size), size));
                    channel.writeAndFlush(fill(channel.alloc().directBuffer(size), size)).addListener(this);
                }
            }
        };
        channel.eventLoop().execute(() ->
                channel.writeAndFlush(fill(channel.alloc().directBuffer(size), size)).addListener(again));
        Until.done(done);
        received.await(Until.onLoop(channel.eventLoop(), () -> offset));
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 2000, 300_000})
    void listenerThatCloses(int size) throws Exception {
        List<ByteBuf> buffers = new ArrayList<>();
        List<ChannelFuture> futures = new ArrayList<>();
        channel.eventLoop().submit(() -> {
            for (int i = 0; i < 40; i++) {
                ByteBuf buffer = fill(channel.alloc().directBuffer(size), size);
                buffers.add(buffer);
                ChannelFuture future = channel.write(buffer);
                if (i == 10) {
                    future.addListener(ChannelFutureListener.CLOSE);
                }
                futures.add(future);
            }
            channel.flush();
        }).sync();
        TestPeers.awaitClosed(channel);
        received.awaitInactive();
        int succeeded = 0;
        for (ChannelFuture future : futures) {
            assertTrue(future.isDone());
            if (future.isSuccess()) {
                assertEquals(succeeded, futures.indexOf(future), "succeeded after one that failed");
                succeeded++;
            } else {
                assertInstanceOf(ClosedChannelException.class, future.cause());
            }
        }
        assertTrue(succeeded > 10, "succeeded: " + succeeded);
        assertTrue(received.count() >= (long) succeeded * size, received.count() + " bytes came");
        assertEquals(List.of(), received.exceptions());
        awaitReleased(buffers);
    }

    @Test
    void cancelledWritesAreNotSent() throws Exception {
        List<ByteBuf> buffers = new ArrayList<>();
        List<ChannelFuture> kept = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            int size = i % 2 == 0 ? 100 : 5000;
            if (i % 3 == 1) {
                ByteBuf cancelled = channel.alloc().directBuffer(size).writeZero(size);
                buffers.add(cancelled);
                ChannelPromise promise = channel.newPromise();
                channel.write(cancelled, promise);
                assertTrue(promise.cancel(false));
            } else {
                ByteBuf buffer = fill(channel.alloc().directBuffer(size), size);
                buffers.add(buffer);
                kept.add(channel.write(buffer));
            }
        }
        channel.flush();
        for (ChannelFuture future : kept) {
            Until.done(future);
            assertFalse(future.cancel(false));
        }
        received.await(offset);
        awaitReleased(buffers);
    }

    @Test
    void wrongTypeOfMessage() throws Exception {
        assertInstanceOf(UnsupportedOperationException.class, Until.failed(channel.writeAndFlush("text")));
        ByteBuf before = fill(channel.alloc().directBuffer(10), 10);
        channel.write(before);
        assertInstanceOf(UnsupportedOperationException.class, Until.failed(channel.write(42)));
        Until.done(channel.writeAndFlush(fill(channel.alloc().directBuffer(10), 10)));
        received.await(offset);
        assertTrue(channel.isActive());
    }

    // ---- file regions

    private Path file(int length) throws IOException {
        return Files.write(directory.resolve("file" + offset), bytes(length));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 65_536, 65_537, 5_000_000})
    void fileRegionBetweenBuffers(int length) throws Exception {
        List<FileRegion> regions = new ArrayList<>();
        List<ChannelFuture> futures = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            futures.add(channel.write(fill(channel.alloc().directBuffer(3000), 3000)));
            FileRegion region = new DefaultFileRegion(file(length).toFile(), 0, length);
            regions.add(region);
            futures.add(channel.write(region));
            futures.add(channel.write(fill(channel.alloc().heapBuffer(100), 100)));
            // Not from the first byte of the file.
            Path file = Files.write(directory.resolve("tail"), new byte[333]);
            Files.write(file, bytes(length), StandardOpenOption.APPEND);
            FileRegion tail = new DefaultFileRegion(FileChannel.open(file), 333, length);
            regions.add(tail);
            futures.add(channel.writeAndFlush(tail));
            Until.done(futures.get(futures.size() - 1));
        }
        for (ChannelFuture future : futures) {
            Until.done(future);
        }
        received.await(offset);
        for (FileRegion region : regions) {
            assertEquals(0, region.refCnt());
            assertEquals(length, region.transferred());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1000, 100_000})
    void fileRegionOfAnotherKind(int piece) throws Exception {
        byte[] content = bytes(700_001);
        PiecewiseRegion region = new PiecewiseRegion(content, content.length, piece);
        channel.write(region);
        Until.done(channel.writeAndFlush(fill(channel.alloc().directBuffer(10), 10)));
        received.await(offset);
        assertEquals(0, region.refCnt());
    }

    @Test
    void fileRegionOfTruncatedFile() throws Exception {
        channel.write(fill(channel.alloc().directBuffer(10), 10));
        FileRegion region = new DefaultFileRegion(file(100_000).toFile(), 0, 100_001);
        long sent = offset;
        ChannelFuture failed = channel.write(region);
        ByteBuf after = channel.alloc().directBuffer(10).writeZero(10);
        ChannelFuture afterFailed = channel.writeAndFlush(after);
        assertInstanceOf(IOException.class, Until.failed(failed));
        Until.failed(afterFailed);
        TestPeers.awaitClosed(channel);
        received.awaitInactive();
        assertTrue(received.count() >= 10 && received.count() <= sent, received.count() + " bytes came");
        assertEquals(0, region.refCnt());
        assertEquals(0, after.refCnt());
    }

    @Test
    void fileRegionThatEndsEarly() throws Exception {
        byte[] content = bytes(100_000);
        PiecewiseRegion region = new PiecewiseRegion(content, 100_001, 3000);
        assertInstanceOf(IOException.class, Until.failed(channel.writeAndFlush(region)));
        TestPeers.awaitClosed(channel);
        received.awaitInactive();
        assertEquals(offset, received.count());
        assertEquals(0, region.refCnt());
    }

    @Test
    void fileRegionThatThrows() throws Exception {
        FileRegion region = new PiecewiseRegion(bytes(10), 100, 10) {
            @Override
            public long transferTo(WritableByteChannel target, long position) throws IOException {
                throw new IOException("read error");
            }
        };
        assertEquals("read error", Until.failed(channel.writeAndFlush(region)).getMessage());
        TestPeers.awaitClosed(channel);
        received.awaitInactive();
        assertEquals(0, region.refCnt());
        assertEquals(0, received.count());
    }

    /** A FileRegion that gives a few bytes at a time. */
    static class PiecewiseRegion extends AbstractReferenceCounted implements FileRegion {
        private final byte[] content;
        private final long count;
        private final int piece;
        private long transferred;

        PiecewiseRegion(byte[] content, long count, int piece) {
            this.content = content;
            this.count = count;
            this.piece = piece;
        }

        @Override
        public long position() {
            return 0;
        }

        @Override
        @Deprecated
        public long transfered() {
            return transferred;
        }

        @Override
        public long transferred() {
            return transferred;
        }

        @Override
        public long count() {
            return count;
        }

        @Override
        public long transferTo(WritableByteChannel target, long position) throws IOException {
            int length = (int) Math.min(piece, content.length - position);
            if (length == 0) {
                return 0;
            }
            int written = target.write(ByteBuffer.wrap(content, (int) position, length));
            transferred += written;
            return written;
        }

        @Override
        public FileRegion retain() {
            super.retain();
            return this;
        }

        @Override
        public FileRegion retain(int increment) {
            super.retain(increment);
            return this;
        }

        @Override
        public FileRegion touch() {
            return this;
        }

        @Override
        public FileRegion touch(Object hint) {
            return this;
        }

        @Override
        protected void deallocate() {
            // Heap memory.
        }
    }

    /** UCX may hold memory a little longer than the bytes need to arrive. */
    static void awaitReleased(List<ByteBuf> buffers) throws Exception {
        Until.holds("all buffers are released", () -> buffers.stream().allMatch(buffer -> buffer.refCnt() == 0));
    }
}
