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
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.grpc.testing.integration.EmptyProtos.Empty;
import io.grpc.testing.integration.Messages.Payload;
import io.grpc.testing.integration.Messages.SimpleRequest;
import io.grpc.testing.integration.Messages.SimpleResponse;
import io.grpc.testing.integration.Messages.StreamingOutputCallRequest;
import io.grpc.testing.integration.Messages.StreamingOutputCallResponse;
import io.grpc.testing.integration.TestServiceGrpc;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Empty calls are answered at once, unary ones with as many bytes as they ask for; with none, they are never answered
 * unless {@link #answer} is called. Full duplex calls get an answer for each message.
 */
final class TestService extends TestServiceGrpc.TestServiceImplBase {
    private final BlockingQueue<StreamObserver<SimpleResponse>> waiting = new LinkedBlockingQueue<>();
    private final BlockingQueue<Object> cancelled = new LinkedBlockingQueue<>();

    /** Calls that have come and are not answered. */
    BlockingQueue<StreamObserver<SimpleResponse>> waiting() {
        return waiting;
    }

    /** Has an element for each call that was cancelled. */
    BlockingQueue<Object> cancelled() {
        return cancelled;
    }

    static SimpleResponse response(int bytes) {
        return SimpleResponse.newBuilder()
                .setPayload(Payload.newBuilder().setBody(ByteString.copyFrom(new byte[bytes]))).build();
    }

    static void answer(StreamObserver<SimpleResponse> call) {
        call.onNext(response(1));
        call.onCompleted();
    }

    @Override
    public void emptyCall(Empty request, StreamObserver<Empty> responses) {
        responses.onNext(Empty.getDefaultInstance());
        responses.onCompleted();
    }

    @Override
    public void unaryCall(SimpleRequest request, StreamObserver<SimpleResponse> responses) {
        if (request.getResponseSize() == 0) {
            ((ServerCallStreamObserver<SimpleResponse>) responses).setOnCancelHandler(() -> cancelled.add(request));
            waiting.add(responses);
        } else {
            responses.onNext(response(request.getResponseSize()));
            responses.onCompleted();
        }
    }

    @Override
    public StreamObserver<StreamingOutputCallRequest> fullDuplexCall(
            StreamObserver<StreamingOutputCallResponse> responses) {
        ((ServerCallStreamObserver<StreamingOutputCallResponse>) responses)
                .setOnCancelHandler(() -> cancelled.add(responses));
        return new StreamObserver<>() {
            @Override
            public void onNext(StreamingOutputCallRequest request) {
                responses.onNext(StreamingOutputCallResponse.newBuilder().setPayload(request.getPayload()).build());
            }

            @Override
            public void onError(Throwable cause) {
                // The cancel handler is called.
            }

            @Override
            public void onCompleted() {
                responses.onCompleted();
            }
        };
    }
}
