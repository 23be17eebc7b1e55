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

import java.util.List;

import static org.nettyucx.benchmark.Metric.CLIENT_FDS_PER_CONN;
import static org.nettyucx.benchmark.Metric.CLIENT_KB_PER_CONN;
import static org.nettyucx.benchmark.Metric.CONN_PER_S;
import static org.nettyucx.benchmark.Metric.CPU_S;
import static org.nettyucx.benchmark.Metric.CPU_S_PER_M;
import static org.nettyucx.benchmark.Metric.IDLE_CPU_PERCENT;
import static org.nettyucx.benchmark.Metric.MB_PER_S;
import static org.nettyucx.benchmark.Metric.MSG_PER_S;
import static org.nettyucx.benchmark.Metric.P50_ALONE_US;
import static org.nettyucx.benchmark.Metric.P50_US;
import static org.nettyucx.benchmark.Metric.P999_US;
import static org.nettyucx.benchmark.Metric.P99_US;
import static org.nettyucx.benchmark.Metric.SERVER_FDS_PER_CONN;
import static org.nettyucx.benchmark.Metric.SERVER_KB_PER_CONN;

/** Something that is measured at once. */
enum Scenario {
    LATENCY(Mode.LATENCY, null, "round trip on one connection", P50_US, P99_US, P999_US, MSG_PER_S, CPU_S_PER_M),
    THROUGHPUT(Mode.THROUGHPUT, null, "one-way stream, as the receiver sees it", MB_PER_S, MSG_PER_S, CPU_S_PER_M),
    MESSAGES(Mode.MESSAGES, null, "echoed messages, many in flight", MSG_PER_S, MB_PER_S, CPU_S_PER_M),
    CHURN(Mode.CONNECTIONS, "churn", "connect, echo, close", CONN_PER_S, P50_US, P99_US, CPU_S_PER_M),
    IDLE(Mode.CONNECTIONS, "idle", "round trip on one connection among idle ones", P50_US, P50_ALONE_US,
            SERVER_KB_PER_CONN, CLIENT_KB_PER_CONN, SERVER_FDS_PER_CONN, CLIENT_FDS_PER_CONN, IDLE_CPU_PERCENT),
    UNARY(Mode.GRPC, "unary", "unary call, one at a time", P50_US, P99_US, P999_US, MSG_PER_S, CPU_S_PER_M),
    UNARY_CONCURRENT(Mode.GRPC, "unary-concurrent", "unary calls, many at a time", MSG_PER_S, P50_US, P99_US,
            CPU_S_PER_M),
    STREAMING(Mode.GRPC, "streaming", "messages of one server stream", MSG_PER_S, MB_PER_S, CPU_S_PER_M);

    private final Mode mode;
    private final String part;
    private final String title;
    private final List<Metric> columns;

    Scenario(Mode mode, String part, String title, Metric... columns) {
        this.mode = mode;
        this.part = part;
        this.title = title;
        this.columns = List.of(columns);
    }

    Mode mode() {
        return mode;
    }

    /** The name of this scenario where its mode has more than one, else null. */
    String part() {
        return part;
    }

    String title() {
        return title;
    }

    /** How much longer the first warm-up in a process is: the code must be compiled, of which gRPC has the most. */
    int cold() {
        return this == UNARY ? 6 : 3;
    }

    /** What the table shows, the most important figure first: that one is compared and drawn. */
    List<Metric> columns() {
        return columns;
    }

    Metric primary() {
        return columns.get(0);
    }

    /** What the picture shows. */
    List<Metric> drawn() {
        return this == IDLE ? List.of(P50_US, SERVER_KB_PER_CONN) : List.of(primary());
    }

    /** What the JSON file holds. */
    boolean has(Metric metric) {
        return columns.contains(metric) || metric == CPU_S;
    }

    /** Adds those parameters that matter here. */
    void putSetup(ObjectNode json, Setup setup) {
        switch (this) {
            case THROUGHPUT -> json.put("flush_interval", setup.flushInterval())
                    .put("water_mark", setup.waterMark());
            case MESSAGES -> json.put("flush_interval", setup.flushInterval())
                    .put("in_flight", setup.inFlight());
            case CHURN, UNARY_CONCURRENT -> json.put("concurrency", setup.concurrency());
            case IDLE -> json.put("connections", setup.connections());
            default -> {
                // The size says all.
            }
        }
    }

    String describe(Setup setup) {
        return switch (this) {
            case THROUGHPUT -> "flush every " + setup.flushInterval() + ", water mark " +
                    setup.waterMark() + " B";
            case MESSAGES -> "flush every " + setup.flushInterval() + ", " + setup.inFlight() +
                    " in flight";
            case CHURN, UNARY_CONCURRENT -> setup.concurrency() + " at a time";
            case IDLE -> setup.connections() + " idle connections";
            default -> "";
        };
    }

    @Override
    public String toString() {
        return part == null ? mode.toString() : mode + " " + part;
    }
}
