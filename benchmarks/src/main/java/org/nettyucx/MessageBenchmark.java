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
import io.netty.buffer.Unpooled;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The way of a message from one worker to itself, without Netty's pipeline: what is left is ours and UCX's. */
public class MessageBenchmark extends Microbenchmark {
    private static final long WINDOW = 1 << 20;

    @Param({"64", "1024"})
    private int size;

    private final InboundBytes inbound = new InboundBytes();
    private UcxWorker worker;
    private long endpoint;
    private long channel;
    private ByteBuf message;
    private ByteBuf received;
    private ByteBuffer iov;
    private long iovAddress;
    private long sent;

    @Setup(Level.Trial)
    public void createWorker() throws IOException {
        Ucx.ensureAvailability();
        worker = new UcxWorker();
        endpoint = worker.createEndpoint(worker.address(), 1);
        channel = worker.openChannel(WINDOW);
        message = Unpooled.directBuffer(size).writeZero(size);
        received = Unpooled.directBuffer(size);
        iov = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder())
                .putLong(0, NativeMemory.address(message, 0, size)).putLong(8, size);
        iovAddress = Native.directBufferAddress(iov);
    }

    @TearDown(Level.Trial)
    public void destroyWorker() {
        Native.endpointClose(endpoint);
        worker.destroy();
        message.release();
        received.release();
    }

    /** Grants, sends, polls, looks at the records, and copies what came, as a channel's read does. */
    @Benchmark
    public int data() throws UcxException {
        worker.grant(channel, sent + WINDOW);
        Native.send(endpoint, Native.MESSAGE_DATA, channel, sent, iovAddress, 1, 0);
        sent += size;
        received.clear();
        while (inbound.received() < sent) {
            int count = worker.poll();
            for (int i = 0; i < count; i++) {
                EventBatch batch = worker.batch();
                if (batch.type(i) == EventBatch.DATA) {
                    inbound.add(batch.value(i), batch.address(i), (int) batch.length(i), ByteBufAllocator.DEFAULT);
                    inbound.readInto(received);
                }
            }
        }
        return received.readableBytes();
    }

    /** Sends a CREDIT and takes its record. */
    @Benchmark
    public long credit() throws UcxException {
        Native.send(endpoint, Native.MESSAGE_CREDIT, channel, sent + WINDOW, 0, 0, 0);
        for (;;) {
            int count = worker.poll();
            for (int i = 0; i < count; i++) {
                if (worker.batch().type(i) == EventBatch.CREDIT) {
                    return worker.batch().value(i);
                }
            }
        }
    }
}
