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
package org.nettyucx.benchmark;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.netty.channel.ChannelOption;

import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;

/** A gRPC server that answers on its event loop. */
final class GrpcServerLoad extends ServerLoad {
    private final byte[] response;
    private Server server;

    GrpcServerLoad(Transport transport, Setup setup) {
        super(transport, setup);
        response = new byte[setup.size()];
    }

    @Override
    @SuppressWarnings("unchecked")
    String listen(SocketAddress address) throws Exception {
        NettyServerBuilder builder = NettyServerBuilder.forAddress(address).channelType(transport.serverChannel())
                .bossEventLoopGroup(group).workerEventLoopGroup(group).directExecutor()
                .maxInboundMessageSize(Integer.MAX_VALUE)
                .addService(ServerServiceDefinition.builder(GrpcMethods.SERVICE)
                        .addMethod(GrpcMethods.UNARY, ServerCalls.asyncUnaryCall(this::answer))
                        .addMethod(GrpcMethods.STREAMING, ServerCalls.asyncServerStreamingCall(this::stream))
                        .build());
        options().forEach((option, value) -> builder.withChildOption((ChannelOption<Object>) option, value));
        server = builder.build().start();
        return text(server.getListenSockets().get(0));
    }

    private void answer(byte[] request, StreamObserver<byte[]> responses) {
        responses.onNext(request);
        responses.onCompleted();
    }

    private void stream(byte[] request, StreamObserver<byte[]> observer) {
        ServerCallStreamObserver<byte[]> responses = (ServerCallStreamObserver<byte[]>) observer;
        responses.setOnReadyHandler(new Runnable() {
            private int left = GrpcMethods.streamLength(setup.size());

            @Override
            public void run() {
                while (left > 0 && responses.isReady()) {
                    responses.onNext(response);
                    if (--left == 0) {
                        responses.onCompleted();
                    }
                }
            }
        });
    }

    @Override
    void mark(ObjectNode mark) {
        // The client counts.
    }

    @Override
    void endTraffic() throws Exception {
        if (server != null && !server.shutdownNow().awaitTermination(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new BenchmarkException("the gRPC server does not end");
        }
    }
}
