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

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Runs server and client as two processes, which is what UCX is about, and ends both whatever happens.
 */
public final class TwoProcesses {

    /** How a server says where it listens; HOST:PORT follows. */
    public static final String LISTENING = "listening on ";

    private static final String LOOPBACK = "127.0.0.1";

    /** How long a client may take to say what it saw when its server has died. */
    private static final int LAST_WORDS_SECONDS = 10;

    /** How a JVM reports that it was asked to end: 128 + SIGTERM. */
    private static final int TERMINATED = 143;

    private final Class<?> program;
    private final Verdict verdicts;
    private final UcxTransports transports;
    private final long timeoutSeconds;
    private final long deadline;
    private final List<ChildProcess> children = new CopyOnWriteArrayList<>();
    private volatile boolean stopping;
    private volatile boolean interrupted;

    /**
     * Two copies of a program.
     *
     * @param program        its main class
     * @param verdicts       the last word of its client is the last word of the run
     * @param transports     what UCX may use
     * @param timeoutSeconds when to give up
     */
    public TwoProcesses(Class<?> program, Verdict verdicts, UcxTransports transports, long timeoutSeconds) {
        this.program = program;
        this.verdicts = verdicts;
        this.transports = transports;
        this.timeoutSeconds = timeoutSeconds;
        deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(timeoutSeconds);
    }

    /**
     * Runs the commands {@code server} and {@code client} of the program; both are also told the address, with
     * {@code --host} and {@code --port}.
     *
     * @return the exit code
     */
    public int run(List<String> serverOptions, List<String> clientOptions)
            throws ExampleException, InterruptedException {
        // Ctrl-C and SIGTERM end us without unwinding the stack.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            interrupted = true;
            stopChildren();
        }, "stop-children"));
        try {
            return runBoth(serverOptions, clientOptions);
        } catch (ExampleException e) {
            // What became of the processes after a signal was our own doing.
            throw interrupted ? new ExampleException("interrupted") : e;
        } finally {
            stopChildren();
        }
    }

    private int runBoth(List<String> serverOptions, List<String> clientOptions)
            throws ExampleException, InterruptedException {
        CompletableFuture<InetSocketAddress> listening = new CompletableFuture<>();
        ChildProcess server = start("server", arguments("server", LOOPBACK, 0, serverOptions), line -> {
            if (line.startsWith(LISTENING)) {
                listening.complete(PeerAddress.parse(line.substring(LISTENING.length())));
            }
        });
        await(CompletableFuture.anyOf(listening, server.onExit()), "waiting for the server to listen");
        if (!listening.isDone()) {
            throw diedBeforeListening(server);
        }
        InetSocketAddress address = listening.join();

        ChildProcess client = start("client", arguments("client", address.getHostString(), address.getPort(),
                clientOptions), line -> { });
        await(CompletableFuture.anyOf(client.onExit(), server.onExit()), "waiting for the client to finish");

        if (!server.isAlive()) {
            throw diedEarly(server, client);
        }
        int clientCode = client.awaitExitCode();
        int serverCode = server.stop();
        if (serverCode != 0 && serverCode != TERMINATED) {
            System.err.println("warning: the server process ended with exit code " + serverCode);
        }
        return report(client, clientCode);
    }

    private static List<String> arguments(String command, String host, int port, List<String> options) {
        List<String> arguments = new ArrayList<>(List.of(command, "--host", host, "--port", Integer.toString(port)));
        arguments.addAll(options);
        return arguments;
    }

    private ChildProcess start(String name, List<String> arguments, Consumer<String> lines) throws ExampleException {
        ProcessBuilder builder = new ProcessBuilder(JavaCommand.of(program, arguments));
        transports.applyTo(builder.environment());
        ChildProcess child = ChildProcess.start(name, builder, verdicts, lines);
        children.add(child);
        if (stopping) {
            // The shutdown hook may have looked at the list before.
            child.requestStop();
        }
        return child;
    }

    private void await(CompletableFuture<?> event, String activity) throws ExampleException, InterruptedException {
        try {
            event.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new ExampleException("timed out after " + timeoutSeconds + " s, " + activity);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private ExampleException diedBeforeListening(ChildProcess server) throws InterruptedException {
        int exitCode = server.awaitExitCode();
        String verdict = server.takeVerdict();
        if (verdict != null && verdicts.isFailed(verdict)) {
            return new ExampleException("server: " + verdicts.reason(verdict));
        }
        return new ExampleException("the server process ended with exit code " + exitCode + " before it listened");
    }

    private static ExampleException diedEarly(ChildProcess server, ChildProcess client) throws InterruptedException {
        int exitCode = server.awaitExitCode();
        server.printVerdict();
        try {
            client.onExit().get(LAST_WORDS_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException e) {
            // It is stopped with all the rest.
        }
        return new ExampleException("the server process ended early, with exit code " + exitCode);
    }

    private int report(ChildProcess client, int exitCode) throws ExampleException {
        String verdict = client.takeVerdict();
        if (verdict == null) {
            throw new ExampleException("the client process ended with exit code " + exitCode + " and no result");
        }
        if (exitCode != 0 && verdicts.isOk(verdict)) {
            System.out.println("client: " + verdict);
            throw new ExampleException("the client process ended with exit code " + exitCode + " after its result");
        }
        System.out.println(verdict);
        return exitCode;
    }

    /** Both are asked first, so that they end at the same time; then each is waited for. */
    private void stopChildren() {
        stopping = true;
        children.forEach(ChildProcess::requestStop);
        for (ChildProcess child : children) {
            try {
                child.stop();
            } catch (InterruptedException e) {
                // Nobody interrupts us, but if so: there is nothing more important to do than this.
                Thread.currentThread().interrupt();
            }
            child.printVerdict();
        }
    }
}
