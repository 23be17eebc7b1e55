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

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Waiting for what has no event of its own, and looking at the state of an event loop on its own thread. */
final class Until {
    private Until() {
    }

    /** Waits until the condition, which is asked by the calling thread, holds. */
    static void holds(String what, Callable<Boolean> condition) throws Exception {
        holds(condition, () -> "never came true: " + what);
    }

    /** Waits until the condition holds; otherwise says what was the case instead. */
    static void holds(Callable<Boolean> condition, Supplier<String> otherwise) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TestPeers.TIMEOUT_SECONDS);
        while (!condition.call()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(otherwise.get());
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Waits until the value has not changed for a while. */
    static void steady(String what, LongSupplier value) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TestPeers.TIMEOUT_SECONDS);
        long last = value.getAsLong();
        for (int unchanged = 0; unchanged < 15; unchanged++) {
            Thread.sleep(20);
            long now = value.getAsLong();
            if (now != last) {
                unchanged = 0;
                last = now;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(what + " still changes: " + now);
            }
        }
    }

    /** Runs the action on the event loop and waits for its result. */
    static <T> T onLoop(EventLoop loop, Callable<T> action) {
        return done(loop.submit(action)).getNow();
    }

    /** Waits until the channel's event loop has done everything that it had to do when this was called. */
    static void turn(Channel channel) {
        // A task of a task: what the first tasks have scheduled is done too.
        onLoop(channel.eventLoop(), () -> null);
        onLoop(channel.eventLoop(), () -> null);
    }

    /** Waits for the future, which must succeed. */
    static <F extends Future<?>> F done(F future) {
        if (!future.awaitUninterruptibly(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("not done: " + future);
        }
        if (!future.isSuccess()) {
            throw new AssertionError("failed: " + future, future.cause());
        }
        return future;
    }

    /** Waits for the future, which must fail; returns why it did. */
    static Throwable failed(Future<?> future) {
        if (!future.awaitUninterruptibly(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("not done: " + future);
        }
        if (future.cause() == null) {
            throw new AssertionError("did not fail: " + future);
        }
        return future.cause();
    }
}
