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

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ReflectiveChannelFactory;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.nettyucx.example.ExampleException;
import org.nettyucx.example.PeerAddress;
import org.nettyucx.example.UcxSupport;
import org.nettyucx.example.WholeNumber;
import org.nettyucx.example.grpc.proto.StoreGrpc;
import org.nettyucx.example.grpc.proto.StoreGrpc.StoreStub;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The client: a gRPC client like any other.
 */
@Command(name = "client", description = "Calls a gRPC server, and verifies and times what it answers.")
final class ClientCommand implements Callable<Integer> {

    private static final int CONNECT_SECONDS = 10;
    private static final int STOP_SECONDS = 10;

    @Option(names = "--host", paramLabel = "H", defaultValue = "127.0.0.1",
            description = "Host of the server (default: ${DEFAULT-VALUE}).")
    private String host;

    @Option(names = "--port", paramLabel = "P", defaultValue = "7778", converter = WholeNumber.ConnectPort.class,
            description = "Port of the server (default: ${DEFAULT-VALUE}).")
    private long port;

    @Mixin
    private ConnectionOptions connection;

    @Mixin
    private Workload workload;

    @Override
    public Integer call() throws ExampleException, InterruptedException {
        Transport transport = connection.transport();
        transport.requireAvailable();
        EventLoopGroup group = transport.newGroup(1);
        AtomicReference<Channel> connected = new AtomicReference<>();
        ReflectiveChannelFactory<Channel> channels = new ReflectiveChannelFactory<>(transport.channelClass());
        try {
            ManagedChannel channel = NettyChannelBuilder
                    .forAddress(host, (int) port, connection.clientCredentials())
                    // All that makes this a UCX client, if the transport is UCX. If it were not to say what it has used
                    // in the end, channelType(UcxSocketChannel.class, InetSocketAddress.class) would do.
                    .eventLoopGroup(group)
                    .channelFactory(() -> {
                        connected.set(channels.newChannel());
                        return connected.get();
                    }, InetSocketAddress.class)
                    // Nothing blocks here, so the event loop can do the work.
                    .directExecutor()
                    .build();
            try {
                requireServing(channel);
                callAll(channel, connected.get());
                if (!channel.shutdown().awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
                    throw new ExampleException("the channel did not close within " + STOP_SECONDS + " s");
                }
            } finally {
                channel.shutdownNow();
            }
        } finally {
            group.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS).await(STOP_SECONDS + 1, TimeUnit.SECONDS);
        }
        return ExitCode.OK;
    }

    private void requireServing(ManagedChannel channel) throws ExampleException {
        ServingStatus status;
        try {
            status = HealthGrpc.newBlockingStub(channel).withDeadlineAfter(CONNECT_SECONDS, TimeUnit.SECONDS)
                    .check(HealthCheckRequest.newBuilder().setService(StoreGrpc.SERVICE_NAME).build()).getStatus();
        } catch (StatusRuntimeException e) {
            throw new ExampleException("cannot reach the service at " + PeerAddress.of(host, port), e);
        }
        if (status != ServingStatus.SERVING) {
            throw new ExampleException("the service at " + PeerAddress.of(host, port) + " is " + status);
        }
    }

    private void callAll(ManagedChannel channel, Channel connected) throws ExampleException, InterruptedException {
        StoreStub stub = StoreGrpc.newStub(channel);
        Entries entries = new Entries(workload.bytes());
        CompletableFuture<Void> loaded = new CompletableFuture<>();
        Kind.load(stub.withDeadlineAfter(CONNECT_SECONDS, TimeUnit.SECONDS), entries.all(), cause -> {
            if (cause == null) {
                loaded.complete(null);
            } else {
                loaded.completeExceptionally(new ExampleException("cannot fill the store", cause));
            }
        });
        get(loaded);
        get(new CallLoop(stub, entries, workload.warmUp(), workload.concurrency()).start());

        long start = System.nanoTime();
        Latencies latencies = get(new CallLoop(stub, entries, workload.count(), workload.concurrency()).start());
        double seconds = (System.nanoTime() - start) / 1e9;

        System.out.print(latencies.table());
        System.out.printf(Locale.ROOT, "%d calls, %d at a time, in %.3f s: %.0f calls/s%n", workload.count(),
                workload.concurrency(), seconds, workload.count() / seconds);
        System.out.println(GrpcExample.VERDICT.ok(String.format(Locale.ROOT,
                "%d calls, 0 failures, p50 %.1f us, over %s", workload.count(), latencies.medianMicros(),
                transports(connected))));
    }

    private String transports(Channel connected) throws ExampleException, InterruptedException {
        if (connection.transport() != Transport.ucx) {
            return "TCP (" + connection.transport() + ')';
        }
        return get(connected.eventLoop().submit(() -> UcxSupport.transports(connected)));
    }

    private static <T> T get(Future<T> future) throws ExampleException, InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ExampleException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        }
    }
}
