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

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.management.ManagementFactory;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** Reading, writing and the turns of the event loop make no garbage: it would be collected while messages wait. */
class AllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    /** The smallest object has 16 bytes: even a boxed number for every fourth message would exceed it. */
    private static final int BYTES_PER_MESSAGE = 4;

    static {
        // What it records about every buffer is garbage, too.
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }

    /** Sends back what it gets, without a promise for each message. */
    private static final class Echo extends ChannelInboundHandlerAdapter {
        private volatile long bytes;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            // There is one writer.
            bytes = bytes + ((ByteBuf) msg).readableBytes();
            ctx.write(msg, ctx.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.flush();
        }
    }

    /**
     * Many small messages are copied together; large ones are sent from where they are, and are done only later; those
     * that take more than one read for what came at once go on in a task.
     */
    @ParameterizedTest(name = "{0} B, {1} in flight, {2} reads in a turn")
    @CsvSource({"64, 1, 16, 100000", "64, 64, 1, 100000", "2000, 16, 2, 100000", "60000, 16, 1, 20000"})
    void messagesMakeNoGarbage(int size, int inFlight, int readsInTurn, int messages) throws Exception {
        Echo client = new Echo();
        try (TestPeers peers = new TestPeers().option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                .option(ChannelOption.RECVBUF_ALLOCATOR,
                        new FixedRecvByteBufAllocator(size).maxMessagesPerRead(readsInTurn))
                .listen(Echo::new)) {
            UcxSocketChannel channel = peers.connect(client);
            for (int i = 0; i < inFlight; i++) {
                channel.write(channel.alloc().directBuffer(size).writeZero(size));
            }
            channel.flush();
            long[] loops = {threadOf(channel.eventLoop()), threadOf(peers.accepted().eventLoop())};

            // First the code must be compiled, and all pools must have grown.
            awaitBytes(client, (long) size * messages);
            long[] before = THREADS.getThreadAllocatedBytes(loops);
            long begin = client.bytes;
            awaitBytes(client, begin + (long) size * messages);
            long[] after = THREADS.getThreadAllocatedBytes(loops);

            for (int i = 0; i < loops.length; i++) {
                long garbage = after[i] - before[i];
                assertTrue(garbage < (long) BYTES_PER_MESSAGE * messages,
                        (i == 0 ? "client: " : "server: ") + garbage + " bytes for " + messages + " messages");
            }
        }
    }

    private static void awaitBytes(Echo client, long bytes) throws Exception {
        Until.holds(bytes + " bytes came back", () -> client.bytes >= bytes);
    }

    private static long threadOf(EventLoop loop) {
        return Until.onLoop(loop, () -> Thread.currentThread().getId());
    }
}
