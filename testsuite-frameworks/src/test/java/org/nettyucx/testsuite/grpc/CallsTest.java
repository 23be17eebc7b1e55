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

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.grpc.testing.integration.Messages.Payload;
import io.grpc.testing.integration.Messages.SimpleRequest;
import io.grpc.testing.integration.Messages.SimpleResponse;
import io.grpc.testing.integration.Messages.StreamingOutputCallRequest;
import io.grpc.testing.integration.Messages.StreamingOutputCallResponse;
import io.grpc.testing.integration.TestServiceGrpc;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** How calls, channels and servers end when all is well with the connection. */
class CallsTest {
    private static final int STREAMS = 10_000;
    private static final int MAX_MESSAGE = 100_000;

    private final GrpcPeers peers = new GrpcPeers();
    private final TestService service = new TestService();

    @AfterEach
    void closePeers() {
        peers.close();
    }

    private StreamObserver<SimpleResponse> awaitCall() throws InterruptedException {
        StreamObserver<SimpleResponse> call = service.waiting().poll(Responses.TIMEOUT_SECONDS, TimeUnit.SECONDS);
        assertNotNull(call, "no call has come");
        return call;
    }

    private void assertCancelledAtTheServer() throws InterruptedException {
        assertNotNull(service.cancelled().poll(Responses.TIMEOUT_SECONDS, TimeUnit.SECONDS), "not cancelled");
    }

    private static void assertStatus(Status.Code code, String text, Responses<?> responses) throws Exception {
        Status status = responses.awaitStatus();
        assertEquals(code, status.getCode(), GrpcPeers.text(status));
        assertTrue(GrpcPeers.text(status).contains(text), GrpcPeers.text(status));
    }

    private static StreamingOutputCallRequest message(String text) {
        return StreamingOutputCallRequest.newBuilder()
                .setPayload(Payload.newBuilder().setBody(ByteString.copyFromUtf8(text))).build();
    }

    @ParameterizedTest
    @EnumSource
    void deadline(Over over) throws Exception {
        Server server = peers.start(over.server(0), service);
        ManagedChannel channel = peers.open(over.channel(server.getPort()));
        GrpcPeers.assertWorks(channel);
        Responses<SimpleResponse> responses = new Responses<>();
        TestServiceGrpc.newStub(channel).withDeadlineAfter(1, TimeUnit.SECONDS)
                .unaryCall(SimpleRequest.getDefaultInstance(), responses);
        assertStatus(Status.Code.DEADLINE_EXCEEDED, "", responses);
        assertCancelledAtTheServer();
        GrpcPeers.assertWorks(channel);
    }

    @ParameterizedTest
    @EnumSource
    void cancellation(Over over) throws Exception {
        Server server = peers.start(over.server(0), service);
        ManagedChannel channel = peers.open(over.channel(server.getPort()));
        Responses<StreamingOutputCallResponse> responses = new Responses<>();
        ClientCallStreamObserver<StreamingOutputCallRequest> requests =
                (ClientCallStreamObserver<StreamingOutputCallRequest>) GrpcPeers.stub(channel)
                        .fullDuplexCall(responses);
        requests.onNext(message("1"));
        responses.awaitMessage();
        requests.cancel("no longer wanted", null);
        assertStatus(Status.Code.CANCELLED, "no longer wanted", responses);
        assertCancelledAtTheServer();
        GrpcPeers.assertWorks(channel);
    }

    /** A message that is too large ends its call, not the connection. */
    @ParameterizedTest
    @EnumSource
    void messageTooLarge(Over over) throws Exception {
        Server server = peers.start(over.server(0).maxInboundMessageSize(MAX_MESSAGE), service);
        ManagedChannel channel = peers.open(over.channel(server.getPort()).maxInboundMessageSize(MAX_MESSAGE));

        Responses<SimpleResponse> fits = new Responses<>();
        GrpcPeers.stub(channel).unaryCall(SimpleRequest.newBuilder().setResponseSize(MAX_MESSAGE - 100).build(), fits);
        assertStatus(Status.Code.OK, "", fits);

        Responses<SimpleResponse> response = new Responses<>();
        GrpcPeers.stub(channel).unaryCall(SimpleRequest.newBuilder().setResponseSize(MAX_MESSAGE).build(), response);
        assertStatus(Status.Code.RESOURCE_EXHAUSTED, "exceeds maximum size " + MAX_MESSAGE, response);

        Responses<SimpleResponse> request = new Responses<>();
        GrpcPeers.stub(channel).unaryCall(SimpleRequest.newBuilder().setResponseSize(1).setPayload(
                Payload.newBuilder().setBody(ByteString.copyFrom(new byte[MAX_MESSAGE]))).build(), request);
        assertStatus(Status.Code.RESOURCE_EXHAUSTED, "exceeds maximum size " + MAX_MESSAGE, request);
        GrpcPeers.assertWorks(channel);
    }

