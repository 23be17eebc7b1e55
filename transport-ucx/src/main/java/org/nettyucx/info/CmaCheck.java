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

/** Whether processes of this machine may read each other's memory (CMA): yama, capabilities, user namespaces. */
final class CmaCheck implements Check {
    private static final String TOPIC = "CMA";
    private static final int CAP_SYS_PTRACE = 19;
    private static final String LEAVE_OUT = "UCX_TLS=^cma on both sides: large messages are then copied twice";

    @Override
    public List<Finding> look(Machine machine) {
        boolean used = machine.transports().stream().anyMatch(transport -> transport.startsWith("cma/"));
        if (!used) {
            return List.of(Finding.ok(TOPIC, "not used: large messages within this machine are copied twice"));
        }
        String scope = machine.read("/proc/sys/kernel/yama/ptrace_scope");
        if (!scope.isEmpty() && scope.charAt(0) >= '2' && (scope.charAt(0) == '3' || !hasCapability(machine))) {
            return List.of(Finding.fail(TOPIC, "kernel.yama.ptrace_scope is " + scope + ", so processes cannot read " +
                    "each other's memory; UCX uses CMA all the same, and may end the process",
                    (scope.equals("2") ? "give it CAP_SYS_PTRACE (docker run --cap-add SYS_PTRACE), or " : "") +
                    "sysctl kernel.yama.ptrace_scope=1, or " + LEAVE_OUT));
        }
        if (!machine.read("/proc/self/uid_map").replaceAll("\\s+", " ").trim().equals("0 0 4294967295")) {
            return List.of(Finding.warn(TOPIC, "this process is in a user namespace of its own (rootless container): " +
                    "it cannot read the memory of processes in other ones, and UCX may end it when it tries",
                    "run both sides in the same user namespace, or " + LEAVE_OUT));
        }
        return List.of(Finding.ok(TOPIC, "processes may read each other's memory" +
                (scope.equals("1") ? " (UCX lets those of the same user do so with this one)" : "")));
    }

    private static boolean hasCapability(Machine machine) {
        for (String line : machine.read("/proc/self/status").split("\n")) {
            if (line.startsWith("CapEff:")) {
                return (Long.parseUnsignedLong(line.substring(7).trim(), 16) >> CAP_SYS_PTRACE & 1) != 0;
            }
        }
        return false;
    }
}
