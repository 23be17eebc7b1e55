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

import io.netty.util.concurrent.GlobalEventExecutor;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Counts what an event loop does. On the event loop; the counters may be read by others. */
final class LoopRecorder {
    private static final Set<LoopRecorder> LIVING = ConcurrentHashMap.newKeySet();

    private final Counter connections = new Counter();
    private final Counter links = new Counter();
    private final Counter events = new Counter();
    private final Counter spins = new Counter();
    private final Counter spinsInVain = new Counter();
    private final Counter sleeps = new Counter();
    private final Counter busyArms = new Counter();
    private final Counter naps = new Counter();
    private volatile String thread;
    /** JFR asks for the loops' events. */
    private boolean watched;

    /** The loop begins, or goes on with another thread. */
    void started() {
        thread = Thread.currentThread().getName();
        LIVING.add(this);
    }

    void ended() {
        LIVING.remove(this);
    }

    static List<UcxLoopCounters> snapshots() {
        List<UcxLoopCounters> snapshots = new ArrayList<>();
        LIVING.forEach(loop -> snapshots.add(loop.snapshot()));
        return snapshots;
    }

    private UcxLoopCounters snapshot() {
        return new UcxLoopCounters(thread, (int) connections.get(), (int) links.get(), events.get(), spins.get(),
                spinsInVain.get(), sleeps.get(), busyArms.get(), naps.get());
    }

    void holds(int connectionCount, int linkCount) {
        connections.set(connectionCount);
        links.set(linkCount);
        if (!watched && Counter.isRecorded()) {
            watched = true;
            GlobalEventExecutor.INSTANCE.execute(JfrEvents::watchLoops);
        }
    }

    void handled(int count) {
        events.add(count);
    }

    void spun(boolean inVain) {
        spins.add(1);
        if (inVain) {
            spinsInVain.add(1);
        }
    }

    void sleeps() {
        sleeps.add(1);
    }

    void busy() {
        busyArms.add(1);
    }

    void naps() {
        naps.add(1);
    }
}
