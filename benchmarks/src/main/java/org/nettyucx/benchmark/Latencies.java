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
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

import java.util.concurrent.TimeUnit;

/** Times that one thread records and another one takes now and then. */
final class Latencies {
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final SingleWriterRecorder recorder = new SingleWriterRecorder(LONGEST_NANOS, 3);
    private Histogram interval;

    void record(long nanos) {
        recorder.recordValue(Math.min(nanos, LONGEST_NANOS));
    }

    /** Adds what was recorded since the last call. */
    void mark(ObjectNode mark) {
        interval = recorder.getIntervalHistogram(interval);
        if (interval.getTotalCount() > 0) {
            put(mark, Metric.P50_US, 50);
            put(mark, Metric.P99_US, 99);
            put(mark, Metric.P999_US, 99.9);
        }
    }

    private void put(ObjectNode mark, Metric metric, double percentile) {
        mark.put(metric.key(), interval.getValueAtPercentile(percentile) / 1000.0);
    }
}
