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

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Waiting for what nobody tells us of. */
final class Conditions {
    private Conditions() {
    }

    /** Waits until the condition holds; otherwise says what was the case instead. */
    static void await(BooleanSupplier condition, Supplier<String> otherwise) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TestPeers.TIMEOUT_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() >= deadline) {
                throw new AssertionError(otherwise.get());
            }
            Thread.sleep(2);
        }
    }

    /** Waits until the value has not changed for a while. */
    static void awaitSteady(LongSupplier value, String what) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TestPeers.TIMEOUT_SECONDS);
        long last = value.getAsLong();
        for (int unchanged = 0; unchanged < 15; unchanged++) {
            Thread.sleep(20);
            long now = value.getAsLong();
            if (now != last) {
                unchanged = 0;
                last = now;
            }
            if (System.nanoTime() >= deadline) {
                throw new AssertionError(what + " still changes: " + now);
            }
        }
    }
}
