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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What is made of the figures. */
class ResultsTest {
    private static final Setup LATENCY = new Setup(Scenario.LATENCY, 64, 16, 256, 1 << 20, 16, 1000);
    private static final Setup THROUGHPUT = new Setup(Scenario.THROUGHPUT, 65536, 16, 256, 1 << 20, 16, 1000);
    private static final Settings SETTINGS = new Settings(1, 1, List.of(), List.of());

    @TempDir
    private Path directory;

    private final Results results = new Results();

    ResultsTest() {
        for (double micros : new double[] {30, 10, 20}) {
            add(LATENCY, "epoll", Metric.P50_US, micros);
            add(LATENCY, "ucx-shm", Metric.P50_US, micros / 10);
        }
        add(THROUGHPUT, "ucx-shm", Metric.MB_PER_S, 9000);
        add(THROUGHPUT, "epoll", Metric.MB_PER_S, 3000);
        add(THROUGHPUT, "native-shm", Metric.MB_PER_S, 12000);
    }

    private void add(Setup setup, String transport, Metric metric, double value) {
        results.add(setup, Transport.of(transport), new Sample(null).put(metric, value));
    }

    @Test
    void medianAndRangeOfRepetitions() {
        assertEquals(new Results.Spread(20, 10, 30),
                results.groups().get(0).rows().get(0).figure(Metric.P50_US));
        assertEquals(new Results.Spread(15, 10, 20), Results.Spread.of(20, 10));
    }

    @Test
    void ratioIsHowManyTimesBetter() {
        Results.Group latency = results.groups().get(0);
        assertEquals(1, latency.ratio(latency.rows().get(0)));
        assertEquals(10, latency.ratio(latency.rows().get(1)), 1e-9);
        Results.Group throughput = results.groups().get(1);
        assertEquals(3, throughput.ratio(throughput.rows().get(0)), 1e-9);
        assertEquals(4, throughput.ratio(throughput.rows().get(2)), 1e-9);
    }

    @Test
    void json() {
        assertEquals("{\"mode\":\"latency\",\"transport\":\"ucx-shm\",\"size\":64,\"seconds\":1.0,\"repeat\":3," +
                "\"p50_us\":2.0,\"p50_us_min\":1.0,\"p50_us_max\":3.0}", results.toJson(SETTINGS).get(1).toString());
    }

    @Test
    void table() {
        String table = Table.of(results);
        List<String> lines = table.lines().map(line -> line.trim().replaceAll(" +", " ")).toList();
        assertTrue(lines.contains("ucx-shm 2.00 (1.00..3.00) 10.0x"), table);
        assertTrue(lines.contains("epoll 3,000 1.00x"), table);
    }

    @Test
    void targets() {
        List<String> lines = Targets.report(results).stream().map(String::trim).toList();
        assertTrue(lines.containsAll(List.of(
                "MISSED        latency, 64 B, ucx-shm: p50: 10.0x, wanted: 20.0x better than epoll",
                "met           throughput, 65536 B, ucx-shm: rate: 3.00x, wanted: 2.00x better than epoll",
                "not measured  messages, 64 B, ucx-shm: messages: -, wanted: 2.00x better than epoll")),
                lines::toString);
        assertEquals(Set.of("nio", "epoll", "epoll-uds", "io_uring", "ucx-shm", "ucx-tcp"),
                Targets.needed().get(Scenario.THROUGHPUT).get(65536));
    }

    @Test
    void pictureIsWellFormedAndNamesAll() throws Exception {
        Path file = directory.resolve("picture.svg");
        new Chart(results, "a <machine> & more", "command").writeTo(file);
        Document svg = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
        Set<String> texts = new TreeSet<>();
        NodeList nodes = svg.getElementsByTagName("text");
        for (int i = 0; i < nodes.getLength(); i++) {
            texts.add(nodes.item(i).getTextContent());
        }
        assertTrue(texts.containsAll(List.of("a <machine> & more", "latency, 64 B", "p50 in µs, less is better",
                "throughput, 65536 B", "rate in MB/s, more is better", "epoll", "ucx-shm", "native-shm",
                "2.00  (10.0x)", "9,000  (3.00x)")), texts::toString);
    }

    @Test
    void outputOfUcxsOwnBenchmark() throws Exception {
        assertEquals(new NativePair.Outcome(6.377, 5.575e-6), NativePair.Outcome.parse("""
                |    Stage     | # iterations | 50.0%ile | average | overall |  average |  overall |  average  |
                Final:                 20000      6.377     5.570     5.575       10.95      10.95      179358   179358
                """));
        assertThrows(BenchmarkException.class, () -> NativePair.Outcome.parse("connect() failed"));
    }

    @Test
    void lists() {
        assertEquals(List.of(0, 1, 2, 3, 8), Cores.parse(" 0-3,8\n"));
        assertEquals(List.of(5), Cores.parse("5"));
    }
}
