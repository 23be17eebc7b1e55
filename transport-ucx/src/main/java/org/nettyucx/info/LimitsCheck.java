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

/** {@code ulimit -l} and {@code ulimit -n}. */
final class LimitsCheck implements Check {
    private static final long LITTLE_MEMORY = 128L << 20;
    private static final long FEW_DESCRIPTORS = 4096;

    @Override
    public List<Finding> look(Machine machine) {
        return List.of(memory(limit(machine, "Max locked memory"), !machine.rdmaDevices().isEmpty()),
                descriptors(limit(machine, "Max open files")));
    }

    private static long limit(Machine machine, String name) {
        for (String line : machine.read("/proc/self/limits").split("\n")) {
            if (line.startsWith(name)) {
                String soft = line.substring(name.length()).trim().split("\\s+")[0];
                return soft.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(soft);
            }
        }
        return Long.MAX_VALUE;
    }

    private static Finding memory(long bytes, boolean rdma) {
        String topic = "Locked memory";
        String text = bytes == Long.MAX_VALUE ? "unlimited" : bytes / 1024 + " KiB may be locked (ulimit -l)";
        if (!rdma || bytes >= LITTLE_MEMORY) {
            return Finding.ok(topic, rdma || bytes >= LITTLE_MEMORY ? text : text + "; that is too little for " +
                    "RDMA, of which this machine has none");
        }
        String fix = "ulimit -l unlimited; for good: LimitMEMLOCK=infinity in the systemd unit, memlock in " +
                "/etc/security/limits.conf, --ulimit memlock=-1 for Docker";
        String effect = text + ": RDMA devices register memory, which counts";
        return bytes < 1 << 20 ? Finding.fail("Locked memory", effect + ", and will not work", fix)
                : Finding.warn(topic, effect + ", so it may run out", fix);
    }

    private static Finding descriptors(long limit) {
        String topic = "File descriptors";
        String text = limit == Long.MAX_VALUE ? "unlimited" : limit + " may be open (ulimit -n)";
        return limit >= FEW_DESCRIPTORS ? Finding.ok(topic, text)
                : Finding.warn(topic, text + ": a connection needs one, over tcp each pair of event loops two more; " +
                "a server refuses connections when 20 are left, and UCX itself does not survive when there are none",
                "ulimit -n 65536; LimitNOFILE=65536 in the systemd unit, --ulimit nofile=65536 for Docker");
    }
}
