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
package org.nettyucx.example.grpc;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.nettyucx.example.ExampleException;
import org.nettyucx.example.grpc.proto.StoreGrpc.StoreStub;

/**
 * Makes a number of calls, so many at a time: the end of one is the beginning of the next one.
 */
final class CallLoop {

    private static final int DEADLINE_SECONDS = 30;

    private final StoreStub stub;
    private final Entries entries;
    private final long count;
    private final AtomicInteger running;
    private final AtomicLong started = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final AtomicReference<ExampleException> failure = new AtomicReference<>();
    private final Latencies latencies = new Latencies();
    private final CompletableFuture<Latencies> result = new CompletableFuture<>();

    CallLoop(StoreStub stub, Entries entries, long count, int concurrency) {
        this.stub = stub;
        this.entries = entries;
        this.count = count;
        running = new AtomicInteger(concurrency);
    }

    /**
     * Starts the calls. The result fails with an {@link ExampleException} if a call fails; then no more are made.
     */
    CompletableFuture<Latencies> start() {
        for (int i = running.get(); i > 0; i--) {
            next();
        }
        return result;
    }

    private void next() {
        long number = failure.get() == null ? started.getAndIncrement() : count;
        if (number < count) {
            Kind kind = Kind.of(number);
            long start = System.nanoTime();
            kind.start(stub.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS), entries, number, cause -> {
                if (cause == null) {
                    latencies.record(kind, System.nanoTime() - start);
                } else {
                    failures.incrementAndGet();
                    failure.compareAndSet(null, new ExampleException("call " + number + " (" + kind + ')', cause));
                }
                next();
            });
        } else if (running.decrementAndGet() == 0) {
            finish();
        }
    }

    private void finish() {
        if (failure.get() == null) {
            result.complete(latencies);
        } else {
            result.completeExceptionally(new ExampleException(failures + " of " + Math.min(started.get(), count)
                    + " calls failed, the first one", failure.get()));
        }
    }
}
