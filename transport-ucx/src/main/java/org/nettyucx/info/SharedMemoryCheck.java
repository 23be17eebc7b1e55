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
package org.nettyucx.info;

import java.util.List;
import java.util.Optional;

/** /dev/shm, where UCX's transport posix has its queues. */
final class SharedMemoryCheck implements Check {
    private static final String TOPIC = "/dev/shm";
    /** Measured, as in UcxContext. */
    private static final long PER_LOOP = 4_300 * 1024;
    private static final long SMALLEST_FOR_UCX = 16L << 20;

    @Override
    public List<Finding> look(Machine machine) {
        Optional<Machine.Space> found = machine.space(TOPIC);
        String fix = "docker run --shm-size=1g; in Kubernetes an emptyDir with medium: Memory at /dev/shm; else " +
                "mount -o remount,size=1G /dev/shm; or leave posix out with UCX_TLS=^posix, then sysv is used";
        if (found.isEmpty()) {
            return List.of(Finding.warn(TOPIC, "is not there: UCX's transport posix cannot be used", fix));
        }
        boolean used = machine.transports().contains("posix/memory");
        long total = found.get().total();
        long usable = found.get().usable();
        // One group of event loops with the default size.
        long needed = PER_LOOP * machine.processors() * 2;
        String text = mebibytes(usable) + " of " + mebibytes(total) + " free";
        if (!used) {
            return List.of(Finding.ok(TOPIC, text + "; UCX does not use it (posix is not among its transports)"));
        }
        if (usable < PER_LOOP) {
            return List.of(Finding.fail(TOPIC, text + ", too little for even one event loop, which needs 4.2 MiB",
                    fix));
        }
        if (usable < needed || total < SMALLEST_FOR_UCX) {
            return List.of(Finding.warn(TOPIC, text + "; " + machine.processors() * 2 + " event loops (two for each " +
                    "processor) need " + mebibytes(needed) + ", 4.2 MiB each" + (total < SMALLEST_FOR_UCX
                    ? ", and UCX 1.14 and newer want at least 16 MiB in all" : ""), fix));
        }
        return List.of(Finding.ok(TOPIC, text));
    }

    private static String mebibytes(long bytes) {
        return bytes / (1 << 20) + " MiB";
    }
}
