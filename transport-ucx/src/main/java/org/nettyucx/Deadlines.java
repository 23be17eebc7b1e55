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

import java.util.TreeSet;

/**
 * The timers of one event loop's connections. Kept apart from the event loop's own scheduled tasks because Netty
 * cancels these first when a loop shuts down, just when lingering connections need theirs.
 */
final class Deadlines {
    /** Nothing is scheduled. */
    static final long NONE = Long.MAX_VALUE;

    /** System.nanoTime() may be negative and wrap; times since this origin do not. */
    private final long origin = System.nanoTime();
    private final TreeSet<Deadline> deadlines = new TreeSet<>();
    private long sequence;

    /** One timer, to be cancelled by its owner. */
    static final class Deadline implements Comparable<Deadline> {
        private final long nanos;
        private final long sequence;
        private final Runnable action;

        private Deadline(long nanos, long sequence, Runnable action) {
            this.nanos = nanos;
            this.sequence = sequence;
            this.action = action;
        }

        @Override
        public int compareTo(Deadline other) {
            return nanos != other.nanos ? Long.compare(nanos, other.nanos) : Long.compare(sequence, other.sequence);
        }
    }

    Deadline schedule(long delayMillis, Runnable action) {
        long nanos = System.nanoTime() - origin + Math.min(delayMillis, Long.MAX_VALUE / 4_000_000) * 1_000_000;
        Deadline deadline = new Deadline(nanos, sequence++, action);
        deadlines.add(deadline);
        return deadline;
    }

    /** Forgets the deadline; one that is {@code null} or has passed is ignored. */
    void cancel(Deadline deadline) {
        if (deadline != null) {
            deadlines.remove(deadline);
        }
    }

    boolean isEmpty() {
        return deadlines.isEmpty();
    }

    /** The time left until the first deadline, 0 if it has passed, or {@link #NONE}. */
    long nanosLeft(long now) {
        return deadlines.isEmpty() ? NONE : Math.max(0, deadlines.first().nanos - (now - origin));
    }

    /** Identifies the first deadline among others, or {@link #NONE}. */
    long first() {
        return deadlines.isEmpty() ? NONE : deadlines.first().nanos;
    }

    /** Runs the actions whose time has come. */
    void run(long now) {
        long elapsed = now - origin;
        while (!deadlines.isEmpty() && deadlines.first().nanos <= elapsed) {
            deadlines.pollFirst().action.run();
        }
    }
}
