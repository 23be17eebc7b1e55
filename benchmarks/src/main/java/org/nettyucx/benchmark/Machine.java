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
package org.nettyucx.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What the figures depend on, beside the code. */
final class Machine {
    private static final String MODEL = "model name";

    private Machine() {
    }

    static String describe(Settings settings, Map<String, String> versions) {
        List<Integer> cores = settings.cores();
        return model() + ", " + Runtime.getRuntime().availableProcessors() + " CPUs, " +
                (cores.isEmpty() ? "not pinned" : "server on CPU " + cores.get(0) + ", client on CPU " +
                        cores.get(1)) +
                "; Linux " + System.getProperty("os.version") + ", Java " + System.getProperty("java.version") +
                versions.entrySet().stream().map(entry -> ", " + entry.getKey() + ' ' + entry.getValue())
                        .collect(Collectors.joining());
    }

    private static String model() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/cpuinfo"))) {
                if (line.startsWith(MODEL)) {
                    return line.substring(line.indexOf(':') + 1).trim();
                }
            }
        } catch (IOException e) {
            // Not so important.
        }
        return System.getProperty("os.arch");
    }
}
