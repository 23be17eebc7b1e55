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
package org.nettyucx.example;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command line that starts this program once more, in a JVM like this one.
 */
final class JavaCommand {

    /** Options that make sense in every copy of a JVM. */
    private static final List<String> PASSED_ON = List.of("-D", "-XX:", "-Xm", "-Xss", "-Xcheck:", "-Xint", "-ea",
            "-da", "-esa", "-dsa", "-enable", "-disable", "--enable", "--add-", "--sun-misc-unsafe");

    /** Of those, the ones that claim a port or a file that only one process can have, and our own. */
    private static final List<String> KEPT_BACK = List.of("-Dcom.sun.management.jmxremote", "-XX:StartFlightRecording",
            "-XX:ArchiveClassesAtExit", "-XX:LogFile=", ParentWatch.OPTION);

    private JavaCommand() {
    }

    static List<String> of(Class<?> program, List<String> programArguments) {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command()
                .orElseGet(() -> Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (startsWithAny(option, PASSED_ON) && !startsWithAny(option, KEPT_BACK)) {
                command.add(option);
            }
        }
        command.add(ParentWatch.option());
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(program.getName());
        command.addAll(programArguments);
        return command;
    }

    private static boolean startsWithAny(String text, List<String> prefixes) {
        return prefixes.stream().anyMatch(text::startsWith);
    }
}
