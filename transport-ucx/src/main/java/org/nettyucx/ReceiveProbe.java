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

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Finds out whether messages over shared memory still reach a worker. All processes of the host write to one queue of
 * each worker; one that is killed between reserving an entry and filling it (uct_mm_ep_am_common_send) leaves a hole
 * which UCX waits for, for ever and without an error. A worker of our own, to which nobody else writes, sends to the
 * one in question. Any event loop may ask, one at a time.
 */
final class ReceiveProbe {
    private static final InternalLogger logger = InternalLoggerFactory.getInstance(ReceiveProbe.class);
    /** Both must be exceeded, so that a process that was stopped meanwhile draws no conclusion. */
    private static final long PATIENCE_NANOS = 200_000_000;
    private static final int PATIENCE_POLLS = 10_000;

    private static final Map<WorkerId, Long> endpoints = new HashMap<>();
    private static UcxWorker prober;
    private static long lastProbe;

    private ReceiveProbe() {
    }

    /** On the event loop of the handler, outside of its dispatch. */
    static synchronized boolean reaches(UcxIoHandler handler) {
        UcxWorker worker = handler.worker();
        try {
            if (prober == null) {
                prober = new UcxWorker();
            }
            Long endpoint = endpoints.get(worker.id());
            if (endpoint == null) {
                endpoint = prober.createEndpoint(worker.address(), 1);
                endpoints.put(worker.id(), endpoint);
            }
            long probe = ++lastProbe;
            if (Native.send(endpoint, Native.MESSAGE_PROBE, probe, 0, 0, 0, 0) < 0) {
                forget(worker.id());
                return true;
            }
            long start = System.nanoTime();
            for (int polls = 0; !handler.hasReceivedProbe(probe); polls++) {
                prober.poll();
                if (polls > PATIENCE_POLLS && System.nanoTime() - start > PATIENCE_NANOS) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            logger.debug("the worker of an event loop could not be probed", e);
            return true;
        }
    }

    /** The worker is about to be destroyed. */
    static synchronized void forget(WorkerId worker) {
        Long endpoint = endpoints.remove(worker);
        if (endpoint != null) {
            Native.endpointClose(endpoint);
        }
    }
}
