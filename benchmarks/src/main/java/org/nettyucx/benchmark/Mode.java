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

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What the user asks for; each is measured by one scenario or more. */
enum Mode {
    LATENCY(List.of(64, 1024, 65536), List.of(64, 65536)),
    THROUGHPUT(List.of(64, 4096, 65536, 1048576), List.of(4096, 65536)),
    MESSAGES(List.of(64), List.of(64)),
    CONNECTIONS(List.of(64), List.of(64)),
    GRPC(List.of(64), List.of(64));

    private final List<Integer> sizes;
    private final List<Integer> tourSizes;

    Mode(List<Integer> sizes, List<Integer> tourSizes) {
        this.sizes = sizes;
        this.tourSizes = tourSizes;
    }

    List<Integer> sizes(boolean tour) {
        return tour ? tourSizes : sizes;
    }

    List<Scenario> scenarios() {
        return Arrays.stream(Scenario.values()).filter(scenario -> scenario.mode() == this).toList();
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
