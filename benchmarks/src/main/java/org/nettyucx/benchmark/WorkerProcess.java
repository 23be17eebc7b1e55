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

import com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The other end of a {@link Worker}. */
final class WorkerProcess implements AutoCloseable {
    /** More than any command takes: a load connects, runs and closes in bounded time. */
    private static final int ANSWER_SECONDS = 90;
    private static final int END_SECONDS = 10;
    private static final String END = "";

    private final String name;
    private final Process process;
    private final PrintStream commands;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    WorkerProcess(String role, Transport transport, Integer core, List<String> jvmArguments)
            throws BenchmarkException {
        name = transport.name() + ' ' + role;
        List<String> command = Cores.pinned(core);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // One event loop has nothing to share work with, and the heap's size must not change while memory is measured.
        command.addAll(List.of("-XX:+UseSerialGC", "-Xms256m", "-Xmx256m", "-XX:+AlwaysPreTouch",
                "-XX:MaxDirectMemorySize=2g", "--enable-native-access=ALL-UNNAMED"));
        if (Runtime.version().feature() >= 24) {
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(jvmArguments);
        command.addAll(List.of("-cp", classPath(), Worker.class.getName(), transport.name()));
        ProcessBuilder builder = new ProcessBuilder(command);
        if (transport.tls() != null) {
            builder.environment().put("UCX_TLS", transport.tls());
        }
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new BenchmarkException("cannot start a process: " + e.getMessage(), e);
        }
        commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        read(process.getInputStream(), line -> {
            if (line.equals(END)) {
                answers.add(END);
            } else if (line.startsWith(Worker.ANSWER)) {
                answers.add(line.substring(Worker.ANSWER.length()));
            } else {
                complain(line);
            }
        });
        read(process.getErrorStream(), this::complain);
    }

    /** What Surefire puts into java.class.path may be a jar that only names the real one. */
    private static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    private void complain(String line) {
        if (!line.isBlank()) {
            System.err.println(name + ": " + line);
        }
    }

    private void read(InputStream stream, Consumer<String> lines) {
        Thread reader = new Thread(() -> {
            try (BufferedReader in = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    if (!line.isEmpty()) {
                        lines.accept(line);
                    }
                }
            } catch (IOException e) {
                // The process was ended.
            } finally {
                lines.accept(END);
            }
        }, name);
        reader.setDaemon(true);
        reader.start();
    }

    ObjectNode ask(String what) throws BenchmarkException, InterruptedException {
        return ask(Json.object().put("do", what));
    }

    ObjectNode ask(ObjectNode command) throws BenchmarkException, InterruptedException {
        commands.println(command);
        String line = answers.poll(ANSWER_SECONDS, TimeUnit.SECONDS);
        if (line == null) {
            throw new BenchmarkException("the process '" + name + "' does not answer");
        }
        if (line.equals(END)) {
            throw new BenchmarkException("the process '" + name + "' has ended");
        }
        ObjectNode answer = Json.parse(line);
        if (answer.has("error")) {
            throw new BenchmarkException(name + ": " + answer.get("error").asText());
        }
        return answer;
    }

    /** The process ends with its input; killed if it does not. */
    @Override
    public void close() {
        commands.close();
        try {
            if (process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
