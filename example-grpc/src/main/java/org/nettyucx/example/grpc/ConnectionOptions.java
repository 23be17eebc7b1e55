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

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ServerCredentials;
import java.nio.file.Path;
import java.util.List;
import org.nettyucx.example.ExampleException;
import picocli.CommandLine.Option;

/**
 * The options in which server and client must agree.
 */
final class ConnectionOptions {

    @Option(names = "--transport", paramLabel = "T", defaultValue = "ucx",
            description = "Netty's transport: ${COMPLETION-CANDIDATES}; the last two are TCP, for comparison (default: "
                    + "${DEFAULT-VALUE}).")
    private Transport transport;

    @Option(names = "--certificates", paramLabel = "DIRECTORY",
            description = "Use mutual TLS with server.p12 or client.p12 from this directory.")
    private Path certificates;

    /** The same options again, with the certificates of this directory, for a process that is to have them. */
    static List<String> toArguments(Transport transport, Path certificates) {
        return certificates == null ? List.of("--transport", transport.name())
                : List.of("--transport", transport.name(), "--certificates", certificates.toString());
    }

    Transport transport() {
        return transport;
    }

    Path certificates() {
        return certificates;
    }

    ServerCredentials serverCredentials() throws ExampleException {
        return certificates == null ? InsecureServerCredentials.create()
                : new Certificates(certificates).serverCredentials();
    }

    ChannelCredentials clientCredentials() throws ExampleException {
        return certificates == null ? InsecureChannelCredentials.create()
                : new Certificates(certificates).clientCredentials();
    }
}
