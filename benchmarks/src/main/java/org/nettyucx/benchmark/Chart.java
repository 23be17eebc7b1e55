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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import static org.nettyucx.benchmark.Canvas.Anchor.END;
import static org.nettyucx.benchmark.Canvas.Anchor.START;

/** The results as a picture: for each mode and size a panel, with a bar for each transport. */
final class Chart {
    private static final int MOST_COLUMNS = 3;
    private static final int MARGIN = 24;
    private static final int HEADER = 80;
    private static final int PANEL_WIDTH = 400;
    private static final int PANEL_HEADER = 44;
    private static final int BAR = 16;
    private static final int BAR_DISTANCE = 22;
    private static final int LABEL_WIDTH = 104;
    /** Right of the longest bar, for its figure. */
    private static final int FIGURE_WIDTH = 112;

    private static final int BLACK = 0x202020;
    private static final int GREY = 0x707070;
    private static final int LIGHT = 0xd0d0d0;
    private static final int WHITE = 0xffffff;

    private final List<Panel> panels = new ArrayList<>();
    private final String machine;
    private final String command;
    private final String note;
    private final int columns;
    private final int panelHeight;

    private record Panel(Results.Group group, Metric metric) {
    }

    /**
     * Arranges a picture.
     *
     * @param machine where it was measured
     * @param command how and when
     */
    Chart(Results results, String machine, String command) {
        int most = 0;
        for (Results.Group group : results.groups()) {
            for (Metric metric : group.scenario().drawn()) {
                panels.add(new Panel(group, metric));
            }
            most = Math.max(most, group.rows().size());
        }
        this.machine = machine;
        this.command = command;
        note = "In brackets: how many times better than " + Transport.BASELINE +
                (results.isRepeated() ? ". Lines: from the least to the most of all repetitions" : "");
        columns = Math.min(MOST_COLUMNS, panels.size());
        panelHeight = PANEL_HEADER + most * BAR_DISTANCE + MARGIN;
    }

    /**
     * Tells whether a file of this name can be drawn, before much time is spent on its contents.
     *
     * @throws BenchmarkException if not
     */
    static void checkPossible(Path file) throws BenchmarkException {
        if (isSvg(file)) {
            return;
        }
        if (!hasEnding(file, ".png")) {
            throw new BenchmarkException("--plot " + file + ": the name must end with .svg or .png");
        }
        try {
            PngCanvas.checkPossible();
        } catch (RuntimeException | Error e) {
            throw new BenchmarkException("this Java cannot draw a PNG file, a file name that ends with .svg works " +
                    "everywhere: " + e, e);
        }
    }

    private static boolean isSvg(Path file) {
        return hasEnding(file, ".svg");
    }

    private static boolean hasEnding(Path file, String ending) {
        return file.toString().toLowerCase(Locale.ROOT).endsWith(ending);
    }

    void writeTo(Path file) throws IOException {
        // At least two, for the lines at the top.
        int width = 2 * MARGIN + Math.max(2, columns) * PANEL_WIDTH;
        int height = HEADER + MARGIN + (panels.size() + columns - 1) / columns * panelHeight;
        if (isSvg(file)) {
            SvgCanvas canvas = new SvgCanvas(width, height);
            draw(canvas, width, height);
            Files.writeString(file, canvas.finish());
        } else {
            PngCanvas canvas = new PngCanvas(width, height);
            draw(canvas, width, height);
            canvas.writeTo(file);
        }
    }

    private void draw(Canvas canvas, int width, int height) {
        canvas.rectangle(0, 0, width, height, WHITE);
        canvas.text(MARGIN, 28, "UCX beside Netty's other transports", 18, true, START, BLACK);
        canvas.text(MARGIN, 46, machine, 10, false, START, GREY);
        canvas.text(MARGIN, 60, command, 10, false, START, GREY);
        canvas.text(MARGIN, 74, note, 10, false, START, GREY);
        for (int i = 0; i < panels.size(); i++) {
            draw(canvas, panels.get(i), MARGIN + i % columns * PANEL_WIDTH, HEADER + i / columns * panelHeight);
        }
    }

    private static void draw(Canvas canvas, Panel panel, int left, int top) {
        Metric metric = panel.metric;
        canvas.text(left, top + 22, panel.group.title(), 13, true, START, BLACK);
        canvas.text(left, top + 36, metric.label() + " in " + metric.unit() + ", " +
                (metric.moreIsBetter() ? "more" : "less") + " is better", 11, false, START, GREY);
        int barsLeft = left + LABEL_WIDTH;
        double longest = panel.group.rows().stream().map(row -> row.figure(metric)).filter(figure -> figure != null)
                .mapToDouble(Results.Spread::max).max().orElse(1);
        double scale = (PANEL_WIDTH - LABEL_WIDTH - FIGURE_WIDTH) / Math.max(longest, Double.MIN_NORMAL);
        int y = top + PANEL_HEADER;
        for (Results.Row row : panel.group.rows()) {
            canvas.text(barsLeft - 6, y + 12, row.transport(), 12, false, END, BLACK);
            Results.Spread figure = row.figure(metric);
            if (figure == null) {
                canvas.text(barsLeft + 4, y + 12, "not measured", 11, false, START, GREY);
            } else {
                drawBar(canvas, panel, row, figure, barsLeft, y, scale);
            }
            y += BAR_DISTANCE;
        }
        canvas.line(barsLeft, top + PANEL_HEADER - 4, barsLeft, y, LIGHT);
    }

    private static void drawBar(Canvas canvas, Panel panel, Results.Row row, Results.Spread figure, int left, int y,
                                double scale) {
        canvas.rectangle(left, y, Math.max(0, figure.median() * scale), BAR, colour(row.transport()));
        double end = Math.max(0, figure.median() * scale);
        if (row.samples().size() > 1) {
            // From the least to the most that was seen.
            double middle = y + BAR / 2.0;
            canvas.line(left + figure.min() * scale, middle, left + figure.max() * scale, middle, BLACK);
            canvas.line(left + figure.min() * scale, middle - 3, left + figure.min() * scale, middle + 3, BLACK);
            canvas.line(left + figure.max() * scale, middle - 3, left + figure.max() * scale, middle + 3, BLACK);
            end = figure.max() * scale;
        }
        Double ratio = panel.metric == panel.group.scenario().primary() ? panel.group.ratio(row) : null;
        boolean compared = ratio != null && !row.transport().equals(Transport.BASELINE);
        canvas.text(left + end + 5, y + 12, Figures.text(figure.median()) +
                (compared ? "  (" + Figures.text(ratio) + "x)" : ""), 11, false, START, BLACK);
    }

    private static int colour(String transport) {
        return switch (Transport.of(transport).kind()) {
            case NIO -> 0xb0b0b0;
            case EPOLL -> 0x4c78a8;
            case EPOLL_BUSY -> 0x83a9cf;
            case EPOLL_UDS -> 0x2f4b6b;
            case IO_URING -> 0x8f6bb3;
            case UCX -> transport.startsWith("ucx-tcp") ? 0xf2a65a : 0xe4572e;
            case NATIVE -> 0x59a14f;
        };
    }
}
