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

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.nettyucx.benchmark.Scenario.CHURN;
import static org.nettyucx.benchmark.Scenario.IDLE;
import static org.nettyucx.benchmark.Scenario.THROUGHPUT;

/** A server and a client over one of Netty's transports, each a JVM that lives as long as the run. */
final class JvmPair implements Subject {
    private static final double NANOS = 1e9;

    private final Transport transport;
    private final Settings settings;
    private WorkerProcess server;
    private WorkerProcess client;
    /** What these processes have compiled their code for. */
    private final Set<Scenario> warm = EnumSet.noneOf(Scenario.class);

    JvmPair(Transport transport, Settings settings) {
        this.transport = transport;
        this.settings = settings;
    }

    @Override
    public Transport transport() {
        return transport;
    }

    @Override
    public String open(Map<String, String> versions) throws BenchmarkException, InterruptedException {
        start();
        for (WorkerProcess process : List.of(server, client)) {
            ObjectNode hello = process.ask("hello");
            if (hello.has("unavailable")) {
                return hello.get("unavailable").asText();
            }
            hello.properties().forEach(field -> versions.put(field.getKey(), field.getValue().asText()));
        }
        return null;
    }

    private void start() throws BenchmarkException {
        warm.clear();
        List<Integer> cores = settings.cores();
        server = new WorkerProcess("server", transport, cores.isEmpty() ? null : cores.get(0),
                settings.jvmArguments());
        client = new WorkerProcess("client", transport, cores.isEmpty() ? null : cores.get(1),
                settings.jvmArguments());
    }

    @Override
    public boolean supports(Scenario scenario) {
        return true;
    }

    @Override
    public Sample measure(Setup setup) throws BenchmarkException, InterruptedException {
        boolean done = false;
        try {
            if (server == null) {
                start();
            }
            Sample sample = measureUnguarded(setup);
            done = true;
            return sample;
        } finally {
            if (!done) {
                // Nobody knows what state they are in. The next measurement gets new ones.
                close();
            }
        }
    }

    private Sample measureUnguarded(Setup setup) throws BenchmarkException, InterruptedException {
        ObjectNode serve = Json.object().put("do", "serve");
        serve.set("setup", Json.MAPPER.valueToTree(setup));
        String address = server.ask(serve).get("address").asText();
        ObjectNode drive = Json.object().put("do", "drive").put("address", address);
        drive.set("setup", Json.MAPPER.valueToTree(setup));
        ObjectNode started = client.ask(drive);
        Sample sample = new Sample(started.has("over") ? started.get("over").asText() : null);
        if (setup.scenario() == IDLE) {
            measureIdle(setup, sample);
        } else {
            measureTraffic(setup, sample);
        }
        warm.add(setup.scenario());
        client.ask("stop");
        server.ask("stop");
        return sample;
    }

    private void measureTraffic(Setup setup, Sample sample)
            throws BenchmarkException, InterruptedException {
        warmUp(setup);
        Interval interval = new Interval();
        double messages = interval.client("messages");
        double seconds = interval.clientSeconds();
        double bytes = messages * setup.size();
        if (setup.scenario() == THROUGHPUT) {
            // What was written may not have arrived.
            bytes = interval.server("bytes");
            messages = bytes / setup.size();
            seconds = interval.serverSeconds();
        }
        if (messages == 0) {
            throw noMessage(seconds);
        }
        sample.put(setup.scenario() == CHURN ? Metric.CONN_PER_S : Metric.MSG_PER_S, messages / seconds);
        sample.put(Metric.MB_PER_S, bytes / 1e6 / seconds);
        sample.put(Metric.CPU_S, interval.cpuSeconds());
        sample.put(Metric.CPU_S_PER_M, interval.cpuSeconds() * 1e6 / messages);
        for (Metric metric : List.of(Metric.P50_US, Metric.P99_US, Metric.P999_US)) {
            if (interval.clientEnd.has(metric.key())) {
                sample.put(metric, interval.clientEnd.get(metric.key()).asDouble());
            }
        }
    }

