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
import java.util.Set;

/** The JVM, the processor and the C library. */
final class JavaCheck implements Check {
    private static final Set<String> ARCHITECTURES = Set.of("amd64", "x86_64", "aarch64");

    private final String os;
    private final String arch;

    JavaCheck() {
        this(System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    JavaCheck(String os, String arch) {
        this.os = os;
        this.arch = arch;
    }

    @Override
    public List<Finding> look(Machine machine) {
        return List.of(Finding.ok("Java", System.getProperty("java.version") + " (" +
                System.getProperty("java.vendor") + ", " + System.getProperty("java.home") + ')'), platform(),
                libc(machine));
    }

    private Finding platform() {
        if (!os.equals("Linux") || !ARCHITECTURES.contains(arch)) {
            return Finding.fail("Platform", os + " on " + arch + " is not supported",
                    "use Linux on x86_64 or aarch64, or Netty's NIO transport");
        }
        return Finding.ok("Platform", os + " on " + arch);
    }

    private static Finding libc(Machine machine) {
        if (!machine.libraries("ld-musl").isEmpty()) {
            return Finding.fail("C library", "this JVM uses musl, for which UCX cannot be built",
                    "use an image with glibc: Debian, Ubuntu, Fedora or RHEL instead of Alpine");
        }
        return machine.libraries("libc.so.6").isEmpty() && machine.libraries("libc-2.").isEmpty()
                ? Finding.warn("C library", "this JVM does not seem to use glibc", "use a JDK built for glibc")
                : Finding.ok("C library", "glibc");
    }
}
