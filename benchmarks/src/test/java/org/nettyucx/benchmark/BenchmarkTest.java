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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Short runs of everything. They show that it works, not how fast. */
class BenchmarkTest {
    /** Leaks that the processes report are found in this test's own output. */
    private static final List<String> SHORT = List.of("--transports", "epoll,ucx-shm", "--seconds", "0.3",
            "--warmup", "0.1", "--jvm=-Xcheck:jni", "--jvm=-Dio.netty.leakDetection.level=paranoid");

    /** May be 0 in so short a time, and so few connections. */
    private static final Set<String> MAY_BE_ZERO = Set.of("cpu_s", "cpu_s_per_million", "idle_cpu_percent",
            "server_kb_per_conn", "client_kb_per_conn");

    @TempDir
    private Path directory;

    @Test
    void tourMeasuresAllModes() throws IOException {
        Path json = directory.resolve("tour.json");
        Path plot = directory.resolve("tour.svg");
        assertEquals(0, run("--connections", "50", "--sizes", "100", "--json", json.toString(),
                "--plot", plot.toString()));

        Set<String> expected = new TreeSet<>();
        for (Scenario scenario : Scenario.values()) {
            expected.add(scenario + " epoll");
            expected.add(scenario + " ucx-shm");
        }
        Set<String> seen = new TreeSet<>();
        for (JsonNode record : Json.MAPPER.readTree(json.toFile())) {
            String part = record.has("part") ? ' ' + record.get("part").asText() : "";
            seen.add(record.get("mode").asText() + part + ' ' + record.get("transport").asText());
            assertEquals(100, record.get("size").asInt());
            assertFigures(record);
        }
        assertEquals(expected, seen);
        String svg = Files.readString(plot);
        assertTrue(svg.contains(">grpc streaming, 100 B<"), svg);
    }

    private static void assertFigures(JsonNode record) {
        Scenario scenario = scenario(record);
        for (Metric metric : scenario.columns()) {
            assertTrue(record.has(metric.key()), () -> metric + " is missing in " + record);
            double value = record.get(metric.key()).asDouble();
            assertTrue(value > 0 || MAY_BE_ZERO.contains(metric.key()), () -> metric + " in " + record);
        }
        assertTrue(record.has("cpu_s"), record::toString);
    }

    private static Scenario scenario(JsonNode record) {
        for (Scenario scenario : Scenario.values()) {
            if (scenario.mode().toString().equals(record.get("mode").asText()) &&
                    (scenario.part() == null || scenario.part().equals(record.get("part").asText()))) {
                return scenario;
            }
        }
        throw new AssertionError(record.toString());
    }

    @Test
    void modeIsRepeated() throws IOException {
        Path json = directory.resolve("latency.json");
        assertEquals(0, run("latency", "--sizes", "1,100000", "--repeat", "2", "--no-pin", "--json", json.toString()));

        JsonNode records = Json.MAPPER.readTree(json.toFile());
        assertEquals(4, records.size());
        for (JsonNode record : records) {
            assertFigures(record);
            assertEquals(2, record.get("repeat").asInt());
            double least = record.get("p50_us_min").asDouble();
            double median = record.get("p50_us").asDouble();
            double most = record.get("p50_us_max").asDouble();
            assertTrue(least > 0 && least <= median && median <= most, record::toString);
        }
    }

    @Test
    void wrongArgumentsAreRefused() {
        assertEquals(2, Benchmark.run("speed"));
        assertEquals(2, run("latency", "--transports", "udp"));
        assertEquals(2, run("latency", "--sizes", "0"));
        assertEquals(2, run("latency", "--targets"));
        assertEquals(2, run("latency", "--speed", "9"));
        assertEquals(2, run("latency", "--plot", directory.resolve("picture.gif").toString()));
        assertFalse(Files.exists(directory.resolve("picture.gif")));
    }

    private static int run(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(SHORT);
        return Benchmark.run(all.toArray(new String[0]));
    }
}
