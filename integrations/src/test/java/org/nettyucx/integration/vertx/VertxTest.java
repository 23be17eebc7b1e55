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
package org.nettyucx.integration.vertx;

import io.netty.channel.Channel;
import io.netty.channel.unix.DomainSocketChannel;
import io.netty.pkitesting.X509Bundle;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.http.WebSocketInternal;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.core.streams.ReadStream;
import io.vertx.core.streams.WriteStream;
import io.vertx.core.transport.Transport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nettyucx.UcxEventLoopGroup;
import org.nettyucx.UcxSocketChannel;
import org.nettyucx.integration.Body;
import org.nettyucx.integration.TestCertificate;
import org.nettyucx.integration.TestDns;

import java.net.ConnectException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Vert.x's servers and clients, both over UCX. */
class VertxTest {
    private static final int TIMEOUT_SECONDS = 50;

    private static X509Bundle certificate;

    private final BlockingQueue<Channel> serverChannels = new LinkedBlockingQueue<>();
    private final BlockingQueue<Channel> clientChannels = new LinkedBlockingQueue<>();
    private final AtomicInteger piecesMade = new AtomicInteger();
    private Vertx serverVertx;
    private Vertx clientVertx;

    @TempDir
    private Path directory;

    private enum Protocol {
        HTTP1(HttpVersion.HTTP_1_1, false),
        HTTP1_TLS(HttpVersion.HTTP_1_1, true),
        HTTP2(HttpVersion.HTTP_2, false),
        HTTP2_TLS(HttpVersion.HTTP_2, true);

        private final HttpVersion version;
        private final boolean tls;

        Protocol(HttpVersion version, boolean tls) {
            this.version = version;
            this.tls = tls;
        }

        HttpServerOptions server() {
            HttpServerOptions options = new HttpServerOptions().setHost("localhost").setPort(0);
            return tls ? options.setSsl(true).setUseAlpn(true).setKeyCertOptions(new PemKeyCertOptions()
                    .setCertValue(Buffer.buffer(certificate.getCertificatePEM()))
                    .setKeyValue(Buffer.buffer(certificate.getPrivateKeyPEM()))) : options;
        }

        HttpClientOptions client(int port) {
            HttpClientOptions options = new HttpClientOptions().setProtocolVersion(version)
                    .setHttp2ClearTextUpgrade(false).setDefaultHost("localhost").setDefaultPort(port);
            return tls ? options.setSsl(true).setUseAlpn(true).setTrustOptions(trust()) : options;
        }

        static PemTrustOptions trust() {
            return new PemTrustOptions().addCertValue(Buffer.buffer(certificate.getCertificatePEM()));
        }
    }

    @BeforeAll
    static void makeCertificate() throws Exception {
        certificate = TestCertificate.make();
    }

    private static Vertx vertx(VertxOptions options) {
        Vertx vertx = Vertx.builder().with(options).withTransport(new UcxVertxTransport()).build();
        assertTrue(vertx.isNativeTransportEnabled(), () -> "" + vertx.unavailableNativeTransportCause());
        return vertx;
    }

    @BeforeEach
    void makeVertx() {
        // A single one, so that what is done on it shows that it has had its turns.
        serverVertx = vertx(new VertxOptions().setEventLoopPoolSize(1));
        clientVertx = vertx(new VertxOptions().setEventLoopPoolSize(2));
    }

