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

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * UCX's own benchmark, in two processes that never sleep: what UCX can do without Java, Netty and a byte stream's
 * rules.
 */
final class NativePair implements Subject {
    private static final String PROGRAM = "ucx_perftest";
    private static final String RESULT = "Final:";
    /** Enough to learn how many make the wanted time. */
    private static final int TRIAL_ITERATIONS = 500;
    private static final int MOST_IN_FLIGHT = 16;
    private static final int LISTEN_SECONDS = 10;
    /** Beside the wanted time, as it cannot be told exactly before. */
    private static final int GRACE_SECONDS = 60;

    private final Transport transport;
    private final Settings settings;

    NativePair(Transport transport, Settings settings) {
        this.transport = transport;
        this.settings = settings;
    }

    @Override
    public Transport transport() {
        return transport;
    }

    @Override
    public String open(Map<String, String> versions) throws BenchmarkException, InterruptedException {
        for (String directory : System.getenv().getOrDefault("PATH", "").split(":")) {
            if (Files.isExecutable(Path.of(directory, PROGRAM))) {
                return null;
            }
        }
        return PROGRAM + " is not installed (Debian, Ubuntu: package ucx-utils)";
    }

    @Override
    public boolean supports(Scenario scenario) {
        return scenario == Scenario.LATENCY || scenario == Scenario.THROUGHPUT;
    }

    @Override
    public Sample measure(Setup setup) throws BenchmarkException, InterruptedException {
        Outcome trial = run(setup, TRIAL_ITERATIONS, TRIAL_ITERATIONS);
        long warmUp = Math.round(settings.warmUp() / trial.averageSeconds);
        long iterations = Math.max(TRIAL_ITERATIONS, Math.round(settings.seconds() / trial.averageSeconds));
        Outcome figures = run(setup, iterations, warmUp);
        Sample sample = new Sample(null);
        if (setup.scenario() == Scenario.LATENCY) {
            // It counts one way; an iteration is both.
            return sample.put(Metric.P50_US, 2 * figures.medianMicros)
                    .put(Metric.MSG_PER_S, 0.5 / figures.averageSeconds);
        }
        return sample.put(Metric.MSG_PER_S, 1 / figures.averageSeconds)
                .put(Metric.MB_PER_S, setup.size() / figures.averageSeconds / 1e6);
    }

    private Outcome run(Setup setup, long iterations, long warmUp) throws BenchmarkException, InterruptedException {
        List<Integer> cores = settings.cores();
        List<Process> processes = new ArrayList<>();
        Thread end = new Thread(() -> processes.forEach(Process::destroy), "end-" + PROGRAM);
        Runtime.getRuntime().addShutdownHook(end);
        try {
            int port = freePort();
            Process server = start(cores.isEmpty() ? null : cores.get(0), List.of("-p", Integer.toString(port)));
            processes.add(server);
            awaitListening(server, port);
            Process client = start(cores.isEmpty() ? null : cores.get(1), List.of("127.0.0.1",
                    "-p", Integer.toString(port),
                    "-t", setup.scenario() == Scenario.LATENCY ? "stream_lat" : "stream_bw",
                    "-s", Integer.toString(setup.size()),
                    "-O", Integer.toString(Math.max(1, Math.min(MOST_IN_FLIGHT, setup.waterMark() / setup.size()))),
                    "-n", Long.toString(iterations), "-w", Long.toString(warmUp)));
            processes.add(client);
            long limit = (long) (settings.warmUp() + settings.seconds()) + GRACE_SECONDS;
            if (!client.waitFor(limit, TimeUnit.SECONDS)) {
                throw new BenchmarkException(PROGRAM + " did not end within " + limit + " s");
            }
            return Outcome.parse(new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new BenchmarkException(PROGRAM + ": " + e, e);
        } finally {
            Runtime.getRuntime().removeShutdownHook(end);
            end.run();
        }
    }

    private Process start(Integer core, List<String> arguments) throws IOException {
        List<String> command = Cores.pinned(core);
        command.add(PROGRAM);
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("UCX_TLS", transport.tls());
        return builder.start();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** A connection to try it out would be taken for the client. */
    private static void awaitListening(Process server, int port)
            throws IOException, InterruptedException, BenchmarkException {
        String listening = String.format(Locale.ROOT, ":%04X 00000000:0000 0A ", port);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LISTEN_SECONDS);
        while (!Files.readString(Path.of("/proc/net/tcp")).contains(listening)) {
            if (!server.isAlive() || System.nanoTime() > deadline) {
                throw new BenchmarkException(PROGRAM + " does not listen");
            }
            Thread.sleep(5);
        }
    }

    @Override
    public void close() {
        // Nothing stays between two measurements.
    }

    /**
     * What it prints.
     *
     * @param medianMicros the median time of an iteration
     * @param averageSeconds the average
     */
    record Outcome(double medianMicros, double averageSeconds) {
        /** The line is: number of iterations, percentile, average, overall average, ... */
        static Outcome parse(String output) throws BenchmarkException {
            for (String line : output.split("\n")) {
                if (line.startsWith(RESULT)) {
                    String[] words = line.substring(RESULT.length()).trim().split("\\s+");
                    if (words.length >= 4) {
                        return new Outcome(Double.parseDouble(words[1]), Double.parseDouble(words[3]) / 1e6);
                    }
                }
            }
            throw new BenchmarkException(PROGRAM + " printed no result: " + output.strip());
        }
    }
}
