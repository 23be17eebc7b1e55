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

import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class WaitPolicyTest {
    private static final long SPIN = 50_000;
    private static final long SHORT_SPIN = 5_000;

    private static WaitPolicy policy(UcxWaitStrategy strategy) {
        return new WaitPolicy(new UcxIoHandlerConfig().waitStrategy(strategy).maxSpin(50, TimeUnit.MICROSECONDS));
    }

    @Test
    void block() {
        WaitPolicy policy = policy(UcxWaitStrategy.BLOCK);
        for (int i = 0; i < 100; i++) {
            policy.waited(1);
        }
        assertTrue(policy.mayBlock());
        assertEquals(SHORT_SPIN, policy.spinNanos());
    }

    @Test
    void spin() {
        assertFalse(policy(UcxWaitStrategy.SPIN).mayBlock());
    }

    @Test
    void adaptiveLearns() {
        WaitPolicy policy = policy(UcxWaitStrategy.ADAPTIVE);
        assertTrue(policy.mayBlock());
        assertEquals(SHORT_SPIN, policy.spinNanos());
        int fast = 0;
        while (policy.spinNanos() == SHORT_SPIN && fast < 1000) {
            policy.waited(1000);
            fast++;
        }
        assertEquals(SPIN, policy.spinNanos());
        assertTrue(fast > 1 && fast < 50, fast + " short waits");
        int slow = 0;
        while (policy.spinNanos() != SHORT_SPIN && slow < 1000) {
            policy.waited(Long.MAX_VALUE);
            slow++;
        }
        assertTrue(slow < 50, slow + " long waits");
        // However long it was idle, the next burst is learned as quickly as the first.
        for (int i = 0; i < 1000; i++) {
            policy.waited(Long.MAX_VALUE);
        }
        for (int i = 0; i < fast; i++) {
            policy.waited(1000);
        }
        assertEquals(SPIN, policy.spinNanos());
    }

    @Test
    void noSpinAtAll() {
        WaitPolicy policy = new WaitPolicy(new UcxIoHandlerConfig().maxSpin(0, TimeUnit.SECONDS));
        policy.waited(1);
        assertEquals(0, policy.spinNanos());
    }

    @Test
    void napsGrowUntilUcxCanTell() {
        WaitPolicy policy = policy(UcxWaitStrategy.ADAPTIVE);
        long now = Long.MAX_VALUE - 1000;
        assertEquals(0, policy.napNanos(now));
        now += 1_000_000_000;
        long last = 0;
        for (int i = 0; i < 20; i++) {
            long nap = policy.napNanos(now);
            assertTrue(nap >= last && nap > 0 && nap <= 1_000_000, nap + " after " + last);
            last = nap;
            // A nap that brought nothing does not begin all over.
            policy.waitedInVain(nap);
        }
        assertEquals(1_000_000, last);
        policy.armed();
        assertEquals(0, policy.napNanos(now));
        assertTrue(policy.napNanos(now + 1_000_000_000) < last);
        policy.waited(1);
        assertEquals(0, policy.napNanos(now + 2_000_000_000));
    }
}
