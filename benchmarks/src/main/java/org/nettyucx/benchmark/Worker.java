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

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.management.OperatingSystemMXBean;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.Version;
import org.nettyucx.Ucx;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * A process that is server or client of one transport for as long as the benchmark runs. Takes commands from its
 * standard input, a line of JSON each, answers with a line, and ends when its input does.
 */
public final class Worker {
    /** How answers begin: UCX too writes to the standard output. */
    static final String ANSWER = "answer ";

    private final Transport transport;
    private Load load;
    private Path directory;

    private Worker(Transport transport) {
        this.transport = transport;
    }

    /**
     * Serves the process that started this one.
     *
     * @param args the name of the transport
     */
    public static void main(String[] args) throws IOException {
        PrintStream answers = System.out;
        System.setOut(System.err);
        Worker worker = new Worker(Transport.of(args[0]));
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            answers.println(ANSWER + worker.answer(Json.parse(line)));
            answers.flush();
        }
        worker.deleteSocket();
        // Whatever an event loop is busy with.
        Runtime.getRuntime().halt(0);
    }

    private ObjectNode answer(ObjectNode command) {
        ObjectNode answer = Json.object();
        try {
            answer(command, answer);
            if (load != null) {
                load.checkNotFailed();
            }
        } catch (Exception e) {
            e.printStackTrace();
            answer.put("error", e instanceof BenchmarkException ? e.getMessage() : e.toString());
        }
        return answer;
    }

    private void answer(ObjectNode command, ObjectNode answer) throws Exception {
        switch (command.get("do").asText()) {
            case "hello" -> hello(answer);
            case "serve" -> {
                ServerLoad server = ServerLoad.of(transport, setup(command));
                load = server;
                answer.put("address", server.listen(listenAddress()));
            }
            case "drive" -> {
                ClientLoad client = ClientLoad.of(transport, setup(command),
                        Load.address(command.get("address").asText()));
                load = client;
                client.start(answer);
            }
            case "mark" -> {
                answer.put("cpu_nanos", cpuNanos());
                answer.put("nanos", System.nanoTime());
                load.mark(answer);
            }
            case "act" -> load.act(command.get("action").asText());
            case "memory" -> memory(answer);
            case "stop" -> stop();
            default -> throw new IllegalArgumentException(command.toString());
        }
    }

    private static Setup setup(JsonNode command) {
        return Json.MAPPER.convertValue(command.get("setup"), Setup.class);
    }

    private void hello(ObjectNode answer) {
        Throwable cause = transport.unavailabilityCause();
        if (cause != null) {
            answer.put("unavailable", String.valueOf(cause.getMessage()));
            return;
        }
        answer.put("Netty", Version.identify().get("netty-transport").artifactVersion());
        if (transport.kind() == Transport.Kind.UCX) {
            answer.put("UCX", Ucx.version());
        }
    }

    private SocketAddress listenAddress() throws IOException {
        if (!transport.isDomainSocket()) {
            return new InetSocketAddress("127.0.0.1", 0);
        }
        directory = Files.createTempDirectory("netty-ucx-bench");
        return new DomainSocketAddress(directory.resolve("socket").toFile());
    }

    private void stop() throws Exception {
        Load stopped = load;
        load = null;
        try {
            if (stopped != null) {
                stopped.end();
            }
        } finally {
            deleteSocket();
        }
    }

    private void deleteSocket() throws IOException {
        if (directory != null) {
            Files.deleteIfExists(directory.resolve("socket"));
            Files.deleteIfExists(directory);
            directory = null;
        }
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    /** The heap is touched from the start, so that the resident memory grows only by what is beside it. */
    private static void memory(ObjectNode answer) throws IOException {
        System.gc();
        try (Stream<String> status = Files.lines(Path.of("/proc/self/status"));
             Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            long residentKb = status.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", ""))).sum();
            answer.put("resident_kb", residentKb);
            answer.put("heap_kb", ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1024);
            answer.put("descriptors", descriptors.count());
        }
    }
}
