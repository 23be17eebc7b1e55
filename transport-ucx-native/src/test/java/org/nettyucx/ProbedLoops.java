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

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.util.concurrent.EventExecutor;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.ToIntFunction;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** An event loop group, and what its loops hold. */
final class ProbedLoops {
    private final List<Loop> loops = new ArrayList<>();
    private final EventLoopGroup group;

    /** A loop as any other, which can be asked. */
    private static final class Loop extends SingleThreadIoEventLoop {
        Loop(IoEventLoopGroup parent, Executor executor, IoHandlerFactory factory) {
            super(parent, executor, factory);
        }

        UcxIoHandler handler() {
            return (UcxIoHandler) ioHandler();
        }

        int registrations() {
            return getNumOfRegisteredChannels();
        }
    }

    ProbedLoops(int threads) {
        this(threads, new UcxIoHandlerConfig());
    }

    ProbedLoops(int threads, UcxIoHandlerConfig config) {
        group = new MultiThreadIoEventLoopGroup(threads, UcxIoHandler.newFactory(config)) {
            @Override
            protected IoEventLoop newChild(Executor executor, IoHandlerFactory factory, Object... arguments) {
                return new Loop(this, executor, factory);
            }
        };
        for (EventExecutor loop : group) {
            loops.add((Loop) loop);
        }
    }

    EventLoopGroup group() {
        return group;
    }

    /** What the handlers hold altogether. */
    record Figures(int connections, int links, int operations, int registrations) {
        @Override
        public String toString() {
            return connections + " connections, " + links + " links, " + operations + " operations, " +
                    registrations + " registrations";
        }
    }

    Figures figures() {
        return new Figures(sum(loop -> loop.handler().connections().size()), sum(loop -> loop.handler().linkCount()),
                sum(loop -> loop.handler().operations().inUse()), sum(Loop::registrations));
    }

    /** Each value is taken on its loop. */
    private int sum(ToIntFunction<Loop> value) {
        int sum = 0;
        for (Loop loop : loops) {
            sum += loop.submit(() -> value.applyAsInt(loop)).syncUninterruptibly().getNow();
        }
        return sum;
    }

    /** Whether messages still reach the UCX workers of all loops. */
    boolean receive() {
        return sum(loop -> ReceiveProbe.reaches(loop.handler()) ? 1 : 0) == loops.size();
    }

    /** Waits until there are no connections and operations any more, and only so many registrations (server: 1). */
    void awaitIdle(int registrations) throws Exception {
        Until.holds(() -> {
            Figures figures = figures();
            return figures.connections == 0 && figures.operations == 0 && figures.registrations == registrations;
        }, () -> "the loops still hold " + figures());
    }

    /** Also waits until the links are gone. */
    void awaitNoLinks() throws Exception {
        Until.holds(() -> figures().links == 0, () -> "the loops still hold " + figures());
    }

    /** Sees to it that the loops use nearly no CPU for a second, during which nothing may happen. */
    void assertAsleep() throws InterruptedException {
        long start = System.nanoTime();
        long cpu = cpuNanos();
        Thread.sleep(1000);
        cpu = cpuNanos() - cpu;
        double share = (double) cpu / (System.nanoTime() - start);
        System.out.printf("FIGURES the loops used %.1f %% of a CPU%n", share * 100);
        assertTrue(share < 0.1, "the loops used " + share + " of a CPU");
    }

    /** The CPU time that the loops' threads have used up to now. */
    long cpuNanos() {
        long nanos = 0;
        for (Loop loop : loops) {
            long thread = loop.submit(() -> Thread.currentThread().getId()).syncUninterruptibly().getNow();
            nanos += ManagementFactory.getThreadMXBean().getThreadCpuTime(thread);
        }
        return nanos;
    }
}
