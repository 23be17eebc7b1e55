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
import org.openjdk.jmh.annotations.Benchmark;

/** What the handshake costs beside its system calls. */
public class HelloBenchmark extends Microbenchmark {
    /** As long as an address with TCP and shared memory. */
    private final Hello hello = new Hello(1L << 40, 1 << 20, WorkerId.random(), 0, 0, 1 << 16, 8192, 65536,
            new byte[300]);

    @Benchmark
    public int encode() {
        ByteBuf out = ControlCodec.hello(ByteBufAllocator.DEFAULT, hello);
        int length = out.readableBytes();
        out.release();
        return length;
    }

    @Benchmark
    public int encodeAndDecode() throws RefusedException {
        ByteBuf out = ControlCodec.hello(ByteBufAllocator.DEFAULT, hello);
        try {
            return Hello.decode(out.skipBytes(ControlCodec.HANDSHAKE_HEADER_LENGTH)).length();
        } finally {
            out.release();
        }
    }
}
