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
import java.util.Locale;
import org.nettyucx.UcxConnector;
import org.nettyucx.UcxWire;
import picocli.CommandLine.Option;

/**
 * The options that say how the two sides get connected, and which must be the same on both.
 */
final class ConnectionOptions {

    @Option(names = "--connector", paramLabel = "C", defaultValue = "BOOTSTRAP",
            description = "How connections are made: bootstrap (TCP, then links) or listener (UCX's own connection "
                    + "manager). Default: bootstrap.")
    private UcxConnector connector;

    @Option(names = "--wire", paramLabel = "W", defaultValue = "NETTY",
            description = "What goes over a connection of the listener: netty, or raw for peers that are other UCX "
                    + "programs. Default: netty.")
    private UcxWire wire;

    UcxConnector connector() {
        return connector;
    }

    UcxWire wire() {
        return wire;
    }

    /** UCX's connection manager is not safe with several workers in a process. */
    int limitLoops(int loops) {
        return connector == UcxConnector.LISTENER ? 1 : loops;
    }

    /** The same options again, for another process. */
    List<String> toArguments() {
        return List.of("--connector", connector.name().toLowerCase(Locale.ROOT),
                "--wire", wire.name().toLowerCase(Locale.ROOT));
    }
}
