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
package org.nettyucx.integration.flight;

import io.grpc.netty.NettyServerBuilder;
import org.apache.arrow.flight.AsyncPutListener;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightGrpcUtils;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.grpc.NettyClientBuilder;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nettyucx.grpc.UcxGrpc;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** Arrow Flight: both its builders let us at gRPC's. */
class FlightTest {
    private static final int TIMEOUT_SECONDS = 50;
    private static final int BATCHES = 100;
    private static final int ROWS = 50_000;
    private static final Ticket TICKET = new Ticket("all".getBytes(StandardCharsets.UTF_8));

    private final BufferAllocator allocator = new RootAllocator();
    private final CompletableFuture<Long> put = new CompletableFuture<>();
    private FlightServer server;
    private FlightClient client;

    /** Gives and takes batches of numbers. */
    private final class Producer extends NoOpFlightProducer {
        @Override
        public void getStream(CallContext context, Ticket ticket, ServerStreamListener listener) {
            try (VectorSchemaRoot root = newRoot()) {
                listener.start(root);
                for (int i = 0; i < BATCHES; i++) {
                    fill(root, i);
                    listener.putNext();
                }
                listener.completed();
            }
        }

        @Override
        public Runnable acceptPut(CallContext context, FlightStream stream, StreamListener<PutResult> listener) {
            return () -> {
                put.complete(sum(stream));
                listener.onCompleted();
            };
        }
    }

    @BeforeEach
    void start() throws Exception {
        server = FlightServer.builder(allocator, Location.forGrpcInsecure("localhost", 0), new Producer())
                .transportHint("grpc.builderConsumer", (Consumer<NettyServerBuilder>) UcxGrpc::useUcx).build().start();
        client = FlightGrpcUtils.createFlightClient(allocator, UcxGrpc.useUcx(new NettyClientBuilder(allocator,
                Location.forGrpcInsecure("localhost", server.getPort())).build()).build());
    }

    @AfterEach
    void end() throws Exception {
        client.close();
        server.close();
        allocator.close();
    }

    private VectorSchemaRoot newRoot() {
        return VectorSchemaRoot.of(new BigIntVector("number", allocator));
    }

    private static void fill(VectorSchemaRoot root, int batch) {
        BigIntVector numbers = (BigIntVector) root.getVector(0);
        numbers.allocateNew(ROWS);
        for (int i = 0; i < ROWS; i++) {
            numbers.set(i, number(batch, i));
        }
        root.setRowCount(ROWS);
    }

    private static long number(int batch, int row) {
        return 0x9E3779B97F4A7C15L * (1 + row + (long) batch * ROWS);
    }

    /** The sum of all numbers, each times its place, so that their order counts. */
    private static long sum(FlightStream stream) {
        long sum = 0;
        long place = 0;
        while (stream.next()) {
            BigIntVector numbers = (BigIntVector) stream.getRoot().getVector(0);
            for (int i = 0; i < numbers.getValueCount(); i++) {
                place++;
                sum += numbers.get(i) * place;
            }
        }
        return sum;
    }

    private static long expectedSum() {
        long sum = 0;
        long place = 0;
        for (int batch = 0; batch < BATCHES; batch++) {
            for (int row = 0; row < ROWS; row++) {
                place++;
                sum += number(batch, row) * place;
            }
        }
        return sum;
    }

    @Test
    @SuppressWarnings("try")
    void batches() throws Exception {
        try (FlightStream stream = client.getStream(TICKET)) {
            assertEquals(expectedSum(), sum(stream));
        }
        try (VectorSchemaRoot root = newRoot()) {
            FlightClient.ClientStreamListener listener = client.startPut(FlightDescriptor.path("numbers"), root,
                    new AsyncPutListener());
            for (int i = 0; i < BATCHES; i++) {
                fill(root, i);
                listener.putNext();
            }
            listener.completed();
            listener.getResult();
        }
        assertEquals(expectedSum(), put.get(TIMEOUT_SECONDS, TimeUnit.SECONDS));
    }

    @Test
    void errorOfTheServer() {
        FlightRuntimeException e = assertThrows(FlightRuntimeException.class,
                () -> client.getInfo(FlightDescriptor.path("unknown")));
        assertEquals(FlightStatusCode.UNIMPLEMENTED, e.status().code());
    }

    /** So it is UCX that the server listens on. */
    @Test
    @SuppressWarnings("try")
    void clientWithoutUcx() throws Exception {
        try (FlightClient tcp = FlightClient.builder(allocator,
                Location.forGrpcInsecure("localhost", server.getPort())).build()) {
            FlightRuntimeException e = assertThrows(FlightRuntimeException.class,
                    () -> tcp.getInfo(FlightDescriptor.path("unknown")));
            assertEquals(FlightStatusCode.UNAVAILABLE, e.status().code());
        }
    }
}
