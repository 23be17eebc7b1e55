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
package org.nettyucx.integration.reactor;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ServerChannel;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.X509Bundle;
import io.netty.resolver.dns.DnsAddressResolverGroup;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nettyucx.UcxSocketChannel;
import org.nettyucx.integration.Body;
import org.nettyucx.integration.TestCertificate;
import org.nettyucx.integration.TestDns;
import org.reactivestreams.Subscription;
import reactor.core.Exceptions;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.Http11SslContextSpec;
import reactor.netty.http.Http2SslContextSpec;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.HttpResources;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.tcp.SslProvider.GenericSslContextSpec;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Reactor Netty's servers and clients, both over UCX. */
class ReactorNettyTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(50);

    private static X509Bundle certificate;
    /** A single one, so that what is done on it shows that it has had its turns. */
    private static UcxLoopResources serverLoops;
    private static UcxLoopResources clientLoops;

    private final BlockingQueue<Channel> serverChannels = new LinkedBlockingQueue<>();
    private final BlockingQueue<Channel> clientChannels = new LinkedBlockingQueue<>();
    private final AtomicInteger piecesMade = new AtomicInteger();
    private final ConnectionProvider pool = ConnectionProvider.create("test", 8);
    private DisposableServer server;

    @TempDir
    private Path directory;

    private enum Protocol {
        HTTP1(HttpProtocol.HTTP11, false),
        HTTP1_TLS(HttpProtocol.HTTP11, true),
        HTTP2(HttpProtocol.H2C, false),
        HTTP2_TLS(HttpProtocol.H2, true);

        private final HttpProtocol protocol;
        private final boolean tls;

        Protocol(HttpProtocol protocol, boolean tls) {
            this.protocol = protocol;
            this.tls = tls;
        }

        GenericSslContextSpec<?> server() {
            return (protocol == HttpProtocol.H2
                    ? Http2SslContextSpec.forServer(certificate.getKeyPair().getPrivate(), certificate.getCertificate())
                    : Http11SslContextSpec.forServer(certificate.getKeyPair().getPrivate(),
                            certificate.getCertificate())).configure(Protocol::useJdk);
        }

        GenericSslContextSpec<?> client() {
            return (protocol == HttpProtocol.H2 ? Http2SslContextSpec.forClient() : Http11SslContextSpec.forClient())
                    .configure(builder -> useJdk(builder).trustManager(certificate.getCertificate()));
        }

        private static SslContextBuilder useJdk(SslContextBuilder builder) {
            return builder.sslProvider(SslProvider.JDK);
        }
    }

    @BeforeAll
    static void makeLoops() throws Exception {
        certificate = TestCertificate.make();
        serverLoops = UcxLoopResources.create("server", 1, true);
        clientLoops = UcxLoopResources.create("client", 2, true);
    }

    @AfterAll
    static void endLoops() {
        for (UcxLoopResources loops : List.of(clientLoops, serverLoops)) {
            loops.disposeLater(Duration.ZERO, TIMEOUT).block(TIMEOUT);
            assertTrue(loops.isDisposed());
            assertTrue(loops.onServer(true).isTerminated());
        }
    }

    @AfterEach
    void closePeers() {
        pool.disposeLater().block(TIMEOUT);
        if (server != null) {
            server.disposeNow(TIMEOUT);
        }
    }

    /** HTTP/2's streams are channels too, of a connection. */
    private static Channel connection(Channel channel) {
        Channel connection = channel;
        while (connection.parent() != null && !(connection.parent() instanceof ServerChannel)) {
            connection = connection.parent();
        }
        return connection;
    }

    private void assertUcx() {
        for (BlockingQueue<Channel> channels : List.of(serverChannels, clientChannels)) {
            assertTrue(!channels.isEmpty());
            channels.forEach(channel -> assertInstanceOf(UcxSocketChannel.class, connection(channel)));
        }
    }

    private Flux<ByteBuf> body() {
        return Flux.range(0, Body.PIECES).map(i -> {
            piecesMade.incrementAndGet();
            return Unpooled.wrappedBuffer(Body.piece(i));
        });
    }

    private static Mono<String> hash(Flux<ByteBuf> body) {
        return body.collect(Body.Hash::new, (hash, piece) -> hash.add(ByteBufUtil.getBytes(piece)))
                .map(Body.Hash::value);
    }

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private HttpServer server(Protocol protocol) {
        HttpServer configured = HttpServer.create().runOn(serverLoops).bindAddress(ReactorNettyTest::anyPort)
                .protocol(protocol.protocol)
                .doOnConnection(connection -> serverChannels.add(connection.channel()))
                .route(routes -> routes
                        .get("/", (request, response) -> response.sendString(Mono.just(request.protocol())))
                        .post("/upload", (request, response) -> response.sendString(hash(request.receive())))
                        .get("/download", (request, response) -> response.send(body()))
                        .get("/file", (request, response) -> response.sendFile(directory.resolve("file")))
                        .ws("/socket", (in, out) -> out.sendString(in.receive().asString())));
        return protocol.tls ? configured.secure(spec -> spec.sslContext(protocol.server())) : configured;
    }

    private HttpClient client(Protocol protocol) {
        return client(protocol, pool);
    }

    private HttpClient client(Protocol protocol, ConnectionProvider connections) {
        HttpClient configured = HttpClient.create(connections).runOn(clientLoops).protocol(protocol.protocol)
                .baseUrl((protocol.tls ? "https" : "http") + "://localhost:" + server.port())
                .doOnConnected(connection -> clientChannels.add(connection.channel()));
        return protocol.tls ? configured.secure(spec -> spec.sslContext(protocol.client())) : configured;
    }

    private static String get(HttpClient client, String path) {
        return client.get().uri(path).responseContent().aggregate().asString().block(TIMEOUT);
    }

    @ParameterizedTest
    @EnumSource
    void bodies(Protocol protocol) {
        server = server(protocol).bindNow(TIMEOUT);
        HttpClient client = client(protocol);
        String version = protocol.protocol == HttpProtocol.HTTP11 ? "HTTP/1.1" : "HTTP/2.0";
        assertEquals(version, get(client, "/"));
        assertEquals(Body.HASH, client.post().uri("/upload").send(body()).responseContent().aggregate().asString()
                .block(TIMEOUT));
        assertEquals(Body.HASH, hash(client.get().uri("/download").responseContent()).block(TIMEOUT));
        assertUcx();
    }

    @ParameterizedTest
    @EnumSource
    void file(Protocol protocol) throws Exception {
        String hash = Body.write(directory.resolve("file"));
        server = server(protocol).bindNow(TIMEOUT);
        assertEquals(hash, hash(client(protocol).get().uri("/file").responseContent()).block(TIMEOUT));
        assertUcx();
    }

    /** A client that does not read stops the server. */
    @ParameterizedTest
    @EnumSource
    void slowReader(Protocol protocol) throws Exception {
        server = server(protocol).bindNow(TIMEOUT);
        Body.Hash hash = new Body.Hash();
        CompletableFuture<String> result = new CompletableFuture<>();
        CountDownLatch first = new CountDownLatch(1);
        BaseSubscriber<ByteBuf> reader = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                request(1);
            }

            @Override
            protected void hookOnNext(ByteBuf piece) {
                hash.add(ByteBufUtil.getBytes(piece));
                first.countDown();
            }

            @Override
            protected void hookOnComplete() {
                result.complete(hash.value());
            }

            @Override
            protected void hookOnError(Throwable cause) {
                result.completeExceptionally(cause);
            }
        };
        client(protocol).get().uri("/download").responseContent().subscribe(reader);
        assertTrue(first.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS));
        // HTTP/2 has a window for all of a connection, which the reader has used up.
        HttpClient other = client(protocol, ConnectionProvider.newConnection());
        int made = Body.awaitStandstill(piecesMade, () -> get(other, "/"));
        assertTrue(made < Body.PIECES / 4, "made " + made);
        reader.requestUnbounded();
        assertEquals(Body.HASH, result.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS));
        assertUcx();
    }

    @ParameterizedTest
    @EnumSource(names = {"HTTP1", "HTTP1_TLS"})
    void webSocket(Protocol protocol) {
        server = server(protocol).bindNow(TIMEOUT);
        List<String> messages = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            messages.add("message " + i);
        }
        Flux<String> answers = client(protocol).websocket().uri("/socket").handle((in, out) -> Flux.merge(
                out.sendString(Flux.fromIterable(messages)).then().cast(String.class),
                in.aggregateFrames().receive().asString().take(messages.size())));
        assertEquals(messages, answers.collectList().block(TIMEOUT));
        assertUcx();
    }

    /** Connections come and go: half of them are used once, and in the end none is left. */
    @ParameterizedTest
    @EnumSource(names = {"HTTP1", "HTTP1_TLS"})
    void poolChurn(Protocol protocol) throws Exception {
        server = server(protocol).bindNow(TIMEOUT);
        HttpClient client = client(protocol);
        HttpClient once = client.keepAlive(false);
        int requests = 400;
        List<String> answers = Flux.range(0, requests).flatMap(i -> (i % 2 == 0 ? client : once).get().uri("/")
                .responseContent().aggregate().asString(), 16).collectList().block(TIMEOUT);
        assertEquals(requests, answers.size());
        assertTrue(answers.stream().allMatch("HTTP/1.1"::equals));
        assertTrue(serverChannels.size() >= requests / 2, "connections: " + serverChannels.size());
        pool.disposeLater().block(TIMEOUT);
        for (Channel channel : serverChannels) {
            assertTrue(channel.closeFuture().await(TIMEOUT.toSeconds(), TimeUnit.SECONDS));
        }
        assertUcx();
    }

    /** Host names are asked for on the loops that the connections use. */
    @Test
    void dns() throws Exception {
        server = server(Protocol.HTTP1).bindNow(TIMEOUT);
        try (TestDns dns = new TestDns(serverLoops.onServer(true))) {
            HttpClient client = client(Protocol.HTTP1).baseUrl("http://" + TestDns.NAME + ':' + server.port())
                    .resolver(spec -> spec.runOn(clientLoops).dnsAddressResolverGroupProvider(builder ->
                            new DnsAddressResolverGroup(builder.nameServerProvider(
                                    new SingletonDnsServerAddressStreamProvider(dns.address())))));
            assertEquals("HTTP/1.1", get(client, "/"));
            assertEquals(1, dns.answers());
        }
        assertUcx();
    }

    @Test
    void tcp() {
        server = TcpServer.create().runOn(serverLoops).bindAddress(ReactorNettyTest::anyPort)
                .doOnConnection(connection -> serverChannels.add(connection.channel()))
                .handle((in, out) -> out.send(in.receive().retain())).bindNow(TIMEOUT);
        String hash = TcpClient.create(pool).runOn(clientLoops).remoteAddress(server::address)
                .doOnConnected(connection -> clientChannels.add(connection.channel())).connect()
                .flatMap(connection -> {
                    connection.outbound().send(body()).then().subscribe();
                    AtomicInteger bytes = new AtomicInteger();
                    return hash(connection.inbound().receive().takeUntil(piece ->
                            bytes.addAndGet(piece.readableBytes()) == Body.PIECES * Body.PIECE_BYTES))
                            .doFinally(end -> connection.dispose());
                }).block(TIMEOUT);
        assertEquals(Body.HASH, hash);
        assertUcx();
    }

    /** For programs that say nothing of loops. */
    @Test
    void wholeJvm() {
        UcxLoopResources loops = UcxLoopResources.create("jvm", 1, true);
        HttpResources.set(loops);
        try {
            server = HttpServer.create().bindAddress(ReactorNettyTest::anyPort)
                    .doOnConnection(connection -> serverChannels.add(connection.channel()))
                    .handle((request, response) -> response.sendString(Mono.just("hello"))).bindNow(TIMEOUT);
            HttpClient client = HttpClient.create(pool).baseUrl("http://localhost:" + server.port())
                    .doOnConnected(connection -> clientChannels.add(connection.channel()));
            assertEquals("hello", get(client, "/"));
            assertUcx();
        } finally {
            HttpResources.disposeLoopsAndConnectionsLater(Duration.ZERO, TIMEOUT).block(TIMEOUT);
            HttpResources.reset();
        }
        assertTrue(loops.isDisposed());
    }

    @Test
    void nobodyListens() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        HttpClient client = HttpClient.create(pool).runOn(clientLoops).baseUrl("http://localhost:" + port);
        Throwable cause = Exceptions.unwrap(assertThrows(Exception.class, () -> get(client, "/")));
        assertInstanceOf(ConnectException.class, cause);
        assertTrue(cause.getMessage().contains("Connection refused"), cause.getMessage());
    }

    @Test
    void wrongArguments() {
        assertThrows(IllegalArgumentException.class, () -> UcxLoopResources.create(""));
        assertThrows(IllegalArgumentException.class, () -> UcxLoopResources.create("x", 0, true));
        assertThrows(IllegalArgumentException.class,
                () -> serverLoops.onChannelClass(Channel.class, serverLoops.onServer(true)));
    }
}
