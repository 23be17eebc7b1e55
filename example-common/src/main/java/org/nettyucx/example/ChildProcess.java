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

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * A process whose output is passed on line by line with its name in front. Its verdict, if it gives one, is held back
 * for whoever started it.
 */
final class ChildProcess {

    /** More than the server takes to stop its event loops. */
    private static final int GRACE_SECONDS = 10;
    private static final int OUTPUT_SECONDS = 5;

    private final String name;
    private final Process process;
    private final Thread outputReader;
    private final Thread errorReader;
    private final AtomicReference<String> verdict = new AtomicReference<>();

    private ChildProcess(String name, Process process, Verdict verdicts, Consumer<String> lines) {
        this.name = name;
        this.process = process;
        outputReader = startReader(process.getInputStream(), line -> {
            if (verdicts.isVerdict(line)) {
                verdict.set(line);
            } else {
                System.out.println(prefixed(line));
                lines.accept(line);
            }
        });
        errorReader = startReader(process.getErrorStream(), line -> System.err.println(prefixed(line)));
    }

    /**
     * Starts a process.
     *
     * @param verdicts tells which line is the verdict
     * @param lines    is given every other line of its standard output, on a thread of its own
     */
    static ChildProcess start(String name, ProcessBuilder builder, Verdict verdicts, Consumer<String> lines)
            throws ExampleException {
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            return new ChildProcess(name, process, verdicts, lines);
        } catch (IOException e) {
            throw new ExampleException("cannot start the " + name + " process", e);
        }
    }

    CompletableFuture<?> onExit() {
        return process.onExit();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Waits for the end of the process and of its output. */
    int awaitExitCode() throws InterruptedException {
        int code = process.waitFor();
        // Bounded: a process that the child itself started may still hold the pipes.
        outputReader.join(TimeUnit.SECONDS.toMillis(OUTPUT_SECONDS));
        errorReader.join(TimeUnit.SECONDS.toMillis(OUTPUT_SECONDS));
        return code;
    }

    /** Takes the verdict; null if there is none, or if it was taken before. */
    String takeVerdict() {
        return verdict.getAndSet(null);
    }

    /** Passes on the verdict like any other line, where it is not the last word. */
    void printVerdict() {
        String line = takeVerdict();
        if (line != null) {
            System.out.println(prefixed(line));
        }
    }

    /** Asks the process to end, without waiting. */
    void requestStop() {
        // Not destroy() of the process itself: that also closes the streams, and what it says at its end would be lost.
        process.toHandle().destroy();
    }

    /** Asks the process to end, makes it end if it does not, and returns its exit code. */
    int stop() throws InterruptedException {
        requestStop();
        if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
            System.err.println(prefixed("did not stop within " + GRACE_SECONDS + " s, killed"));
            process.toHandle().destroyForcibly();
        }
        return awaitExitCode();
    }

    private String prefixed(String line) {
        return name + ": " + line;
    }

    private Thread startReader(InputStream stream, Consumer<String> lines) {
        Thread reader = new Thread(() -> {
            try (BufferedReader in = new BufferedReader(new InputStreamReader(stream, Charset.defaultCharset()))) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    lines.accept(line);
                }
            } catch (IOException e) {
                // The process was ended while we read: there is no more output.
            }
        }, name + "-output");
        reader.setDaemon(true);
        reader.start();
        return reader;
    }
}
