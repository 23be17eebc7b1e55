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

import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.nettyucx.example.ExampleException;
import org.nettyucx.example.TwoProcesses;
import org.nettyucx.example.UcxTransports;
import org.nettyucx.example.WholeNumber;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Runs server and client as two processes, which is what UCX is about, and ends both whatever happens.
 */
@Command(name = "run", description = "Runs an echo server and a client as two processes on this host.")
final class RunCommand implements Callable<Integer> {

    @Mixin
    private ConnectionOptions connection;

    @Mixin
    private Workload workload;

    @Option(names = "--tls", paramLabel = "TLS", defaultValue = "all",
            description = "Which UCX transports to use: ${COMPLETION-CANDIDATES}; shm is shared memory only, all is "
                    + "what UCX chooses (default: ${DEFAULT-VALUE}).")
    private UcxTransports transports;

    @Option(names = "--timeout", paramLabel = "SECONDS", defaultValue = "300", converter = WholeNumber.Seconds.class,
            description = "Give up after this time (default: ${DEFAULT-VALUE}).")
    private long timeoutSeconds;

    @Override
    public Integer call() throws ExampleException, InterruptedException {
        workload.validate();
        return new TwoProcesses(Echo.class, Echo.VERDICT, transports, timeoutSeconds)
                .run(connection.toArguments(),
                        Stream.concat(connection.toArguments().stream(), workload.toArguments().stream()).toList());
    }
}
