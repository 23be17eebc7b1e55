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
package org.nettyucx.example.echo;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Runs server and client as two processes, which is what UCX is about, and ends both whatever happens.
 */
@Command(name = "run", description = "Runs an echo server and a client as two processes on this host.")
final class RunCommand implements Callable<Integer> {

    private static final String LOOPBACK = "127.0.0.1";

    /** How long a client may take to say what it saw when its server has died. */
    private static final int LAST_WORDS_SECONDS = 10;

    /** How a JVM reports that it was asked to end: 128 + SIGTERM. */
    private static final int TERMINATED = 143;

    @Mixin
    private Workload workload;

    @Option(names = "--tls", paramLabel = "TLS", defaultValue = "all",
            description = "Which UCX transports to use: ${COMPLETION-CANDIDATES}; shm is shared memory only, all is "
                    + "what UCX chooses (default: ${DEFAULT-VALUE}).")
    private Tls tls;

    @Option(names = "--timeout", paramLabel = "SECONDS", defaultValue = "300", converter = WholeNumber.Seconds.class,
            description = "Give up after this time (default: ${DEFAULT-VALUE}).")
    private long timeoutSeconds;

    private final List<ChildProcess> children = new CopyOnWriteArrayList<>();
    private volatile boolean stopping;
    private volatile boolean interrupted;
    private long deadline;

    @Override
    public Integer call() throws EchoException, InterruptedException {
        workload.validate();
        deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(timeoutSeconds);
        // Ctrl-C and SIGTERM end us without unwinding the stack.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            interrupted = true;
            stopChildren();
        }, "stop-children"));
        try {
            return runBoth();
        } catch (EchoException e) {
            // What became of the processes after a signal was our own doing.
            throw interrupted ? new EchoException("interrupted") : e;
        } finally {
            stopChildren();
        }
    }

    private int runBoth() throws EchoException, InterruptedException {
        CompletableFuture<InetSocketAddress> listening = new CompletableFuture<>();
        ChildProcess server = start("server", List.of("server", "--host", LOOPBACK, "--port", "0"), line -> {
            if (line.startsWith(ServerCommand.LISTENING)) {
                listening.complete(PeerAddress.parse(line.substring(ServerCommand.LISTENING.length())));
            }
        });
        await(CompletableFuture.anyOf(listening, server.onExit()), "waiting for the server to listen");
        if (!listening.isDone()) {
            throw diedBeforeListening(server);
        }
        InetSocketAddress address = listening.join();

        List<String> arguments = new ArrayList<>(List.of("client", "--host", address.getHostString(),
                "--port", Integer.toString(address.getPort())));
        arguments.addAll(workload.toArguments());
        ChildProcess client = start("client", arguments, line -> { });
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

    private ChildProcess start(String name, List<String> arguments, Consumer<String> lines) throws EchoException {
        ProcessBuilder builder = new ProcessBuilder(JavaCommand.of(arguments));
        tls.applyTo(builder.environment());
        ChildProcess child = ChildProcess.start(name, builder, lines);
        children.add(child);
        if (stopping) {
            // The shutdown hook may have looked at the list before.
            child.requestStop();
        }
        return child;
    }

    private void await(CompletableFuture<?> event, String activity) throws EchoException, InterruptedException {
        try {
            event.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new EchoException("timed out after " + timeoutSeconds + " s, " + activity);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private static EchoException diedBeforeListening(ChildProcess server) throws InterruptedException {
        int exitCode = server.awaitExitCode();
        String verdict = server.takeVerdict();
        if (verdict != null && verdict.startsWith(Verdict.FAILED)) {
            return new EchoException("server: " + verdict.substring(Verdict.FAILED.length()));
        }
        return new EchoException("the server process ended with exit code " + exitCode + " before it listened");
    }

    private static EchoException diedEarly(ChildProcess server, ChildProcess client) throws InterruptedException {
        int exitCode = server.awaitExitCode();
        server.printVerdict();
        try {
            client.onExit().get(LAST_WORDS_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException e) {
            // It is stopped with all the rest.
        }
        return new EchoException("the server process ended early, with exit code " + exitCode);
    }

    private static int report(ChildProcess client, int exitCode) throws EchoException {
        String verdict = client.takeVerdict();
        if (verdict == null) {
            throw new EchoException("the client process ended with exit code " + exitCode + " and no result");
        }
        if (exitCode != 0 && verdict.startsWith(Verdict.OK)) {
            System.out.println("client: " + verdict);
            throw new EchoException("the client process ended with exit code " + exitCode + " after its result");
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
