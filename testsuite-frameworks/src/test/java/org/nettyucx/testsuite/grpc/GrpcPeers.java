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

import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.Status;
import io.grpc.testing.integration.EmptyProtos.Empty;
import io.grpc.testing.integration.Messages.SimpleRequest;
import io.grpc.testing.integration.Messages.SimpleResponse;
import io.grpc.testing.integration.TestServiceGrpc;
import io.grpc.testing.integration.TestServiceGrpc.TestServiceStub;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** The servers and channels of a test, ended with it. */
final class GrpcPeers implements AutoCloseable {
    private final List<Server> servers = new ArrayList<>();
    private final List<ManagedChannel> channels = new ArrayList<>();

    Server start(ServerBuilder<?> builder, BindableService service) throws IOException {
        Server server = builder.addService(service).build().start();
        servers.add(server);
        return server;
    }

    ManagedChannel open(ManagedChannelBuilder<?> builder) {
        ManagedChannel channel = builder.build();
        channels.add(channel);
        return channel;
    }

    /** Calls with a deadline that ends a test which would hang. */
    static TestServiceStub stub(ManagedChannel channel) {
        return TestServiceGrpc.newStub(channel).withDeadlineAfter(Responses.TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    /** The status of an empty call. */
    static Status call(ManagedChannel channel) throws Exception {
        Responses<Empty> responses = new Responses<>();
        stub(channel).emptyCall(Empty.getDefaultInstance(), responses);
        return responses.awaitStatus();
    }

    static void assertWorks(ManagedChannel channel) throws Exception {
        assertEquals(Status.Code.OK, call(channel).getCode());
    }

    /** A call that the service does not answer by itself. */
    static Responses<SimpleResponse> callWithoutAnswer(ManagedChannel channel) {
        Responses<SimpleResponse> responses = new Responses<>();
        stub(channel).unaryCall(SimpleRequest.getDefaultInstance(), responses);
        return responses;
    }

    /** All that a user is told: the status and its causes. */
    static String text(Status status) {
        StringBuilder text = new StringBuilder(status.getCode() + ": " + status.getDescription());
        for (Throwable cause = status.getCause(); cause != null; cause = cause.getCause()) {
            text.append("; ").append(cause);
        }
        return text.toString();
    }

    @Override
    public void close() {
        channels.forEach(ManagedChannel::shutdownNow);
        servers.forEach(Server::shutdownNow);
    }
}
