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

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.ManagedChannelRegistry;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerCredentials;
import io.grpc.ServerRegistry;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Whatever a program calls to get a server or a channel, it gets one over UCX. */
class ProvidersTest {
    private static final int TIMEOUT_SECONDS = 20;

    private final List<Server> servers = new ArrayList<>();
    private final List<ManagedChannel> channels = new ArrayList<>();

    @AfterEach
    void stop() throws Exception {
        for (ManagedChannel channel : channels) {
            channel.shutdownNow();
        }
        for (Server server : servers) {
            server.shutdownNow();
        }
        for (ManagedChannel channel : channels) {
            assertTrue(channel.awaitTermination(TIMEOUT_SECONDS, TimeUnit.SECONDS));
        }
        for (Server server : servers) {
            assertTrue(server.awaitTermination(TIMEOUT_SECONDS, TimeUnit.SECONDS));
        }
        awaitNoLoops();
    }

    private enum ServerWay {
        FOR_PORT {
            @Override
            ServerBuilder<?> builder() {
                return ServerBuilder.forPort(0);
            }
        },
        CREDENTIALS {
            @Override
            ServerBuilder<?> builder() {
                return Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create());
            }
        },
        EXPLICIT {
            @Override
            ServerBuilder<?> builder() {
                return UcxGrpc.useUcx(NettyServerBuilder.forPort(0));
            }
        };

        abstract ServerBuilder<?> builder();
    }

    private enum ChannelWay {
        FOR_ADDRESS {
            @Override
            ManagedChannelBuilder<?> builder(int port) {
                return ManagedChannelBuilder.forAddress("localhost", port).usePlaintext();
            }
        },
        FOR_TARGET {
            @Override
            ManagedChannelBuilder<?> builder(int port) {
                return ManagedChannelBuilder.forTarget("dns:///localhost:" + port).usePlaintext();
            }
        },
        CREDENTIALS {
            @Override
            ManagedChannelBuilder<?> builder(int port) {
                return Grpc.newChannelBuilder("dns:///localhost:" + port, InsecureChannelCredentials.create());
            }
        },
        CREDENTIALS_FOR_ADDRESS {
            @Override
            ManagedChannelBuilder<?> builder(int port) {
                return Grpc.newChannelBuilderForAddress("127.0.0.1", port, InsecureChannelCredentials.create());
            }
        },
        EXPLICIT {
            @Override
            ManagedChannelBuilder<?> builder(int port) {
                return UcxGrpc.useUcx(NettyChannelBuilder.forTarget("localhost:" + port)).usePlaintext();
            }
        };

        abstract ManagedChannelBuilder<?> builder(int port);
    }

    private Server start(ServerBuilder<?> builder, UnaryOperator<byte[]> answer) throws Exception {
        Server server = builder.addService(BytesService.define(answer)).build().start();
        servers.add(server);
        return server;
    }

    private ManagedChannel open(ManagedChannelBuilder<?> builder) {
        ManagedChannel channel = builder.build();
        channels.add(channel);
        return channel;
    }

    private static List<Thread> loops() {
        return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().contains("grpc-ucx-ELG"))
                .collect(Collectors.toList());
    }

    /** They end a second after the last one who used them. */
    private static void awaitNoLoops() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        for (Thread loop : loops()) {
            loop.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
        }
        assertEquals(List.of(), loops());
    }

    @ParameterizedTest
    @EnumSource(ServerWay.class)
    void server(ServerWay way) throws Exception {
        Server server = start(way.builder(), request -> request);
        assertEquals("ucx", Protocols.ofServer(server.getPort()));
        ManagedChannel channel = open(ChannelWay.FOR_TARGET.builder(server.getPort()));
        byte[] request = "hello".getBytes(StandardCharsets.US_ASCII);
        assertArrayEquals(request, BytesService.call(channel, request));
    }

    @ParameterizedTest
    @EnumSource(ChannelWay.class)
    void channel(ChannelWay way) throws Exception {
        assertEquals("ucx", Protocols.ofChannel(port -> open(way.builder(port))));
        Server server = start(ServerWay.FOR_PORT.builder(), request -> request);
        ManagedChannel channel = open(way.builder(server.getPort()));
        byte[] request = new byte[2_000_000];
        request[1_999_999] = 1;
        assertArrayEquals(request, BytesService.call(channel, request));
    }

    /** What the other tests would see if UCX were not used. */
    @Test
    void protocolsAreToldApart() throws Exception {
        Server server = start(NettyServerBuilder.forPort(0), request -> request);
        assertEquals("http2", Protocols.ofServer(server.getPort()));
        assertEquals("http2", Protocols.ofChannel(port ->
                open(NettyChannelBuilder.forAddress("localhost", port).usePlaintext())));
    }

    @Test
    void loopsAreSharedAndDaemons() throws Exception {
        int processors = Runtime.getRuntime().availableProcessors();
        String[] threads = new String[1];
        for (int i = 0; i < 3; i++) {
            Server server = start(ServerBuilder.forPort(0).directExecutor(), request -> {
                threads[0] = Thread.currentThread().getName();
                return request;
            });
            for (int j = 0; j < 2 * processors; j++) {
                BytesService.call(open(ChannelWay.FOR_TARGET.builder(server.getPort())), new byte[0]);
            }
        }
        assertTrue(threads[0].startsWith("grpc-ucx-ELG-"), threads[0]);
        assertEquals(processors, loops().size(), loops().toString());
        assertTrue(loops().stream().allMatch(Thread::isDaemon));
    }

    /** gRPC itself says why, with all providers' reasons. */
    @Test
    void unknownCredentials() {
        ServerRegistry.ProviderNotFoundException server = assertThrows(ServerRegistry.ProviderNotFoundException.class,
                () -> Grpc.newServerBuilderForPort(0, new ServerCredentials() { }));
        assertTrue(server.getMessage().contains("UcxServerProvider: Unsupported credential type"), server.toString());
        ChannelCredentials credentials = new ChannelCredentials() {
            @Override
            public ChannelCredentials withoutBearerTokens() {
                return this;
            }
        };
        ManagedChannelRegistry.ProviderNotFoundException channel = assertThrows(
                ManagedChannelRegistry.ProviderNotFoundException.class,
                () -> Grpc.newChannelBuilder("localhost:1", credentials));
        assertTrue(channel.getMessage().contains("UcxManagedChannelProvider: Unsupported credential type"),
                channel.toString());
    }

    /** UCX has no such addresses: gRPC's own provider for them is still found. */
    @Test
    void unixDomainSocket(@TempDir Path temp) throws Exception {
        Path path = temp.resolve("socket");
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(path));
            open(Grpc.newChannelBuilder("unix:" + path, InsecureChannelCredentials.create())).getState(true);
            try (SocketChannel accepted = listener.accept()) {
                ByteBuffer said = ByteBuffer.allocate(3);
                while (said.hasRemaining() && accepted.read(said) >= 0) {
                    // Until three bytes are there.
                }
                assertEquals("PRI", new String(said.array(), StandardCharsets.US_ASCII));
            }
        }
    }
}