    @AfterEach
    void closeVertx() throws Exception {
        await(clientVertx.close());
        await(serverVertx.close());
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    /** Does it on an event loop: elsewhere what comes back may come before there is a handler for it, and be lost. */
    private <T> Future<T> onLoop(Supplier<Future<T>> action) {
        Promise<T> result = Promise.promise();
        clientVertx.runOnContext(now -> action.get().onComplete(result));
        return result.future();
    }

    private static Channel channel(HttpConnection connection) {
        return ((ConnectionBase) connection).channel();
    }

    private void assertUcx() {
        for (BlockingQueue<Channel> channels : List.of(serverChannels, clientChannels)) {
            assertTrue(!channels.isEmpty());
            channels.forEach(channel -> assertInstanceOf(UcxSocketChannel.class, channel));
        }
    }

    /** Writes pieces as long as they are taken, from this number on. */
    private void writeBody(WriteStream<Buffer> stream, int next, boolean end) {
        if (next == Body.PIECES) {
            if (end) {
                stream.end();
            }
        } else if (stream.writeQueueFull()) {
            stream.drainHandler(drained -> {
                stream.drainHandler(null);
                writeBody(stream, next, end);
            });
        } else {
            stream.write(Buffer.buffer(Body.piece(next)));
            piecesMade.incrementAndGet();
            // Vert.x hears that the channel is full later, on the event loop; over TLS a mere loop would not see it.
            Vertx.currentContext().runOnContext(task -> writeBody(stream, next + 1, end));
        }
    }

    private static Future<String> hash(ReadStream<Buffer> stream) {
        CompletableFuture<String> result = new CompletableFuture<>();
        Body.Hash hash = new Body.Hash();
        stream.exceptionHandler(result::completeExceptionally).handler(piece -> hash.add(piece.getBytes()))
                .endHandler(end -> result.complete(hash.value()));
        return Future.fromCompletionStage(result);
    }

    private void answer(HttpServerRequest request) {
        switch (request.path()) {
            case "/upload":
                hash(request).onSuccess(hash -> request.response().end(hash));
                break;
            case "/download":
                writeBody(request.response().setChunked(true), 0, true);
                break;
            case "/file":
                request.response().sendFile(directory.resolve("file").toString());
                break;
            default:
                request.response().end(request.version().name());
        }
    }

    private HttpServer listen(Protocol protocol) throws Exception {
        return await(serverVertx.createHttpServer(protocol.server())
                .connectionHandler(connection -> serverChannels.add(channel(connection)))
                .webSocketHandler(socket -> socket.textMessageHandler(socket::writeTextMessage))
                .requestHandler(this::answer).listen());
    }

    private HttpClientAgent client(HttpClientOptions options) {
        return clientVertx.httpClientBuilder().with(options).with(new PoolOptions().setHttp1MaxSize(8))
                .withConnectHandler(connection -> clientChannels.add(channel(connection))).build();
    }

    private Future<String> get(HttpClientAgent client, String path) {
        return onLoop(() -> client.request(HttpMethod.GET, path).compose(HttpClientRequest::send)
                .compose(HttpClientResponse::body).map(Buffer::toString));
    }

    private Future<String> download(HttpClientAgent client, String path) {
        return onLoop(() -> client.request(HttpMethod.GET, path).compose(HttpClientRequest::send)
                .compose(VertxTest::hash));
    }

    private Future<String> upload(HttpClientAgent client) {
        return onLoop(() -> client.request(HttpMethod.POST, "/upload").compose(request -> {
            writeBody(request.setChunked(true), 0, true);
            return request.response();
        }).compose(HttpClientResponse::body).map(Buffer::toString));
    }

    @ParameterizedTest
    @EnumSource
    void bodies(Protocol protocol) throws Exception {
        HttpClientAgent client = client(protocol.client(listen(protocol).actualPort()));
        assertEquals(protocol.version.name(), await(get(client, "/")));
        assertEquals(Body.HASH, await(upload(client)));
        assertEquals(Body.HASH, await(download(client, "/download")));
        assertUcx();
    }

    @ParameterizedTest
    @EnumSource
    void file(Protocol protocol) throws Exception {
        String hash = Body.write(directory.resolve("file"));
        HttpClientAgent client = client(protocol.client(listen(protocol).actualPort()));
        assertEquals(hash, await(download(client, "/file")));
        assertUcx();
    }

    /** A client that does not read stops the server. */
    @ParameterizedTest
    @EnumSource
    void slowReader(Protocol protocol) throws Exception {
        HttpServer server = listen(protocol);
        HttpClientAgent client = client(protocol.client(server.actualPort()));
        HttpClientResponse response = await(onLoop(() -> client.request(HttpMethod.GET, "/download")
                .compose(HttpClientRequest::send).onSuccess(HttpClientResponse::pause)));
        // HTTP/2 has a window for all of a connection, which the reader has used up.
        HttpClientAgent other = client(protocol.client(server.actualPort()));
        int made = Body.awaitStandstill(piecesMade, () -> await(get(other, "/")));
        assertTrue(made < Body.PIECES / 4, "made " + made);
        assertEquals(Body.HASH, await(onLoop(() -> {
            Future<String> hash = hash(response);
            response.resume();
            return hash;
        })));
        assertUcx();
    }

    @ParameterizedTest
    @EnumSource(names = {"HTTP1", "HTTP1_TLS"})
    void webSocket(Protocol protocol) throws Exception {
        int port = listen(protocol).actualPort();
        WebSocketClient client = clientVertx.createWebSocketClient(protocol.tls
                ? new WebSocketClientOptions().setSsl(true).setTrustOptions(Protocol.trust())
                : new WebSocketClientOptions());
        int messages = 1000;
        List<String> answers = new ArrayList<>();
        CompletableFuture<List<String>> all = new CompletableFuture<>();
        await(onLoop(() -> client.connect(new WebSocketConnectOptions().setHost("localhost").setPort(port).setURI("/"))
                .onSuccess(socket -> {
                    clientChannels.add(((WebSocketInternal) socket).channelHandlerContext().channel());
                    socket.textMessageHandler(answer -> {
                        answers.add(answer);
                        if (answers.size() == messages) {
                            all.complete(answers);
                        }
                    });
                    for (int i = 0; i < messages; i++) {
                        socket.writeTextMessage("message " + i);
                    }
                })));
        all.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        for (int i = 0; i < messages; i++) {
            assertEquals("message " + i, answers.get(i));
        }
        assertUcx();
    }

    /** Connections come and go: half of them are used once, and in the end none is left. */
    @ParameterizedTest
    @EnumSource(names = {"HTTP1", "HTTP1_TLS"})
    void poolChurn(Protocol protocol) throws Exception {
        HttpClientAgent client = client(protocol.client(listen(protocol).actualPort()));
        int requests = 400;
        Semaphore atATime = new Semaphore(16);
        List<Future<String>> answers = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            String end = i % 2 == 0 ? "keep-alive" : "close";
            assertTrue(atATime.tryAcquire(TIMEOUT_SECONDS, TimeUnit.SECONDS));
            answers.add(onLoop(() -> client.request(HttpMethod.GET, "/").compose(request -> request
                    .putHeader(HttpHeaders.CONNECTION, end).send()).compose(HttpClientResponse::body)
                    .map(Buffer::toString)).onComplete(answer -> atATime.release()));
        }
        for (Future<String> answer : answers) {
            assertEquals("HTTP_1_1", await(answer));
        }
        assertTrue(serverChannels.size() >= requests / 2, "connections: " + serverChannels.size());
        await(client.close());
        for (Channel channel : serverChannels) {
            assertTrue(channel.closeFuture().await(TIMEOUT_SECONDS, TimeUnit.SECONDS));
        }
        assertUcx();
    }

