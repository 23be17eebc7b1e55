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
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultFileRegion;
import io.netty.util.concurrent.Future;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A channel ends while UCX still holds memory of its writes, which therefore must stay as it is. The buffers are
 * unpooled: when one is freed too early, AddressSanitizer sees UCX read it.
 */
class InFlightMemoryTest {
    private static final int MEBIBYTE = 1 << 20;
    /** More than UCX and the kernel take while nobody receives. */
    static final int WINDOW = 32 * MEBIBYTE;

    /** What happens while the sends are not done. */
    enum End { CLOSE, SHUTDOWN_OUTPUT, RESET, LOOP_ENDS, PEER_CLOSES, PEER_RESETS }

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource
    void buffers(End end) throws Exception {
        endOfWriter(end, null);
    }

    /** Its bytes are in buffers that only the sends know of. */
    @ParameterizedTest
    @EnumSource
    void fileRegion(End end) throws Exception {
        byte[] content = new byte[WINDOW];
        for (int i = 0; i < content.length; i++) {
            content[i] = TestBytes.at(i);
        }
        endOfWriter(end, Files.write(directory.resolve("file"), content));
    }

    /** The writer's side of a connection whose reader's event loop does nothing for a while. */
    static final class Writer implements AutoCloseable {
        final ReceivedBytes received = new ReceivedBytes();
        /** The writer's loop waits for its peers only a little when it ends. */
        final TestPeers peers = new TestPeers(new UcxEventLoopGroup(1),
                new UcxEventLoopGroup(1, new UcxIoHandlerConfig().shutdown(100, TimeUnit.MILLISECONDS)));
        final UcxSocketChannel channel;
        final UcxSocketChannel peer;
        final List<ByteBuf> buffers = new ArrayList<>();
        private final CountDownLatch goOn = new CountDownLatch(1);
        private final Future<?> busy;

        /** The action is the first that the reader's loop does afterwards. */
        Writer(Consumer<UcxSocketChannel> action) throws Exception {
            peers.option(ChannelOption.SO_RCVBUF, WINDOW)
                    .option(ChannelOption.ALLOCATOR, UnpooledByteBufAllocator.DEFAULT).listen(() -> received);
            channel = peers.connect(new ReceivedBytes());
            peer = peers.accepted();
            busy = peer.eventLoop().submit(() -> {
                assertTrue(goOn.await(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS));
                action.accept(peer);
                return null;
            });
        }

        /** Writes more than the window, in buffers of every kind. */
        void writeBuffers() {
            long offset = 0;
            for (int i = 0; offset < WINDOW + 8 * MEBIBYTE; i++) {
                ByteBuf buffer = buffer(channel.alloc(), i, offset);
                offset += buffer.readableBytes();
                buffers.add(buffer);
                channel.write(buffer);
            }
            channel.flush();
        }

        private static ByteBuf buffer(ByteBufAllocator allocator, int kind, long offset) {
            switch (kind % 4) {
                case 0:
                    return TestBytes.write(allocator.directBuffer(MEBIBYTE), offset, MEBIBYTE);
                case 1:
                    // Copied, and not on its own.
                    return TestBytes.write(allocator.directBuffer(500), offset, 500);
                case 2:
                    ByteBuf whole = TestBytes.write(allocator.directBuffer(MEBIBYTE).writeZero(77), offset, 700_000);
                    return whole.skipBytes(77);
                default:
                    return allocator.compositeBuffer().addComponents(true,
                            TestBytes.write(allocator.directBuffer(300_000), offset, 300_000),
                            TestBytes.write(allocator.directBuffer(3), offset + 300_000, 3),
                            TestBytes.write(allocator.directBuffer(200_000), offset + 300_003, 200_000));
            }
        }

        /** Waits until UCX has got the whole window, with which it cannot be done. */
        void awaitInFlight() throws Exception {
            Until.holds("the window is used up", () -> WINDOW == Until.onLoop(channel.eventLoop(),
                    () -> channel.connection().sent()));
            assertTrue(operations() > 0, "UCX has finished with everything");
        }

        int operations() {
            return Until.onLoop(channel.eventLoop(), () -> channel.connection().handler().operations().inUse());
        }

        /** The reader's loop goes on. */
        void goOn() {
            goOn.countDown();
            Until.done(busy);
        }

        @Override
        public void close() {
            goOn.countDown();
            peers.close();
        }
    }

    private static void end(Writer writer, End end) throws Exception {
        switch (end) {
            case CLOSE:
                writer.channel.close().sync();
                break;
            case SHUTDOWN_OUTPUT:
                writer.channel.shutdownOutput().sync();
                break;
            case RESET:
                writer.channel.config().setSoLinger(0);
                writer.channel.close().sync();
                break;
            case LOOP_ENDS:
                writer.peers.clientGroup.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
                break;
            default:
                break;
        }
    }

    private static void endOfWriter(End end, Path file) throws Exception {
        try (Writer writer = new Writer(peer -> {
            if (end == End.PEER_CLOSES || end == End.PEER_RESETS) {
                peer.config().setSoLinger(end == End.PEER_RESETS ? 0 : -1);
                peer.close();
            }
        })) {
            if (file == null) {
                writer.writeBuffers();
            } else {
                writer.channel.writeAndFlush(new DefaultFileRegion(file.toFile(), 0, Files.size(file)));
            }
            writer.awaitInFlight();
            end(writer, end);
            boolean inFlight = end != End.LOOP_ENDS && writer.operations() > 0;
            boolean held = writer.buffers.stream().anyMatch(buffer -> buffer.refCnt() > 0);
            writer.goOn();
            if (end == End.CLOSE || end == End.SHUTDOWN_OUTPUT) {
                assertTrue(inFlight, "UCX has finished in the middle of the test");
                writer.received.awaitInactive();
                assertEquals(WINDOW, writer.received.count());
                assertEquals(List.of(), writer.received.exceptions());
            }
            TestPeers.awaitClosed(writer.channel);
            TestPeers.awaitClosed(writer.peer);
            // Checks the bytes, too.
            assertTrue(writer.received.count() <= WINDOW);
            WriteTest.awaitReleased(writer.buffers);
            if (end != End.LOOP_ENDS) {
                SharedLinkTest.awaitNoOperation(writer.channel);
            }
            assertTrue(held || !inFlight || file != null, "nothing held the buffers of sends that were not done");
        }
    }
}
