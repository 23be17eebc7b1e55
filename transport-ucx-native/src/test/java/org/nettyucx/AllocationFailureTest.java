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

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** No memory on the reader's side: the user hears of it, and never gets wrong bytes. */
class AllocationFailureTest {
    private static final int LENGTH = 4 << 20;

    /** Fails once, at the given direct buffer. */
    private static final class FailingAllocator extends AbstractByteBufAllocator {
        private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        private final AtomicInteger left;

        FailingAllocator(int failing) {
            super(true);
            left = new AtomicInteger(failing);
        }

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            return allocator.heapBuffer(initialCapacity, maxCapacity);
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            if (left.getAndDecrement() == 0) {
                throw new OutOfMemoryError("on purpose");
            }
            return allocator.directBuffer(initialCapacity, maxCapacity);
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }

        boolean hasFailed() {
            return left.get() < 0;
        }

        long usedDirectMemory() {
            return allocator.metric().usedDirectMemory();
        }
    }

    /** A buffer for staged bytes, while the user does not read. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void whileStaging(int failing) throws Exception {
        test(failing, false);
    }

    /** A buffer for the user, as well. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 5})
    void whileReading(int failing) throws Exception {
        test(failing, true);
    }

    private static void test(int failing, boolean autoRead) throws Exception {
        ReceivedBytes received = new ReceivedBytes();
        FailingAllocator allocator = new FailingAllocator(failing);
        ReceivedBytes writerSide = new ReceivedBytes();
        try (TestPeers peers = new TestPeers()) {
            peers.serverBootstrap.childOption(ChannelOption.ALLOCATOR, allocator)
                    .childOption(ChannelOption.AUTO_READ, autoRead);
            Queue<ChannelHandler> handlers = new ConcurrentLinkedQueue<>();
            handlers.add(received);
            handlers.add(new EchoTest.EchoHandler());
            peers.listen(handlers::remove);
            UcxSocketChannel client = peers.connect(writerSide);
            UcxSocketChannel server = peers.accepted();
            CloseTest.write(client, 0, LENGTH);
            Until.holds("an allocation has failed", allocator::hasFailed);
            Until.turn(server);
            server.config().setAutoRead(true);
            // Either the channel is closed with the cause, as Netty's transports do it, or nothing is lost.
            Until.holds("the end, or all bytes", () -> received.isInactive() || received.count() == LENGTH);
            if (received.isInactive()) {
                assertFalse(received.exceptions().isEmpty(), "the user was not told");
            }
            assertTrue(received.count() <= LENGTH);
            // The event loop is not harmed: another channel works.
            ReceivedBytes other = new ReceivedBytes();
            UcxSocketChannel channel = peers.connect(other);
            peers.accepted().config().setAutoRead(true);
            CloseTest.write(channel, 0, 100_000);
            other.await(100_000);
        }
        assertEquals(0, allocator.usedDirectMemory());
    }
}
