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

import java.util.ArrayList;
import java.util.List;

/**
 * Has the worker of an event loop probed, and replaced if it is deaf, after peers have died that wrote into the memory
 * of this process. Handshakes, which name the worker, wait for that. On the event loop.
 */
final class WorkerCheck {
    /** Not at once: peers that died together are looked after together, and a goodbye may come a bit later. */
    static final int DELAY_MILLIS = 5;

    private final UcxIoHandler handler;
    private final List<Runnable> handshakes = new ArrayList<>();
    /** When the worker is probed, or {@code null}. */
    private Deadlines.Deadline probe;
    /** Of peers that wrote into this process's memory, since the latest probe. */
    private int deaths;
    private long latestProbe;
    private boolean ended;

    WorkerCheck(UcxIoHandler handler) {
        this.handler = handler;
    }

    /** A process that wrote into this one's memory may have died in the middle of it. */
    void peerDied(List<String> transports) {
        if (ended || !UcxLink.areSharedMemory(transports)) {
            return;
        }
        deaths++;
        if (probe == null) {
            probe = handler.deadlines().schedule(DELAY_MILLIS, this::check);
        }
    }

    /** The goodbye of a peer whose link failed before it was read: so it did not die. */
    void lateGoodbye() {
        if (deaths > 0) {
            deaths--;
        }
    }

    private void check() {
        probe = null;
        boolean died = deaths > 0;
        deaths = 0;
        if (died && !ended && !ReceiveProbe.reaches(handler)) {
            handler.replaceWorker("a process that was killed while it wrote to shared memory has left this event " +
                    "loop's UCX worker deaf");
        }
        startHandshakes();
    }

    /** Runs the beginning of a handshake; not before the worker is known to be able to receive. */
    void whenReachable(Runnable handshake) {
        if (probe == null) {
            handshake.run();
        } else {
            handshakes.add(handshake);
        }
    }

    private void startHandshakes() {
        List<Runnable> waiting = new ArrayList<>(handshakes);
        handshakes.clear();
        waiting.forEach(Runnable::run);
    }

    void probeReceived(long number) {
        latestProbe = number;
    }

    long latestProbe() {
        return latestProbe;
    }

    /** The event loop shuts down: the worker is not replaced any more, and nobody waits for it. */
    void end() {
        ended = true;
        startHandshakes();
    }
}
