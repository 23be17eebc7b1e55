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

/** Something to draw on. Coordinates are pixels from the upper left corner, colours are {@code 0xRRGGBB}. */
interface Canvas {
    /** Where a text's x is. */
    enum Anchor { START, MIDDLE, END }

    void rectangle(double x, double y, double width, double height, int colour);

    void line(double x1, double y1, double x2, double y2, int colour);

    /** Draws a text whose base line is at y. */
    void text(double x, double y, String text, int size, boolean bold, Anchor anchor, int colour);
}
