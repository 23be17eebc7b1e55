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

/** How numbers are written. */
final class Figures {
    private Figures() {
    }

    /** Three digits that count, or all digits of a whole number. */
    static String text(double value) {
        double magnitude = Math.abs(value);
        String format = magnitude >= 100 ? "%,.0f" : magnitude >= 10 ? "%.1f" : magnitude >= 1 ? "%.2f" : "%.3f";
        return String.format(Locale.ROOT, format, value);
    }

    static String text(Results.Spread spread, boolean repeated) {
        return repeated ? text(spread.median()) + " (" + text(spread.min()) + ".." + text(spread.max()) + ')' :
                text(spread.median());
    }
}
