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

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What UCX does to the process: signal handlers and hooks of memory functions. */
final class ProcessCheck implements Check {
    /** As set in netty_ucx_environment.c unless the user has set another value. */
    private static final Map<String, String> SIGNALS = Map.of("ERROR_SIGNALS", "", "HANDLE_ERRORS", "none",
            "DEBUG_SIGNO", "0");

    @Override
    public List<Finding> look(Machine machine) {
        return List.of(signals(machine), memory(machine), rendezvous(machine));
    }

    private static Finding signals(Machine machine) {
        List<String> set = new ArrayList<>();
        SIGNALS.forEach((name, harmless) -> {
            String value = machine.environment("UCX_" + name);
            if (!value.isEmpty() && !value.equals(harmless)) {
                set.add("UCX_" + name + '=' + value);
            }
        });
        set.sort(null);
        return set.isEmpty() ? Finding.ok("Signal handlers", "UCX installs none")
                : Finding.warn("Signal handlers", String.join(", ", set) + " in the environment: UCX takes signals " +
                "that the JVM needs (SIGSEGV for null checks, SIGHUP for the shutdown hooks)", "unset " +
                String.join(" ", set).replaceAll("=\\S*", ""));
    }

    private static Finding memory(Machine machine) {
        String events = machine.environment("UCX_MEM_EVENTS");
        String cache = machine.environment("UCX_RCACHE_ENABLE");
        String topic = "Memory hooks";
        if (!events.isEmpty() && !events.startsWith("n")) {
            return Finding.warn(topic, "UCX_MEM_EVENTS=" + events + ": UCX patches mmap, munmap and others while JVM " +
                    "threads run, which can hang or crash before UCX 1.21", "unset UCX_MEM_EVENTS UCX_RCACHE_ENABLE");
        }
        if (!cache.isEmpty() && !cache.startsWith("n")) {
            return Finding.fail(topic, "UCX_RCACHE_ENABLE=" + cache + " without memory hooks: UCX would not notice " +
                    "that registered memory was freed, and send other bytes", "unset UCX_RCACHE_ENABLE");
        }
        return Finding.ok(topic, "none, and no registration cache");
    }

    private static Finding rendezvous(Machine machine) {
        String threshold = machine.environment("UCX_RNDV_THRESH");
        String topic = "Rendezvous";
        return threshold.isEmpty() || threshold.equals("inf") ? Finding.ok(topic, "UCX uses none")
                : Finding.warn(topic, "UCX_RNDV_THRESH=" + threshold + ": UCX from 1.16 on ends the process when a " +
                "peer dies in the middle of a rendezvous", "unset UCX_RNDV_THRESH");
    }
}
