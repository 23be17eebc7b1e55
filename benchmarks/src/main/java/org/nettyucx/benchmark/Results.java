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

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What was measured, in the order in which it is shown. */
final class Results {
    private final Map<Key, List<Sample>> samples = new LinkedHashMap<>();

    private record Key(Setup setup, String transport) {
    }

    void add(Setup setup, Transport transport, Sample sample) {
        samples.computeIfAbsent(new Key(setup, transport.name()), key -> new ArrayList<>()).add(sample);
    }

    boolean isEmpty() {
        return samples.isEmpty();
    }

    boolean isRepeated() {
        return samples.values().stream().anyMatch(list -> list.size() > 1);
    }

    /** Returns a group for each scenario and size, of a row for each transport. */
    List<Group> groups() {
        Map<Setup, List<Row>> groups = new LinkedHashMap<>();
        samples.forEach((key, list) -> groups.computeIfAbsent(key.setup, setup -> new ArrayList<>())
                .add(new Row(key.transport, list)));
        return groups.entrySet().stream().map(entry -> new Group(entry.getKey(), entry.getValue())).toList();
    }

    ArrayNode toJson(Settings settings) {
        ArrayNode records = Json.MAPPER.createArrayNode();
        for (Group group : groups()) {
            group.rows().forEach(row -> records.add(group.toJson(row, settings)));
        }
        return records;
    }

    /**
     * What is compared with each other.
     *
     * @param setup what it has in common
     * @param rows one for each transport
     */
    record Group(Setup setup, List<Row> rows) {
        Scenario scenario() {
            return setup.scenario();
        }

        String title() {
            return scenario() + ", " + setup.size() + " B";
        }

        /** How many times better than epoll a row is, null if that is unknown. */
        Double ratio(Row row) {
            Metric primary = scenario().primary();
            Spread own = row.figure(primary);
            for (Row other : rows) {
                Spread baseline = other.figure(primary);
                if (other.transport.equals(Transport.BASELINE) && own != null && baseline != null) {
                    return primary.moreIsBetter() ? own.median / baseline.median : baseline.median / own.median;
                }
            }
            return null;
        }

        private ObjectNode toJson(Row row, Settings settings) {
            ObjectNode json = Json.object().put("mode", scenario().mode().toString());
            if (scenario().part() != null) {
                json.put("part", scenario().part());
            }
            json.put("transport", row.transport).put("size", setup.size());
            scenario().putSetup(json, setup);
            json.put("seconds", settings.seconds()).put("repeat", row.samples.size());
            if (row.over() != null) {
                json.put("over", row.over());
            }
            for (Metric metric : Metric.values()) {
                Spread figure = row.figure(metric);
                if (scenario().has(metric) && figure != null) {
                    json.put(metric.key(), figure.median);
                    if (row.samples.size() > 1) {
                        json.put(metric.key() + "_min", figure.min).put(metric.key() + "_max", figure.max);
                    }
                }
            }
            return json;
        }
    }

    /**
     * A transport's share of a group.
     *
     * @param transport the name
     * @param samples one for each repetition
     */
    record Row(String transport, List<Sample> samples) {
        /** Returns a figure over all repetitions, null if it was not measured. */
        Spread figure(Metric metric) {
            double[] values = samples.stream().map(sample -> sample.figures().get(metric))
                    .filter(value -> value != null).mapToDouble(Double::doubleValue).sorted().toArray();
            return values.length == 0 ? null : Spread.of(values);
        }

        String over() {
            return samples.get(0).over();
        }
    }

    /**
     * A figure over all repetitions.
     */
    record Spread(double median, double min, double max) {
        static Spread of(double... values) {
            double[] sorted = values.clone();
            Arrays.sort(sorted);
            int middle = sorted.length / 2;
            double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
            return new Spread(median, sorted[0], sorted[sorted.length - 1]);
        }
    }
}
