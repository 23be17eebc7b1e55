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
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/** What a flush of many buffers costs before UCX is called: small ones are copied together, large ones are named. */
public class GatherBenchmark extends Microbenchmark {
    @Param({"1", "16", "64"})
    private int buffers;

    @Param({"64", "1024", "4096"})
    private int size;

    private EmbeddedChannel channel;
    private ChannelOutboundBuffer outbound;
    private Gather gather;

    @Setup(Level.Trial)
    public void fill() {
        channel = new EmbeddedChannel();
        outbound = channel.unsafe().outboundBuffer();
        for (int i = 0; i < buffers; i++) {
            ByteBuf buffer = Unpooled.directBuffer(size).writeZero(size);
            outbound.addMessage(buffer, size, channel.newPromise());
        }
        outbound.addFlush();
        gather = new Gather(PooledByteBufAllocator.DEFAULT);
    }

    @TearDown(Level.Trial)
    public void release() {
        gather.release();
        channel.close();
    }

    @Benchmark
    public int gather() throws Exception {
        gather.gather(outbound, 0, Integer.MAX_VALUE);
        int bytes = gather.bytes();
        gather.clear();
        return bytes;
    }
}
