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

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.nettyucx.benchmark.Metric.CONN_PER_S;
import static org.nettyucx.benchmark.Metric.IDLE_CPU_PERCENT;
import static org.nettyucx.benchmark.Metric.MB_PER_S;
import static org.nettyucx.benchmark.Metric.MSG_PER_S;
import static org.nettyucx.benchmark.Metric.P50_ALONE_US;
import static org.nettyucx.benchmark.Metric.P50_US;
import static org.nettyucx.benchmark.Metric.SERVER_KB_PER_CONN;

/** What this transport is meant to reach on two cores, and whether it does. */
final class Targets {
    private static final String SHM = "ucx-shm";
    private static final String SHM_BLOCK = "ucx-shm-block";
    private static final String TCP = "ucx-tcp";
    private static final String TCP_BLOCK = "ucx-tcp-block";
    private static final String EPOLL = Transport.BASELINE;
    private static final String EPOLL_BUSY = "epoll-busy";
    private static final String EPOLL_UDS = "epoll-uds";
    private static final String NATIVE_SHM = "native-shm";
    /** No targets, but what many use: measured along with the others where all are compared. */
    private static final List<String> ALSO = List.of("nio", "io_uring");

    private static final List<Target> ALL = List.of(
            better(Scenario.LATENCY, 64, SHM, P50_US, EPOLL, 20),
            better(Scenario.LATENCY, 64, SHM, P50_US, EPOLL_BUSY, 3),
            better(Scenario.LATENCY, 64, SHM, P50_US, NATIVE_SHM, 1 / 8.0),
            better(Scenario.LATENCY, 64, SHM_BLOCK, P50_US, EPOLL, 2),
            better(Scenario.LATENCY, 64, TCP, P50_US, EPOLL_BUSY, 0.8),
            better(Scenario.LATENCY, 64, TCP_BLOCK, P50_US, EPOLL, 0.8),
            better(Scenario.THROUGHPUT, 65536, SHM, MB_PER_S, EPOLL, 2),
            better(Scenario.THROUGHPUT, 65536, SHM, MB_PER_S, EPOLL_UDS, 1.3),
            better(Scenario.THROUGHPUT, 65536, TCP, MB_PER_S, EPOLL, 0.8),
            better(Scenario.THROUGHPUT, 1048576, SHM, MB_PER_S, EPOLL, 2),
            better(Scenario.THROUGHPUT, 1048576, SHM, MB_PER_S, EPOLL_UDS, 1.3),
            better(Scenario.MESSAGES, 64, SHM, MSG_PER_S, EPOLL, 2),
            better(Scenario.MESSAGES, 64, SHM, MSG_PER_S, EPOLL_UDS, 1),
            better(Scenario.CHURN, 64, SHM, CONN_PER_S, EPOLL, 0.5),
            atMost(Scenario.IDLE, 64, SHM, SERVER_KB_PER_CONN, 40),
            atMost(Scenario.IDLE, 64, SHM, IDLE_CPU_PERCENT, 5),
            new Target(Scenario.IDLE, 64, SHM, P50_US, SHM, P50_ALONE_US, 1 / 1.2),
            better(Scenario.UNARY, 64, SHM, P50_US, EPOLL, 1.5),
            better(Scenario.UNARY_CONCURRENT, 64, SHM, MSG_PER_S, EPOLL, 1.3));

    private Targets() {
    }

    /**
     * One of them.
     *
     * @param scenario where it is measured
     * @param size bytes of a message
     * @param transport what is to reach it
     * @param metric the figure that counts
     * @param baseline what that is compared with, null if the figure itself is limited
     * @param baselineMetric the figure of the baseline
     * @param limit how many times better than the baseline at least; without a baseline, the largest figure
     */
    private record Target(Scenario scenario, int size, String transport, Metric metric, String baseline,
                          Metric baselineMetric, double limit) {
        String what() {
            return scenario + ", " + size + " B, " + transport + ": " + metric.label();
        }

        String wanted() {
            if (baseline == null) {
                return "at most " + Figures.text(limit) + ' ' + metric.plainUnit();
            }
            String than = baselineMetric == metric ? baseline : baselineMetric.label();
            return limit >= 1 ? Figures.text(limit) + "x better than " + than :
                    "at most " + Figures.text(1 / limit) + "x worse than " + than;
        }

        /** Returns what was reached: how many times better, or the figure itself; null if it was not measured. */
        Double reached(List<Results.Row> rows) {
            Results.Spread own = figure(rows, transport, metric);
            if (own == null || baseline == null) {
                return own == null ? null : own.median();
            }
            Results.Spread other = figure(rows, baseline, baselineMetric);
            if (other == null) {
                return null;
            }
            return metric.moreIsBetter() ? own.median() / other.median() : other.median() / own.median();
        }

        boolean isMetBy(double reached) {
            return baseline == null ? reached <= limit : reached >= limit;
        }

        private static Results.Spread figure(List<Results.Row> rows, String transport, Metric metric) {
            return rows.stream().filter(row -> row.transport().equals(transport)).findFirst()
                    .map(row -> row.figure(metric)).orElse(null);
        }
    }

    private static Target better(Scenario scenario, int size, String transport, Metric metric, String baseline,
                                 double times) {
        return new Target(scenario, size, transport, metric, baseline, metric, times);
    }

    private static Target atMost(Scenario scenario, int size, String transport, Metric metric, double limit) {
        return new Target(scenario, size, transport, metric, null, null, limit);
    }

    /** What must be measured for them: the transports by scenario and size, in the order in which they are shown. */
    static Map<Scenario, Map<Integer, Set<String>>> needed() {
        Map<Scenario, Map<Integer, Set<String>>> needed = new LinkedHashMap<>();
        for (Target target : ALL) {
            Set<String> transports = needed.computeIfAbsent(target.scenario, scenario -> new LinkedHashMap<>())
                    .computeIfAbsent(target.size, size -> new LinkedHashSet<>());
            if (List.of(Scenario.LATENCY, Scenario.THROUGHPUT, Scenario.MESSAGES).contains(target.scenario)) {
                transports.addAll(ALSO);
            }
            transports.add(target.transport);
            if (target.baseline != null) {
                transports.add(target.baseline);
            }
        }
        return needed;
    }

    /** All transports that are {@link #needed}, in the order in which they are shown. */
    static List<String> transports() {
        return List.of("nio", EPOLL, EPOLL_BUSY, EPOLL_UDS, "io_uring", TCP_BLOCK, TCP, SHM_BLOCK, SHM, NATIVE_SHM);
    }

    /** What was reached, a line for each. */
    static List<String> report(Results results) {
        List<String> lines = new ArrayList<>();
        for (Target target : ALL) {
            List<Results.Row> rows = results.groups().stream()
                    .filter(group -> group.scenario() == target.scenario && group.setup().size() == target.size)
                    .findFirst().map(Results.Group::rows).orElse(List.of());
            Double reached = target.reached(rows);
            String verdict = reached == null ? "not measured" : target.isMetBy(reached) ? "met" : "MISSED";
            lines.add(String.format("  %-12s  %s: %s, wanted: %s", verdict, target.what(), reached == null ? "-" :
                    target.baseline == null ? Figures.text(reached) : Figures.text(reached) + 'x', target.wanted()));
        }
        return lines;
    }
}
