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
package org.nettyucx.example.echo;

import java.util.List;
import org.nettyucx.example.WholeNumber;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The options that say what the client sends, shared by the commands that take them.
 */
final class Workload {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(names = "--count", paramLabel = "N", defaultValue = "1000", converter = WholeNumber.NotNegative.class,
            description = "How many messages to send (default: ${DEFAULT-VALUE}).")
    private long count;

    @Option(names = "--bytes", paramLabel = "B", defaultValue = "1024", converter = WholeNumber.NotNegative.class,
            description = "Size of a message (default: ${DEFAULT-VALUE}).")
    private long bytes;

    @Option(names = "--in-flight", paramLabel = "K", defaultValue = "64", converter = WholeNumber.Positive.class,
            description = "How many messages may wait for their echo at once; 1 is ping-pong (default: "
                    + "${DEFAULT-VALUE}).")
    private long inFlight;

    long count() {
        return count;
    }

    long bytes() {
        return bytes;
    }

    long inFlight() {
        return inFlight;
    }

    /** Checks what no single option can know. */
    void validate() {
        if (bytes > 0 && count > Long.MAX_VALUE / bytes) {
            throw new ParameterException(command.commandLine(),
                    "--count times --bytes must not exceed " + Long.MAX_VALUE);
        }
    }

    /** The same options again, for a process that is to do this work. */
    List<String> toArguments() {
        return List.of("--count", Long.toString(count), "--bytes", Long.toString(bytes),
                "--in-flight", Long.toString(inFlight));
    }
}
