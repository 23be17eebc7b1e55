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

/**
 * Decides how long an idle event loop polls before it sleeps. An adaptive one learns from how long it had to wait for
 * the latest events of UCX: if that was usually shorter than the longest spin, polling pays; else it polls only for as
 * long as going to sleep would cost anyway, so that an idle loop costs nothing.
 */
final class WaitPolicy {
    /** Going to sleep and being woken costs more, and a peer that answers at once is quicker than that. */
    private static final long SHORT_SPIN_NANOS = 5_000;
    /** A wait that was longer says no more about the traffic than one that was just too long. */
    private static final int LONGEST_COUNTED = 4;
    /** So long is UCX asked again and again whether the loop may sleep. */
    private static final long BUSY_PATIENCE_NANOS = 200_000;
    private static final long SHORTEST_NAP_NANOS = 50_000;
    private static final long LONGEST_NAP_NANOS = 1_000_000;

    private final UcxWaitStrategy strategy;
    private final long maxSpinNanos;
    private long averageWaitNanos;
    private boolean busy;
    private long busySince;
    private long nap;

    WaitPolicy(UcxIoHandlerConfig config) {
        strategy = config.waitStrategy();
        maxSpinNanos = config.maxSpinMicros() * 1000;
        averageWaitNanos = LONGEST_COUNTED * maxSpinNanos;
    }

    boolean mayBlock() {
        return strategy != UcxWaitStrategy.SPIN;
    }

    /** How long to poll now. */
    long spinNanos() {
        if (strategy == UcxWaitStrategy.BLOCK) {
            return SHORT_SPIN_NANOS;
        }
        return averageWaitNanos <= maxSpinNanos ? maxSpinNanos : Math.min(SHORT_SPIN_NANOS, maxSpinNanos);
    }

    /**
     * UCX cannot tell when it must be polled next, as is so over shared memory while sends wait for room at a peer that
     * does not run. A peer that runs makes room in microseconds; one that was stopped must not cost a core for as long.
     *
     * @return how long to sleep before UCX is polled again, 0 for not at all
     */
    long napNanos(long now) {
        if (!busy) {
            busy = true;
            busySince = now;
            nap = SHORTEST_NAP_NANOS;
        }
        if (now - busySince < BUSY_PATIENCE_NANOS) {
            return 0;
        }
        long current = nap;
        nap = Math.min(nap * 2, LONGEST_NAP_NANOS);
        return current;
    }

    /** UCX will tell. */
    void armed() {
        busy = false;
    }

    /** The loop was woken by something else after a wait of this time. */
    void waitedInVain(long nanos) {
        if (nanos > maxSpinNanos) {
            learn(nanos);
        }
    }

    /** Events of UCX came after a wait of this time, spent polling or asleep. */
    void waited(long nanos) {
        busy = false;
        learn(nanos);
    }

    private void learn(long nanos) {
        averageWaitNanos += (Math.min(nanos, LONGEST_COUNTED * maxSpinNanos) - averageWaitNanos) / 8;
    }
}
