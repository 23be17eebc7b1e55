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
package org.nettyucx.example.grpc;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * How long the calls took, in nanoseconds. Can be used by any number of threads while calls are made.
 */
final class Latencies {

    private static final long MAX_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int DIGITS = 3;
    private static final String ROW = "%-7s %-14s %9s %9s %9s %9s %9s %9s%n";

    private final Map<Kind, Histogram> histograms = new EnumMap<>(Kind.class);

    Latencies() {
        for (Kind kind : Kind.values()) {
            histograms.put(kind, new ConcurrentHistogram(MAX_NANOS, DIGITS));
        }
    }

    void record(Kind kind, long nanos) {
        histograms.get(kind).recordValue(Math.min(nanos, MAX_NANOS));
    }

    /** Half of all calls took no longer. */
    double medianMicros() {
        Histogram all = new Histogram(MAX_NANOS, DIGITS);
        histograms.values().forEach(all::add);
        return micros(all.getValueAtPercentile(50));
    }

    /** A line for each kind of call. */
    String table() {
        StringBuilder table = new StringBuilder(String.format(ROW, "call", "type", "calls", "p50 us", "p90 us",
                "p99 us", "p99.9 us", "max us"));
        histograms.forEach((kind, histogram) -> table.append(String.format(ROW, kind.name().toLowerCase(Locale.ROOT),
                kind.type(), histogram.getTotalCount(), percentile(histogram, 50), percentile(histogram, 90),
                percentile(histogram, 99), percentile(histogram, 99.9), text(histogram.getMaxValue()))));
        return table.toString();
    }

    private static String percentile(AbstractHistogram histogram, double percentile) {
        return text(histogram.getValueAtPercentile(percentile));
    }

    private static String text(long nanos) {
        return String.format(Locale.ROOT, "%.1f", micros(nanos));
    }

    private static double micros(long nanos) {
        return nanos / 1e3;
    }
}
