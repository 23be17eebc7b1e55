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
package org.nettyucx;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What a process holds of its system's resources.
 *
 * @param residentKb resident memory
 * @param descriptors open file descriptors
 * @param mappings memory mappings
 */
record ProcessFigures(long residentKb, long descriptors, long mappings) {
    /** The worker that ReceiveProbe makes when the first peer seems to have died, and keeps. */
    static final int DESCRIPTORS_OF_PROBE = 12;
    private static final long PAGE_KB = 4;

    static ProcessFigures now() {
        return of("self");
    }

    static ProcessFigures of(Object pid) {
        Path directory = Path.of("/proc/" + pid);
        try (Stream<Path> descriptors = Files.list(directory.resolve("fd"));
             Stream<String> mappings = Files.lines(directory.resolve("maps"))) {
            long resident = Long.parseLong(Files.readString(directory.resolve("statm")).split(" ")[1]);
            return new ProcessFigures(resident * PAGE_KB, descriptors.count(), mappings.count());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Parses what {@link #toString()} made. */
    static ProcessFigures parse(String text) {
        String[] numbers = text.replaceAll("[^0-9]+", " ").trim().split(" ");
        return new ProcessFigures(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]), Long.parseLong(numbers[2]));
    }

    @Override
    public String toString() {
        return "resident " + residentKb + " KiB, " + descriptors + " descriptors, " + mappings + " mappings";
    }
}
