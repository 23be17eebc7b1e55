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

/** A figure of a measurement: its name in the JSON file, and how to show it. */
enum Metric {
    P50_US("p50_us", "p50", "µs", false),
    P99_US("p99_us", "p99", "µs", false),
    P999_US("p999_us", "p99.9", "µs", false),
    P50_ALONE_US("p50_alone_us", "p50 alone", "µs", false),
    MB_PER_S("mb_per_s", "rate", "MB/s", true),
    MSG_PER_S("msg_per_s", "messages", "1/s", true),
    CONN_PER_S("conn_per_s", "connections", "1/s", true),
    SERVER_KB_PER_CONN("server_kb_per_conn", "server memory", "KB/conn", false),
    CLIENT_KB_PER_CONN("client_kb_per_conn", "client memory", "KB/conn", false),
    SERVER_FDS_PER_CONN("server_fds_per_conn", "server fds", "1/conn", false),
    CLIENT_FDS_PER_CONN("client_fds_per_conn", "client fds", "1/conn", false),
    IDLE_CPU_PERCENT("idle_cpu_percent", "idle CPU", "%", false),
    CPU_S("cpu_s", "CPU", "s", false),
    CPU_S_PER_M("cpu_s_per_million", "CPU", "s/1M", false);

    private final String key;
    private final String label;
    private final String unit;
    private final boolean moreIsBetter;

    Metric(String key, String label, String unit, boolean moreIsBetter) {
        this.key = key;
        this.label = label;
        this.unit = unit;
        this.moreIsBetter = moreIsBetter;
    }

    String key() {
        return key;
    }

    String label() {
        return label;
    }

    String unit() {
        return unit;
    }

    /** The unit for terminals, which do not know every letter in every locale. */
    String plainUnit() {
        return unit.replace('µ', 'u');
    }

    boolean moreIsBetter() {
        return moreIsBetter;
    }
}
