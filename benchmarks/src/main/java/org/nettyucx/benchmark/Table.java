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
import java.util.List;

/** The results as text. */
final class Table {
    private Table() {
    }

    static String of(Results results) {
        StringBuilder text = new StringBuilder();
        for (Results.Group group : results.groups()) {
            text.append(System.lineSeparator()).append(group.title()).append(": ").append(group.scenario().title());
            String setup = group.scenario().describe(group.setup());
            text.append(setup.isEmpty() ? "" : " (" + setup + ')').append(System.lineSeparator());
            append(text, cells(group));
        }
        return text.toString();
    }

    private static List<List<String>> cells(Results.Group group) {
        List<Metric> metrics = group.scenario().columns().stream()
                .filter(metric -> group.rows().stream().anyMatch(row -> row.figure(metric) != null)).toList();
        List<List<String>> lines = new ArrayList<>();
        List<String> header = new ArrayList<>(List.of("transport"));
        metrics.forEach(metric -> header.add(metric.label() + ' ' + metric.plainUnit()));
        header.add("vs " + Transport.BASELINE);
        lines.add(header);
        for (Results.Row row : group.rows()) {
            List<String> line = new ArrayList<>(List.of(row.transport()));
            for (Metric metric : metrics) {
                Results.Spread figure = row.figure(metric);
                line.add(figure == null ? "-" : Figures.text(figure, row.samples().size() > 1 &&
                        metric == group.scenario().primary()));
            }
            Double ratio = group.ratio(row);
            line.add(ratio == null ? "-" : Figures.text(ratio) + 'x');
            lines.add(line);
        }
        return lines;
    }

    private static void append(StringBuilder text, List<List<String>> lines) {
        for (List<String> line : lines) {
            for (int i = 0; i < line.size(); i++) {
                int column = i;
                int width = lines.stream().mapToInt(other -> other.get(column).length()).max().orElse(0);
                String padding = " ".repeat(width - line.get(i).length());
                text.append(i == 0 ? "  " + line.get(i) + padding : "  " + padding + line.get(i));
            }
            text.append(System.lineSeparator());
        }
    }
}