    /** Host names are asked for on the loops that the connections use, and one that is not known does no harm. */
    @Test
    void dns() throws Exception {
        UcxEventLoopGroup loops = new UcxEventLoopGroup(1);
        int port = listen(Protocol.HTTP1).actualPort();
        try (TestDns dns = new TestDns(loops)) {
            await(clientVertx.close());
            clientVertx = vertx(new VertxOptions().setAddressResolverOptions(new AddressResolverOptions()
                    .addServer(dns.address().getHostString() + ':' + dns.address().getPort())));
            HttpClientAgent client = client(new HttpClientOptions().setDefaultPort(port)
                    .setDefaultHost(TestDns.NAME));
            assertEquals("HTTP_1_1", await(get(client, "/")));
            assertTrue(dns.answers() > 0);
            HttpClientAgent unknown = client(new HttpClientOptions().setDefaultPort(port)
                    .setDefaultHost("unknown.nettyucx.test"));
            assertThrows(ExecutionException.class, () -> await(get(unknown, "/")));
        } finally {
            loops.shutdownGracefully(0, TIMEOUT_SECONDS, TimeUnit.SECONDS).sync();
        }
        assertUcx();
    }

    private void assertEchoes(SocketAddress listen) throws Exception {
        NetServer server = await(serverVertx.createNetServer().connectHandler(socket -> {
            serverChannels.add(((NetSocketInternal) socket).channelHandlerContext().channel());
            socket.pipeTo(socket);
        }).listen(listen));
        SocketAddress address = listen.isDomainSocket() ? listen
                : SocketAddress.inetSocketAddress(server.actualPort(), listen.host());
        CompletableFuture<String> echo = new CompletableFuture<>();
        NetSocket client = await(onLoop(() -> clientVertx.createNetClient().connect(address).onSuccess(socket -> {
            clientChannels.add(((NetSocketInternal) socket).channelHandlerContext().channel());
            Body.Hash hash = new Body.Hash();
            AtomicInteger bytes = new AtomicInteger();
            socket.handler(piece -> {
                hash.add(piece.getBytes());
                if (bytes.addAndGet(piece.length()) == Body.PIECES * Body.PIECE_BYTES) {
                    echo.complete(hash.value());
                }
            });
            writeBody(socket, 0, false);
        })));
        assertEquals(Body.HASH, echo.get(TIMEOUT_SECONDS, TimeUnit.SECONDS));
        await(client.close());
    }

    @Test
    void tcp() throws Exception {
        assertEchoes(SocketAddress.inetSocketAddress(0, "localhost"));
        assertUcx();
    }

    /** Has nothing to do with UCX, but works on the same loops. */
    @Test
    void domainSocket() throws Exception {
        assertEchoes(SocketAddress.domainSocketAddress(directory.resolve("socket").toString()));
        assertInstanceOf(DomainSocketChannel.class, serverChannels.element());
        assertInstanceOf(DomainSocketChannel.class, clientChannels.element());
    }

    /** Is found by Vert.x itself, unless it is told otherwise. */
    @Test
    void provider() throws Exception {
        assertTransport(true, Vertx.vertx());
        assertTransport(true, Vertx.vertx(new VertxOptions().setPreferNativeTransport(true)));
        assertTransport(false, Vertx.builder().withTransport(Transport.EPOLL).build());
        System.setProperty(UcxVertxProvider.ENABLED, "false");
        try {
            assertTransport(false, Vertx.vertx());
        } finally {
            System.clearProperty(UcxVertxProvider.ENABLED);
        }
    }

    private static void assertTransport(boolean ucx, Vertx vertx) throws Exception {
        assertEquals(ucx, ((VertxInternal) vertx).transport() instanceof UcxVertxTransport);
        await(vertx.close());
    }

    @Test
    void nobodyListens() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        HttpClientAgent client = client(Protocol.HTTP1.client(port));
        Throwable cause = assertThrows(ExecutionException.class, () -> await(get(client, "/"))).getCause();
        assertInstanceOf(ConnectException.class, cause);
        assertNotNull(cause.getMessage());
        assertTrue(cause.getMessage().contains("Connection refused"), cause.getMessage());
    }
}
