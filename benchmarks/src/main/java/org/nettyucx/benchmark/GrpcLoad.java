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
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.netty.channel.ChannelOption;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A gRPC client: calls again and again. */
final class GrpcLoad extends ClientLoad {
    private final byte[] request;
    private final Counter messages = new Counter();
    private final Latencies latencies = new Latencies();
    private final CountDownLatch ended;
    private ManagedChannel channel;

    GrpcLoad(Transport transport, Setup setup, SocketAddress server) {
        super(transport, setup, server);
        request = new byte[setup.size()];
        ended = new CountDownLatch(setup.scenario() == Scenario.UNARY_CONCURRENT ? setup.concurrency() : 1);
    }

    @Override
    @SuppressWarnings("unchecked")
    void start(ObjectNode answer) {
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(server())
                .channelType(transport.clientChannel(), transport.isDomainSocket() ? null : InetSocketAddress.class)
                .eventLoopGroup(group).directExecutor().usePlaintext().maxInboundMessageSize(Integer.MAX_VALUE);
        options().forEach((option, value) -> builder.withOption((ChannelOption<Object>) option, value));
        channel = builder.build();
        for (long i = ended.getCount(); i > 0; i--) {
            call();
        }
    }

    private void call() {
        if (isClosing()) {
            ended.countDown();
        } else if (setup.scenario() == Scenario.STREAMING) {
            ClientCalls.asyncServerStreamingCall(channel.newCall(GrpcMethods.STREAMING, CallOptions.DEFAULT), request,
                    new Responses());
        } else {
            ClientCalls.asyncUnaryCall(channel.newCall(GrpcMethods.UNARY, CallOptions.DEFAULT), request,
                    new Responses());
        }
    }

    @Override
    void mark(ObjectNode mark) {
        mark.put("messages", messages.get());
        latencies.mark(mark);
    }

    @Override
    void endTraffic() throws Exception {
        if (!ended.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new BenchmarkException("the calls do not end");
        }
        if (!channel.shutdownNow().awaitTermination(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new BenchmarkException("the gRPC channel does not end");
        }
    }

    /** Of one call. */
    private final class Responses implements StreamObserver<byte[]> {
        private final long start = System.nanoTime();

        @Override
        public void onNext(byte[] message) {
            messages.add(1);
        }

        @Override
        public void onError(Throwable cause) {
            failed(cause);
            ended.countDown();
        }

        @Override
        public void onCompleted() {
            latencies.record(System.nanoTime() - start);
            call();
        }
    }
}
