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
package org.nettyucx.example.grpc;

import java.util.List;
import org.nettyucx.example.WholeNumber;
import picocli.CommandLine.Option;

/**
 * The options that say what the client calls, shared by the commands that take them.
 */
final class Workload {

    @Option(names = "--count", paramLabel = "N", defaultValue = "10000", converter = WholeNumber.Positive.class,
            description = "How many calls to make (default: ${DEFAULT-VALUE}).")
    private long count;

    @Option(names = "--concurrency", paramLabel = "C", defaultValue = "8", converter = Concurrency.class,
            description = "How many calls to make at a time (default: ${DEFAULT-VALUE}).")
    private long concurrency;

    @Option(names = "--bytes", paramLabel = "B", defaultValue = "100", converter = ValueBytes.class,
            description = "Size of a value that is stored, at most 1 MiB (default: ${DEFAULT-VALUE}).")
    private long bytes;

    @Option(names = "--warm-up", paramLabel = "N", defaultValue = "2000", converter = WholeNumber.NotNegative.class,
            description = "How many calls to make before those that count (default: ${DEFAULT-VALUE}).")
    private long warmUp;

    /** More would say nothing about the transport. */
    static final class Concurrency extends WholeNumber {
        Concurrency() {
            super(1, 10_000);
        }
    }

    /** Of an entry: below what gRPC takes as a message, and a hundred of them are in memory. */
    static final class ValueBytes extends WholeNumber {
        ValueBytes() {
            super(0, 1 << 20);
        }
    }

    long count() {
        return count;
    }

    int concurrency() {
        return (int) concurrency;
    }

    int bytes() {
        return (int) bytes;
    }

    long warmUp() {
        return warmUp;
    }

    /** The same options again, for a process that is to do this work. */
    List<String> toArguments() {
        return List.of("--count", Long.toString(count), "--concurrency", Long.toString(concurrency),
                "--bytes", Long.toString(bytes), "--warm-up", Long.toString(warmUp));
    }
}
