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

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/** Runs a main class of the tests in a JVM of its own, with other environment variables: UCX reads them only once. */
final class ChildJvm {
    private ChildJvm() {
    }

    /** What became of the program. */
    record Result(int exitCode, String printed) {
    }

    /** The start of a command line: this JVM's java with these arguments. */
    static List<String> command(List<String> jvmArguments) {
        // Without native access newer JDKs warn when the library is loaded. The path is where AddressSanitizer's is.
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.library.path=" + System.getProperty("java.library.path"),
                "-Dorg.nettyucx.test.connector=" + TestPeers.CONNECTOR, "-ea"));
        String noUnsafe = System.getProperty("io.netty.noUnsafe");
        if (noUnsafe != null) {
            command.add("-Dio.netty.noUnsafe=" + noUnsafe);
            if (Runtime.version().feature() >= 24) {
                // Or else Java warns of it.
                command.add("--sun-misc-unsafe-memory-access=allow");
            }
        }
        command.addAll(jvmArguments);
        return command;
    }

    /** Waits until the program has ended well, and has printed nothing that fails a build. Returns what it printed. */
    static String run(Class<?> main, Map<String, String> environment, long timeoutSeconds, String... arguments)
            throws Exception {
        Result result = runToEnd(main, environment, timeoutSeconds, arguments);
        assertEquals(0, result.exitCode, result.printed);
        assertFalse(result.printed.contains("LEAK: ") || result.printed.contains("in native method"), result.printed);
        return result.printed;
    }

    /** Waits until the program has ended, well or not. */
    static Result runToEnd(Class<?> main, Map<String, String> environment, long timeoutSeconds, String... arguments)
            throws Exception {
        List<String> command = command(List.of("-cp", System.getProperty("java.class.path"), "-Xcheck:jni",
                "-Dio.netty.leakDetection.level=paranoid", main.getName()));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile("child", ".txt");
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            boolean ended;
            try {
                ended = process.waitFor(timeoutSeconds, TimeUnit.SECONDS);
            } finally {
                process.destroyForcibly().waitFor();
            }
            String printed = Files.readString(output);
            assertEquals(true, ended, "no end after " + timeoutSeconds + " s:\n" + printed);
            return new Result(process.exitValue(), printed);
        } finally {
            Files.delete(output);
        }
    }
}
