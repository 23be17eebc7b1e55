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

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

import java.io.IOException;

/** What an event loop without traffic pays for each look at UCX. */
public class PollBenchmark extends Microbenchmark {
    private UcxWorker worker;

    @Setup(Level.Trial)
    public void createWorker() throws IOException {
        Ucx.ensureAvailability();
        worker = new UcxWorker();
    }

    @TearDown(Level.Trial)
    public void destroyWorker() {
        worker.destroy();
    }

    /** The cheapest native method: what is left is the way into native code and back. */
    @Benchmark
    public int crossing() {
        return Native.version();
    }

    /** The same way with {@code ucp_worker_progress} at its end. */
    @Benchmark
    public int poll() throws UcxException {
        return worker.poll();
    }

    /** What comes before sleeping. */
    @Benchmark
    public boolean arm() throws UcxException {
        return worker.arm();
    }
}
