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
package org.nettyucx.example.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The whole example, as ./run starts it. */
class GrpcExampleTest {

    @TempDir
    private Path temp;

    private List<String> run(int expectedCode, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                "-Djava.io.tmpdir=" + temp, "-cp",
                // What Surefire puts into java.class.path may be a jar that only names the real one.
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                GrpcExample.class.getName()));
        command.addAll(List.of(arguments));
        Path output = temp.resolve("output");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        boolean ended;
        try {
            ended = process.waitFor(50, TimeUnit.SECONDS);
        } finally {
            // Not forcibly: it ends its own processes.
            process.destroy();
            process.waitFor();
        }
        List<String> lines = Files.readAllLines(output);
        assertTrue(ended, "no end: " + lines);
        assertEquals(expectedCode, process.exitValue(), lines.toString());
        return lines;
    }

    @ParameterizedTest
    @CsvSource({
            "--ucx-transports tcp,       plaintext, tcp/\\S+",
            "--ucx-transports shm --tls, TLSv1.3,   (posix|sysv)/memory",
            "--transport epoll --tls,    TLSv1.3,   TCP \\(epoll\\)",
            "--transport nio,            plaintext, TCP \\(nio\\)"})
    void works(String options, String security, String transports) throws Exception {
        List<String> lines = run(0, ("run --count 200 --warm-up 0 --bytes 5000 " + options).split(" "));
        String last = lines.get(lines.size() - 1);
        assertTrue(last.matches("grpc ok: 200 calls, 0 failures, p50 \\d+\\.\\d us, over " + transports + "(, .*)?"),
                last);
        assertEquals(1, lines.stream().filter(line -> line.startsWith("grpc ")).count(), lines.toString());
        assertEquals(1, lines.stream().filter(line -> line.startsWith("server: connection from 127.0.0.1:")
                && line.contains(", " + security)).count(), lines.toString());
        try (var files = Files.list(temp)) {
            assertFalse(files.anyMatch(file -> file.getFileName().toString().startsWith("netty-ucx-grpc")),
                    "keys are left behind");
        }
    }

    @Test
    void nobodyListens() throws Exception {
        List<String> lines = run(1, "client", "--port", "1");
        assertTrue(lines.get(lines.size() - 1).matches(
                "grpc failed: cannot reach the service at 127.0.0.1:1: UNAVAILABLE: .*Connection refused.*"),
                lines.toString());
    }
}