    /** What is under way ends well, what is new is refused. */
    @ParameterizedTest
    @EnumSource
    void serverShutsDown(Over over) throws Exception {
        Server server = peers.start(over.server(0), service);
        ManagedChannel channel = peers.open(over.channel(server.getPort()));
        Responses<SimpleResponse> underWay = GrpcPeers.callWithoutAnswer(channel);
        StreamObserver<SimpleResponse> call = awaitCall();
        server.shutdown();
        Status refused = GrpcPeers.call(peers.open(over.channel(server.getPort())));
        assertEquals(Status.Code.UNAVAILABLE, refused.getCode(), GrpcPeers.text(refused));
        assertTrue(underWay.isOpen());
        assertTrue(!server.isTerminated());
        TestService.answer(call);
        assertStatus(Status.Code.OK, "", underWay);
        assertTrue(server.awaitTermination(Responses.TIMEOUT_SECONDS, TimeUnit.SECONDS));
    }

    @ParameterizedTest
    @EnumSource
    void serverShutsDownNow(Over over) throws Exception {
        Server server = peers.start(over.server(0), service);
        ManagedChannel channel = peers.open(over.channel(server.getPort()));
        Responses<SimpleResponse> underWay = GrpcPeers.callWithoutAnswer(channel);
        awaitCall();
        server.shutdownNow();
        // gRPC cancels the call and closes the connection; which of the two the client sees first is a matter of luck.
        Status status = underWay.awaitStatus();
        assertTrue(status.getCode() == Status.Code.CANCELLED || status.getCode() == Status.Code.UNAVAILABLE
                && GrpcPeers.text(status).contains("GOAWAY"), GrpcPeers.text(status));
        assertTrue(server.awaitTermination(Responses.TIMEOUT_SECONDS, TimeUnit.SECONDS));
    }

    @ParameterizedTest
    @EnumSource
    void channelShutsDown(Over over) throws Exception {
        Server server = peers.start(over.server(0), service);
        ManagedChannel channel = peers.open(over.channel(server.getPort()));
        Responses<SimpleResponse> underWay = GrpcPeers.callWithoutAnswer(channel);
        StreamObserver<SimpleResponse> call = awaitCall();
        channel.shutdown();
        Status refused = GrpcPeers.call(channel);
        assertEquals(Status.Code.UNAVAILABLE, refused.getCode(), GrpcPeers.text(refused));
        TestService.answer(call);
        assertStatus(Status.Code.OK, "", underWay);
        assertTrue(channel.awaitTermination(Responses.TIMEOUT_SECONDS, TimeUnit.SECONDS));
    }

    @ParameterizedTest
    @EnumSource
    void channelShutsDownNow(Over over) throws Exception {
        Server server = peers.start(over.server(0), service);
        ManagedChannel channel = peers.open(over.channel(server.getPort()));
        Responses<SimpleResponse> underWay = GrpcPeers.callWithoutAnswer(channel);
        awaitCall();
        channel.shutdownNow();
        assertStatus(Status.Code.UNAVAILABLE, "Channel shutdownNow invoked", underWay);
        assertTrue(channel.awaitTermination(Responses.TIMEOUT_SECONDS, TimeUnit.SECONDS));
        assertCancelledAtTheServer();
    }

    /** All are open at the same time, on one connection. */
    @ParameterizedTest
    @EnumSource(names = "UCX")
    void manyStreams(Over over) throws Exception {
        Server server = peers.start(over.server(0), service);
        ManagedChannel channel = peers.open(over.channel(server.getPort()));
        List<Responses<StreamingOutputCallResponse>> responses = new ArrayList<>();
        List<StreamObserver<StreamingOutputCallRequest>> requests = new ArrayList<>();
        for (int i = 0; i < STREAMS; i++) {
            responses.add(new Responses<>());
            requests.add(TestServiceGrpc.newStub(channel).fullDuplexCall(responses.get(i)));
            requests.get(i).onNext(message("a" + i));
        }
        for (String prefix : new String[] {"a", "b"}) {
            for (int i = 0; i < STREAMS; i++) {
                assertEquals(prefix + i, responses.get(i).awaitMessage().getPayload().getBody().toStringUtf8());
                if (prefix.equals("a")) {
                    requests.get(i).onNext(message("b" + i));
                } else {
                    requests.get(i).onCompleted();
                }
            }
        }
        for (Responses<?> response : responses) {
            assertStatus(Status.Code.OK, "", response);
        }
    }
}
