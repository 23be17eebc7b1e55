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
package org.nettyucx.testsuite.grpc;

import io.grpc.Server;

/** A server over UCX in a process of its own, on a port that is given or, with 0, any; ends with its input. */
final class ServerMain {
    private ServerMain() {
    }

    public static void main(String[] args) throws Exception {
        Server server = Over.UCX.server(Integer.parseInt(args[0])).addService(new TestService()).build().start();
        System.out.println(server.getPort());
        while (System.in.read() >= 0) {
            // Whoever has started us never writes.
        }
        Runtime.getRuntime().halt(0);
    }
}
