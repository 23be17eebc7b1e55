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

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * A child JVM with a main class of the tests. Says what it does line by line on its standard output, takes commands
 * line by line from its standard input, and ends when that ends, so that none outlives this JVM; {@link #close()} kills
 * it in any case.
 */
final class TestProcess implements AutoCloseable {
    private static final String END = "the end of the output";

    private final Process process;
    private final PrintStream commands;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final List<String> seen = Collections.synchronizedList(new ArrayList<>());
    private final List<String> complaints = Collections.synchronizedList(new ArrayList<>());
    private final Thread errorReader;

    private TestProcess(Process process) {
        this.process = process;
        commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        readLines(process.getInputStream(), lines::add);
        errorReader = readLines(process.getErrorStream(), line -> {
            if (!line.equals(END)) {
                complaints.add(line);
                System.err.println("child " + process.pid() + ": " + line);
            }
        });
    }

    /** What is to be started: a JVM as small as will do, with the environment of this one. */
    static final class Builder {
        private final List<String> jvmArguments = new ArrayList<>(List.of("-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC", "-Xshare:auto"));
        private final List<String> shell = new ArrayList<>();
        private final ProcessBuilder builder = new ProcessBuilder();

        Builder jvm(String... arguments) {
            jvmArguments.addAll(List.of(arguments));
            return this;
        }

        Builder environment(String name, String value) {
            builder.environment().put(name, value);
            return this;
        }

        /** Has a shell run the script, which becomes the JVM then; the shell itself is started by a command, if any. */
        Builder after(String script, String... starter) {
            shell.addAll(List.of(starter));
            shell.addAll(List.of("sh", "-c", script + " && exec \"$@\"", "sh"));
            return this;
        }

        /** Starts the main class. */
        TestProcess start(Class<?> main, Object... arguments) throws IOException {
            List<String> command = new ArrayList<>(shell);
            command.addAll(ChildJvm.command(jvmArguments));
            command.add("-cp");
            // What Surefire puts into java.class.path may be a jar that only names the real one.
            command.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
            command.add(main.getName());
            for (Object argument : arguments) {
                command.add(argument.toString());
            }
            return new TestProcess(builder.command(command).start());
        }
    }

    static Builder builder() {
        return new Builder();
    }

    /** With a heap as small as will do for {@link TestProcessMain}. */
    static Builder small() {
        return builder().jvm("-Xmx256m");
    }

    /** Starts a program that is no JVM, but keeps to the same rules. */
    static TestProcess startProgram(String program, Object... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(program));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        return new TestProcess(new ProcessBuilder(command).start());
    }

    /** Starts {@link TestProcessMain} with these arguments. */
    static TestProcess start(Object... arguments) throws IOException {
        return small().start(TestProcessMain.class, arguments);
    }

    private Thread readLines(InputStream stream, Consumer<String> consumer) {
        Thread reader = new Thread(() -> {
            try (BufferedReader in = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    consumer.accept(line);
                }
            } catch (IOException e) {
                // The process was killed.
            } finally {
                consumer.accept(END);
            }
        }, "child-" + process.pid());
        reader.setDaemon(true);
        reader.start();
        return reader;
    }

    /** Waits for the next line that begins with this word, and returns what follows it. */
    String await(String word) throws InterruptedException {
        return await(word, TestPeers.TIMEOUT_SECONDS);
    }

    String await(String word, long seconds) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        for (;;) {
            String line = lines.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (line == null || line.equals(END)) {
                throw new AssertionError("the child " + (line == null ? "did not say '" : "ended without saying '") +
                        word + "', but " + seen + ", and complained " + complaints);
            }
            seen.add(line);
            if (line.equals(word)) {
                return "";
            } else if (line.startsWith(word + ' ')) {
                return line.substring(word.length() + 1);
            }
        }
    }

    int awaitNumber(String word) throws InterruptedException {
        return Integer.parseInt(await(word));
    }

    void command(String line) {
        commands.println(line);
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** The CPU time that it has used up to now, in user and system mode. */
    Duration cpu() {
        return process.info().totalCpuDuration().orElseThrow(() -> new AssertionError("the child has ended; it said " +
                seen + lines + complaints));
    }

    /** Asks it to end and waits until it has ended, without an error and without a complaint. */
    void exit() throws InterruptedException {
        command("exit");
        awaitExit();
        assertQuiet();
    }

    /** Waits until it has ended by itself, without an error. */
    void awaitExit() throws InterruptedException {
        if (!process.waitFor(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("the child did not end; it said " + seen + lines + complaints);
        }
        assertEquals(0, process.exitValue(), () -> "exit code; it said " + seen + lines + complaints);
    }

    /** Sees to it that it has written nothing to its standard error, where UCX and Netty complain. */
    void assertQuiet() throws InterruptedException {
        if (!process.isAlive()) {
            errorReader.join(TimeUnit.SECONDS.toMillis(TestPeers.TIMEOUT_SECONDS));
        }
        assertEquals(List.of(), complaints);
    }

    /** What kill -9 does. */
    void kill() {
        process.destroyForcibly();
    }

    /** Stops it as if it were frozen; {@link #resume()} ends that. */
    void freeze() throws Exception {
        signal("STOP");
    }

    void resume() throws Exception {
        signal("CONT");
    }

    private void signal(String name) throws Exception {
        // A shell knows kill by itself, /bin/kill need not exist.
        assertEquals(0, new ProcessBuilder("sh", "-c", "kill -" + name + ' ' + process.pid()).inheritIO().start()
                .waitFor());
    }

    @Override
    public void close() {
        process.destroyForcibly();
        boolean interrupted = false;
        for (;;) {
            try {
                process.waitFor();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
