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
package org.nettyucx.testsuite.grpc;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@link ServerMain} in a JVM of its own. */
final class ServerProcess implements AutoCloseable {
    private final Process process;
    private final int port;

    private ServerProcess(Process process) throws IOException {
        this.process = process;
        String line = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
                .readLine();
        assertTrue(line != null && line.matches("\\d+"), "not a port: " + line);
        port = Integer.parseInt(line);
    }

    /** Starts it and waits until it listens. */
    static ServerProcess start(int port) throws IOException {
        return new ServerProcess(new ProcessBuilder(System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-cp",
                // What Surefire puts into java.class.path may be a jar that only names the real one.
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                ServerMain.class.getName(), Integer.toString(port)).redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    int port() {
        return port;
    }

    /** What kill -9 does; waits until it is gone. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        assertTrue(process.waitFor(Responses.TIMEOUT_SECONDS, TimeUnit.SECONDS));
    }

    /** Stops it as if it were frozen, for good. */
    void freeze() throws Exception {
        // A shell knows kill by itself, /bin/kill need not exist.
        assertEquals(0, new ProcessBuilder("sh", "-c", "kill -STOP " + process.pid()).inheritIO().start().waitFor());
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
