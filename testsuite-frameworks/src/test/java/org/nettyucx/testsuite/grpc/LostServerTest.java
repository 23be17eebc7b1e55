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
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.StreamObserver;
import io.grpc.testing.integration.EmptyProtos.Empty;
import io.grpc.testing.integration.Messages.Payload;
import io.grpc.testing.integration.Messages.SimpleResponse;
import io.grpc.testing.integration.Messages.StreamingOutputCallRequest;
import io.grpc.testing.integration.Messages.StreamingOutputCallResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The server's process is killed or freezes. */
class LostServerTest {
    private static final int CHANNELS = 20;

    private final GrpcPeers peers = new GrpcPeers();

    @AfterEach
    void closePeers() {
        peers.close();
    }

    private static void assertUnavailable(String text, Responses<?> responses) throws Exception {
        Status status = responses.awaitStatus();
        assertEquals(Status.Code.UNAVAILABLE, status.getCode(), GrpcPeers.text(status));
        assertTrue(GrpcPeers.text(status).contains(text), GrpcPeers.text(status));
    }

    private static StreamingOutputCallRequest message(int bytes) {
        return StreamingOutputCallRequest.newBuilder()
                .setPayload(Payload.newBuilder().setBody(ByteString.copyFrom(new byte[bytes]))).build();
    }

    @Test
    void callsUnderWay() throws Exception {
        try (ServerProcess server = ServerProcess.start(0)) {
            ManagedChannel channel = peers.open(Over.UCX.channel(server.port()));
            Responses<StreamingOutputCallResponse> stream = new Responses<>();
            StreamObserver<StreamingOutputCallRequest> requests = GrpcPeers.stub(channel).fullDuplexCall(stream);
            requests.onNext(message(10));
            stream.awaitMessage();
            Responses<SimpleResponse> unary = GrpcPeers.callWithoutAnswer(channel);
            GrpcPeers.assertWorks(channel);
            server.kill();
            assertUnavailable("Connection reset by peer", stream);
            assertUnavailable("Connection reset by peer", unary);
        }
    }

    /** Has as many messages under way as it may, but few enough to see their answers, until the call ends. */
    private static final class Writer implements
            ClientResponseObserver<StreamingOutputCallRequest, StreamingOutputCallResponse> {
        private static final int MESSAGES = 50;

        private final Responses<StreamingOutputCallResponse> end = new Responses<>();
        private final CountDownLatch busy = new CountDownLatch(20);
        private final StreamingOutputCallRequest message;
        private ClientCallStreamObserver<StreamingOutputCallRequest> requests;
        private int underWay;

        Writer(int bytes) {
            message = message(bytes);
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<StreamingOutputCallRequest> stream) {
            requests = stream;
            requests.setOnReadyHandler(this::write);
        }

        private void write() {
            while (underWay < MESSAGES && requests.isReady()) {
                requests.onNext(message);
                underWay++;
            }
        }

        @Override
        public void onNext(StreamingOutputCallResponse response) {
            busy.countDown();
            underWay--;
            write();
        }

        @Override
        public void onError(Throwable cause) {
            end.onError(cause);
        }

        @Override
        public void onCompleted() {
            end.onCompleted();
        }
    }

    /** In whatever a connection is when it ends: writing, waiting for credit, reading. */
    @Test
    void busyConnections() throws Exception {
        try (ServerProcess server = ServerProcess.start(0)) {
            List<Writer> writers = new ArrayList<>();
            for (int i = 0; i < CHANNELS; i++) {
                Writer writer = new Writer(1 + 5_000 * i);
                GrpcPeers.stub(peers.open(Over.UCX.channel(server.port()))).fullDuplexCall(writer);
                writers.add(writer);
            }
            for (Writer writer : writers) {
                assertTrue(writer.busy.await(Responses.TIMEOUT_SECONDS, TimeUnit.SECONDS));
            }
            server.kill();
            for (Writer writer : writers) {
                assertUnavailable("", writer.end);
            }
        }
    }

    /** Another server on the same port is found without a new channel. */
    @Test
    void serverIsRestarted() throws Exception {
        ManagedChannel channel;
        int port;
        try (ServerProcess server = ServerProcess.start(0)) {
            port = server.port();
            channel = peers.open(Over.UCX.channel(port));
            Responses<SimpleResponse> underWay = GrpcPeers.callWithoutAnswer(channel);
            GrpcPeers.assertWorks(channel);
            server.kill();
            assertUnavailable("Connection reset by peer", underWay);
        }
        Status status = GrpcPeers.call(channel);
        assertEquals(Status.Code.UNAVAILABLE, status.getCode(), GrpcPeers.text(status));
        assertTrue(GrpcPeers.text(status).contains("Connection refused"), GrpcPeers.text(status));
        try (ServerProcess server = ServerProcess.start(port)) {
            assertEquals(port, server.port());
            Responses<Empty> responses = new Responses<>();
            GrpcPeers.stub(channel).withWaitForReady().emptyCall(Empty.getDefaultInstance(), responses);
            Status again = responses.awaitStatus();
            assertEquals(Status.Code.OK, again.getCode(), GrpcPeers.text(again));
        }
    }

    /** gRPC's own pings end a connection whose peer says nothing, and only such a one. Ten seconds are its minimum. */
    @Test
    @Tag("once")
    void keepAlive() throws Exception {
        try (ServerProcess frozen = ServerProcess.start(0); ServerProcess alive = ServerProcess.start(0)) {
            List<Responses<StreamingOutputCallResponse>> streams = new ArrayList<>();
            List<StreamObserver<StreamingOutputCallRequest>> requests = new ArrayList<>();
            for (ServerProcess server : List.of(frozen, alive)) {
                ManagedChannel channel = peers.open(Over.UCX.channel(server.port()).keepAliveTime(10, TimeUnit.SECONDS)
                        .keepAliveTimeout(5, TimeUnit.SECONDS));
                Responses<StreamingOutputCallResponse> stream = new Responses<>();
                streams.add(stream);
                requests.add(GrpcPeers.stub(channel).fullDuplexCall(stream));
                requests.get(requests.size() - 1).onNext(message(1));
                stream.awaitMessage();
            }
            frozen.freeze();
            assertUnavailable("Keepalive failed", streams.get(0));
            requests.get(1).onNext(message(1));
            streams.get(1).awaitMessage();
        }
    }
}
