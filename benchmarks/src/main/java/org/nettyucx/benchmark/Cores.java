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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Finds a core for the server and one for the client, and the way to keep a process there. */
final class Cores {
    private static final String ALLOWED = "Cpus_allowed_list:";

    private Cores() {
    }

    /** Returns two different cores, or none if there are not two, or a process cannot be kept on one. */
    static List<Integer> choose() throws InterruptedException {
        try {
            List<Integer> allowed = allowed();
            for (int core : allowed.subList(1, allowed.size())) {
                // Not two threads of one core, if that can be helped.
                if (!siblings(allowed.get(0)).contains(core)) {
                    return tested(List.of(allowed.get(0), core));
                }
            }
            return allowed.size() < 2 ? List.of() : tested(allowed.subList(0, 2));
        } catch (IOException e) {
            return List.of();
        }
    }

    private static List<Integer> tested(List<Integer> cores) throws IOException, InterruptedException {
        for (int core : cores) {
            List<String> command = pinned(core);
            command.add("true");
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getInputStream().readAllBytes();
            if (!process.waitFor(5, TimeUnit.SECONDS) || process.exitValue() != 0) {
                return List.of();
            }
        }
        return cores;
    }

    /** The beginning of a command line that is to run on this core; nothing for null. */
    static List<String> pinned(Integer core) {
        return core == null ? new ArrayList<>() : new ArrayList<>(List.of("taskset", "-c", core.toString()));
    }

    private static List<Integer> allowed() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith(ALLOWED)) {
                return parse(line.substring(ALLOWED.length()));
            }
        }
        throw new IOException(ALLOWED + " is missing");
    }

    private static List<Integer> siblings(int core) throws IOException {
        return parse(Files.readString(
                Path.of("/sys/devices/system/cpu/cpu" + core + "/topology/thread_siblings_list")));
    }

    /** Parses a list like {@code 0-3,8}. */
    static List<Integer> parse(String list) {
        List<Integer> cores = new ArrayList<>();
        for (String range : list.trim().split(",")) {
            String[] ends = range.split("-");
            int last = Integer.parseInt(ends[ends.length - 1]);
            for (int core = Integer.parseInt(ends[0]); core <= last; core++) {
                cores.add(core);
            }
        }
        return cores;
    }
}
