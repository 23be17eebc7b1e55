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

import io.netty.channel.IoHandlerContext;

/**
 * What the epoll handler sees of the event loop during a turn: it may sleep only when {@link UcxIoHandler} says so, and
 * not beyond that one's own deadlines or the end of a nap.
 */
final class EpollContext implements IoHandlerContext {
    private final Deadlines deadlines;
    private IoHandlerContext context;
    private boolean mayBlock;
    private boolean napping;
    private long napEnd;
    private long naps;

    EpollContext(Deadlines deadlines) {
        this.deadlines = deadlines;
    }

    EpollContext of(IoHandlerContext loopContext, boolean sleepAllowed) {
        context = loopContext;
        mayBlock = sleepAllowed;
        return this;
    }

    /** Until {@link #endNap} a sleep lasts at most until then, of System.nanoTime(). */
    void startNap(long end) {
        napEnd = end;
        napping = true;
        naps++;
    }

    void endNap() {
        napping = false;
    }

    @Override
    public boolean canBlock() {
        return mayBlock && context.canBlock();
    }

    @Override
    public long delayNanos(long currentTimeNanos) {
        return Math.min(context.delayNanos(currentTimeNanos), ownNanosLeft(currentTimeNanos));
    }

    @Override
    public long deadlineNanos() {
        // Only tells one deadline from another: if ours is the next one, no other has its number.
        long now = System.nanoTime();
        return ownNanosLeft(now) >= context.delayNanos(now) ? context.deadlineNanos()
                : napping ? Long.MIN_VALUE + naps : -2 - deadlines.first();
    }

    private long ownNanosLeft(long now) {
        long left = deadlines.nanosLeft(now);
        return napping ? Math.min(left, Math.max(0, napEnd - now)) : left;
    }

    @Override
    public void reportActiveIoTime(long activeNanos) {
        context.reportActiveIoTime(activeNanos);
    }

    @Override
    public boolean shouldReportActiveIoTime() {
        return context.shouldReportActiveIoTime();
    }
}
