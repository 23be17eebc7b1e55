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

import java.util.Locale;

/** Draws into the text of an SVG file. Needs no fonts here: who shows the picture has them. */
final class SvgCanvas implements Canvas {
    private final StringBuilder svg = new StringBuilder();

    SvgCanvas(int width, int height) {
        append("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" " +
                "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">%n", width, height, width, height);
    }

    private void append(String format, Object... arguments) {
        svg.append(String.format(Locale.ROOT, format, arguments));
    }

    private static String colour(int rgb) {
        return String.format("#%06x", rgb);
    }

    @Override
    public void rectangle(double x, double y, double width, double height, int colour) {
        append("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>%n", x, y, width, height,
                colour(colour));
    }

    @Override
    public void line(double x1, double y1, double x2, double y2, int colour) {
        append("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>%n", x1, y1, x2, y2,
                colour(colour));
    }

    @Override
    public void text(double x, double y, String text, int size, boolean bold, Anchor anchor, int colour) {
        append("<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\"%s text-anchor=\"%s\" fill=\"%s\">%s</text>%n", x, y, size,
                bold ? " font-weight=\"bold\"" : "", anchor.name().toLowerCase(Locale.ROOT), colour(colour),
                text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"));
    }

    /** Returns the whole file. */
    String finish() {
        return svg + "</svg>" + System.lineSeparator();
    }
}