    private static BenchmarkException noMessage(double seconds) {
        return new BenchmarkException("no message arrived within " + Figures.text(seconds) + " s");
    }

    private void measureIdle(Setup setup, Sample sample) throws BenchmarkException, InterruptedException {
        sample.put(Metric.P50_ALONE_US, ping(setup));
        Memory serverBefore = new Memory(server);
        Memory clientBefore = new Memory(client);
        act(IdleLoad.GROW);
        Memory serverAfter = new Memory(server);
        Memory clientAfter = new Memory(client);
        int connections = setup.connections();
        sample.put(Metric.SERVER_KB_PER_CONN, (serverAfter.kb - serverBefore.kb) / connections);
        sample.put(Metric.CLIENT_KB_PER_CONN, (clientAfter.kb - clientBefore.kb) / connections);
        sample.put(Metric.SERVER_FDS_PER_CONN, (serverAfter.descriptors - serverBefore.descriptors) / connections);
        sample.put(Metric.CLIENT_FDS_PER_CONN, (clientAfter.descriptors - clientBefore.descriptors) / connections);
        warmUp(setup);
        Interval idle = new Interval();
        sample.put(Metric.CPU_S, idle.cpuSeconds());
        sample.put(Metric.IDLE_CPU_PERCENT, 100 * idle.cpuSeconds() / idle.clientSeconds());
        sample.put(Metric.P50_US, ping(setup));
    }

    private void warmUp(Setup setup) throws InterruptedException {
        settings.pause(settings.warmUp() * (warm.contains(setup.scenario()) ? 1 : setup.scenario().cold()));
    }

    /** Returns the median round trip on the connection that is not idle. */
    private double ping(Setup setup) throws BenchmarkException, InterruptedException {
        act(IdleLoad.PING);
        warmUp(setup);
        Interval interval = new Interval();
        act(IdleLoad.REST);
        if (!interval.clientEnd.has(Metric.P50_US.key())) {
            throw noMessage(interval.clientSeconds());
        }
        return interval.clientEnd.get(Metric.P50_US.key()).asDouble();
    }

    private void act(String action) throws BenchmarkException, InterruptedException {
        client.ask(Json.object().put("do", "act").put("action", action));
    }

    @Override
    public void close() {
        if (client != null) {
            client.close();
            client = null;
        }
        if (server != null) {
            server.close();
            server = null;
        }
    }

    /** What was counted while the traffic went on. */
    private final class Interval {
        private final ObjectNode clientBegin;
        private final ObjectNode clientEnd;
        private final ObjectNode serverBegin;
        private final ObjectNode serverEnd;

        Interval() throws BenchmarkException, InterruptedException {
            clientBegin = client.ask("mark");
            serverBegin = server.ask("mark");
            settings.pause(settings.seconds());
            clientEnd = client.ask("mark");
            serverEnd = server.ask("mark");
        }

        double client(String name) {
            return difference(clientBegin, clientEnd, name);
        }

        double server(String name) {
            return difference(serverBegin, serverEnd, name);
        }

        double clientSeconds() {
            return client("nanos") / NANOS;
        }

        double serverSeconds() {
            return server("nanos") / NANOS;
        }

        double cpuSeconds() {
            return (client("cpu_nanos") + server("cpu_nanos")) / NANOS;
        }

        private static double difference(ObjectNode begin, ObjectNode end, String name) {
            return end.get(name).asLong() - begin.get(name).asLong();
        }
    }

    /** What a process holds. */
    private static final class Memory {
        private final double kb;
        private final double descriptors;

        Memory(WorkerProcess process) throws BenchmarkException, InterruptedException {
            ObjectNode memory = process.ask("memory");
            // All of the heap is resident anyway.
            kb = memory.get("resident_kb").asLong() + memory.get("heap_kb").asLong();
            descriptors = memory.get("descriptors").asLong();
        }
    }
}
