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
 * the latest events of UCX: if that was usually shorter than the longest spin, polling pays; else it does not poll at
 * all, so that an idle loop costs nothing.
 */
final class WaitPolicy {
    /** A wait that was longer says no more about the traffic than one that was just too long. */
    private static final int LONGEST_COUNTED = 4;

    private final UcxWaitStrategy strategy;
    private final long maxSpinNanos;
    private long averageWaitNanos;

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
        return strategy == UcxWaitStrategy.ADAPTIVE && averageWaitNanos <= maxSpinNanos ? maxSpinNanos : 0;
    }

    /** Events of UCX came after a wait of this time, spent polling or asleep. */
    void waited(long nanos) {
        averageWaitNanos += (Math.min(nanos, LONGEST_COUNTED * maxSpinNanos) - averageWaitNanos) / 8;
    }
}
