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
package org.nettyucx.grpc;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Server;
import io.grpc.ServerBuilder;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A program that uses gRPC and knows of neither UCX nor Netty, with a test's questions. */
final class ProgramMain {
    private ProgramMain() {
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "report":
                report();
                break;
            case "serve-once":
                serveOnce(Integer.parseInt(args[1]));
                break;
            default:
                throw new IllegalArgumentException(args[0]);
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private static ManagedChannel newChannel(int port) {
        return ManagedChannelBuilder.forAddress("localhost", port).usePlaintext().build();
    }

    private static void report() throws Exception {
        try {
            say("channel " + Protocols.ofChannel(ProgramMain::newChannel));
        } catch (IllegalStateException e) {
            say("channel failed: " + e.getMessage());
        }
        try {
            Server server = ServerBuilder.forPort(0).addService(BytesService.define(request -> request)).build()
                    .start();
            say("server " + Protocols.ofServer(server.getPort()));
            ManagedChannel channel = newChannel(server.getPort());
            say("answer " + new String(BytesService.call(channel, "42".getBytes())));
            channel.shutdownNow();
            server.shutdownNow();
        } catch (IllegalStateException e) {
            say("server failed: " + e.getMessage());
        }
    }

    /** Answers one call with so many bytes and ends at once; nobody else keeps the JVM alive. */
    private static void serveOnce(int bytes) throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        Server server = ServerBuilder.forPort(0).addService(BytesService.define(request -> {
            called.countDown();
            return new byte[bytes];
        })).build().start();
        say("port " + server.getPort());
        called.await();
        server.shutdown();
        if (!server.awaitTermination(30, TimeUnit.SECONDS)) {
            throw new AssertionError("the server did not terminate");
        }
    }
}
