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

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The doctor as a program, on this machine and where something is missing. */
@Tag("once")
class UcxInfoTest {
    private static final int TIMEOUT_SECONDS = 50;
    private static final Map<String, String> EVERYTHING = Map.of("UCX_TLS", "all");

    private static ChildJvm.Result info(Map<String, String> environment, String... arguments) throws Exception {
        return ChildJvm.runToEnd(UcxInfo.class, environment, TIMEOUT_SECONDS, arguments);
    }

    private static void assertPrinted(ChildJvm.Result result, int exitCode, String... texts) {
        // Without the line ends and indentation that fit the text to the width of a terminal.
        String printed = result.printed().replaceAll("\\s+", " ");
        for (String text : texts) {
            assertTrue(printed.contains(text), text + " is not in:\n" + result.printed());
        }
        assertEquals(exitCode, result.exitCode(), result.printed());
        assertFalse(printed.contains("could not be done"), result.printed());
    }

    @Test
    void text() throws Exception {
        ChildJvm.Result result = info(EVERYTHING, "--peer", "127.0.0.1");
        assertPrinted(result, result.printed().contains("FAIL ") ? 1 : 0, "OK C library glibc",
                "UCX version " + Ucx.version() + " in /", "cma, ", "OK Transports self/memory", "tcp/lo",
                "OK Signal handlers UCX installs none", "OK Memory hooks none",
                "OK Connection between two event loops of this JVM works, over ",
                "OK Peer 127.0.0.1 is this machine: this JVM would use ");
    }

    @Test
    void json() throws Exception {
        String printed = info(EVERYTHING, "--json").printed();
        assertTrue(printed.startsWith("{\"failed\": " + printed.contains("\"FAIL\"") + ", \"findings\": [\n" +
                "  {\"topic\": \"Java\", \"verdict\": \"OK\", \"text\": \"" +
                System.getProperty("java.version")), printed);
        assertTrue(printed.endsWith("\"}\n]}\n"), printed);
    }

    @Test
    void limitedTransports() throws Exception {
        assertPrinted(info(Map.of("UCX_TLS", "tcp")), 0, "WARN Transports UCX_TLS=tcp limits what UCX may use",
                "works, over tcp/");
    }

    @Test
    void noLibucp() throws Exception {
        assertPrinted(info(Map.of("JAVA_TOOL_OPTIONS", "-Dorg.nettyucx.libucp=/none/libucp.so.0"), "--peer",
                "127.0.0.1"), 1, "FAIL UCX cannot be used: /none/libucp.so.0 cannot be used", "apt-get install libucx0",
                "FAIL Peer 127.0.0.1 cannot be reached over UCX", "UCX will not work here as it should");
    }

    @Test
    void settingsThatHarmTheJvm() throws Exception {
        assertPrinted(info(Map.of("UCX_HANDLE_ERRORS", "bt", "UCX_TLS", "tcp")), 0,
                "WARN Signal handlers UCX_HANDLE_ERRORS=bt in the environment", "> unset UCX_HANDLE_ERRORS");
    }

    @Test
    void wrongArguments() throws Exception {
        assertPrinted(info(EVERYTHING, "--peer"), 2, "Usage: UcxInfo [--json] [--peer HOST]");
        assertPrinted(info(EVERYTHING, "--help"), 0, "Usage: UcxInfo [--json] [--peer HOST]");
    }

    /** As with "java -jar". */
    @Test
    void nettyIsMissing() throws Exception {
        String classes = UcxInfo.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        Process process = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-cp", classes,
                UcxInfo.class.getName()).redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes());
        assertTrue(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS));
        assertEquals(1, process.exitValue());
        assertTrue(printed.contains("java -cp 'DIRECTORY/*' org.nettyucx.UcxInfo"), printed);
    }

    /** A process with these limits and this much of /dev/shm. */
    @Test
    void smallContainer() throws Exception {
        Process unshare = new ProcessBuilder("sh", "-c", "unshare -m mount -t tmpfs tmpfs /dev/shm")
                .redirectErrorStream(true).start();
        assumeTrue(unshare.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS) && unshare.exitValue() == 0,
                "a mount namespace needs root and unshare(1)");
        try (TestProcess child = TestProcess.builder().environment("UCX_TLS", "all")
                .after("ulimit -l 0 && ulimit -n 500 && mount -t tmpfs -o size=12m tmpfs /dev/shm", "unshare", "-m")
                .start(UcxInfo.class, "--json")) {
            String shared = child.await("  {\"topic\": \"/dev/shm\",");
            assertTrue(shared.startsWith("\"verdict\": \"WARN\", \"text\": \"12 MiB of 12 MiB free; "), shared);
            String descriptors = child.await("  {\"topic\": \"File");
            assertTrue(descriptors.startsWith("descriptors\", \"verdict\": \"WARN\", \"text\": \"500 may be open"),
                    descriptors);
            child.awaitExit();
        }
    }
}
