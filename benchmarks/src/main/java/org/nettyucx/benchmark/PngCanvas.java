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

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Line2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import javax.imageio.ImageIO;

/** Draws a PNG file. Only where Java has AWT and the system has fonts. */
final class PngCanvas implements Canvas {
    /** For sharp letters on today's screens. */
    private static final int SCALE = 2;

    private final BufferedImage image;
    private final Graphics2D graphics;

    PngCanvas(int width, int height) {
        System.setProperty("java.awt.headless", "true");
        image = new BufferedImage(width * SCALE, height * SCALE, BufferedImage.TYPE_INT_RGB);
        graphics = image.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        graphics.scale(SCALE, SCALE);
        graphics.setStroke(new BasicStroke(1));
    }

    /** Fails where the files could not be drawn: with an exception or an error, depending on what is missing. */
    static void checkPossible() {
        new PngCanvas(10, 10).text(0, 10, "test", 10, false, Anchor.MIDDLE, 0);
    }

    @Override
    public void rectangle(double x, double y, double width, double height, int colour) {
        graphics.setColor(new Color(colour));
        graphics.fill(new Rectangle2D.Double(x, y, width, height));
    }

    @Override
    public void line(double x1, double y1, double x2, double y2, int colour) {
        graphics.setColor(new Color(colour));
        graphics.draw(new Line2D.Double(x1, y1, x2, y2));
    }

    @Override
    public void text(double x, double y, String text, int size, boolean bold, Anchor anchor, int colour) {
        graphics.setColor(new Color(colour));
        graphics.setFont(new Font(Font.SANS_SERIF, bold ? Font.BOLD : Font.PLAIN, size));
        double width = graphics.getFontMetrics().getStringBounds(text, graphics).getWidth();
        double left = x - (anchor == Anchor.END ? width : anchor == Anchor.MIDDLE ? width / 2 : 0);
        graphics.drawString(text, (float) left, (float) y);
    }

    void writeTo(Path file) throws IOException {
        if (!ImageIO.write(image, "png", file.toFile())) {
            throw new IOException("this Java cannot write PNG files");
        }
    }
}
