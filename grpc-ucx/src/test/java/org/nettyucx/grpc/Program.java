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
package org.nettyucx.grpc;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@link ProgramMain} in a JVM of its own. */
final class Program implements AutoCloseable {
    private static final int TIMEOUT_SECONDS = 50;

    private final Process process;
    private final Path errors;
    private final BufferedReader output;

    private Program(Process process, Path errors) {
        this.process = process;
        this.errors = errors;
        output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        // Ends the wait for output, too.
        process.onExit().orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .whenComplete((ended, late) -> process.destroyForcibly());
    }

    static Program start(List<String> jvmOptions, String... arguments) throws IOException {
        Path errors = Files.createTempFile("program", ".txt");
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java", "-ea",
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(jvmOptions);
        // What Surefire puts into java.class.path may be a jar that only names the real one.
        command.addAll(List.of("-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                ProgramMain.class.getName()));
        command.addAll(List.of(arguments));
        return new Program(new ProcessBuilder(command).redirectError(errors.toFile()).start(), errors);
    }

    /** The next line of output; null at its end. */
    String readLine() throws IOException {
        return output.readLine();
    }

    /** What it has written to its standard error. */
    String errors() throws IOException {
        return Files.readString(errors);
    }

    /** The rest of the output of a program that ends well. */
    List<String> awaitEnd() throws IOException, InterruptedException {
        List<String> lines = new ArrayList<>();
        for (String line = readLine(); line != null; line = readLine()) {
            lines.add(line);
        }
        assertTrue(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS), lines.toString());
        assertEquals(0, process.exitValue(), () -> lines + " and " + errorsOrNone());
        return lines;
    }

    private String errorsOrNone() {
        try {
            return errors();
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        Files.delete(errors);
    }
}
