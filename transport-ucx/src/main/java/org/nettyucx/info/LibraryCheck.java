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

/** Whether UCX can be used, where it was found, how old it is, and which modules it has. */
final class LibraryCheck implements Check {
    private static final String TOPIC = "UCX";
    private static final String MODULES = "UCX modules";

    /** What is wrong with versions before fixedIn. rdma: only where there are RDMA devices. */
    private record Problem(String fixedIn, boolean rdma, String text) {
    }

    /** The later ones last. */
    private static final List<Problem> PROBLEMS = List.of(
            new Problem("1.14", false, "it may end the process when a peer dies in the middle of a connect"),
            new Problem("1.19", true, "over RoCE it misreads IPv4 datagrams of other than Mellanox devices, so the " +
                    "check of their destination is switched off here"),
            new Problem("1.20.1", true, "datagram transports (ud) mishandle late acknowledgements"));

    @Override
    public List<Finding> look(Machine machine) {
        if (!machine.isUcxAvailable()) {
            return List.of(Finding.fail(TOPIC, "cannot be used: " + machine.whyUcxIsUnavailable(),
                    "do what this message says, then start this again; without UCX use Netty's epoll transport"));
        }
        List<Finding> findings = new ArrayList<>();
        List<String> paths = machine.libraries("libucp.");
        String path = paths.isEmpty() ? "" : " in " + paths.get(0);
        findings.add(version(machine.ucxVersion(), path, !machine.rdmaDevices().isEmpty()));
        if (!paths.isEmpty()) {
            findings.add(modules(machine, paths.get(0)));
        }
        return findings;
    }

    static Finding version(String version, String path, boolean rdma) {
        List<String> known = new ArrayList<>();
        String newer = "";
        for (Problem problem : PROBLEMS) {
            if (number(version) < number(problem.fixedIn) && (rdma || !problem.rdma)) {
                known.add(problem.text + " (until " + problem.fixedIn + ')');
                newer = problem.fixedIn;
            }
        }
        String found = "version " + version + path;
        return known.isEmpty() ? Finding.ok(TOPIC, found)
                : Finding.warn(TOPIC, found + " works, but " + String.join("; ", known), "UCX " + newer +
                " or newer has none of this; -Dorg.nettyucx.libucp=/path/libucp.so.0 names one that is not the first " +
                "to be found");
    }

    /** To compare versions by. */
    private static int number(String version) {
        int number = 0;
        String[] parts = version.split("\\.");
        for (int i = 0; i < 3; i++) {
            number = number * 1000 + (i < parts.length ? Integer.parseInt(parts[i]) : 0);
        }
        return number;
    }

    private static Finding modules(Machine machine, String library) {
        String directory = library.substring(0, library.lastIndexOf('/')) + "/ucx";
        List<String> modules = new ArrayList<>();
        for (String file : machine.list(directory)) {
            if (file.startsWith("libuct_") && file.endsWith(".so.0")) {
                modules.add(file.substring("libuct_".length(), file.length() - ".so.0".length()));
            }
        }
        boolean rdma = !machine.rdmaDevices().isEmpty();
        if (rdma && !modules.contains("ib")) {
            return Finding.fail(MODULES, "this machine has RDMA devices, but " + directory +
                    "/libuct_ib.so.0 is missing",
                    "install all of UCX (on Fedora and RHEL: dnf install ucx-ib), or copy its directory ucx beside " +
                    "libucp.so.0");
        }
        return modules.isEmpty()
                ? Finding.warn(MODULES, "none in " + directory + ": only tcp, posix, sysv and self can be used",
                "for RDMA and CMA copy UCX's directory ucx beside libucp.so.0")
                : Finding.ok(MODULES, String.join(", ", modules) + " in " + directory);
    }
}
