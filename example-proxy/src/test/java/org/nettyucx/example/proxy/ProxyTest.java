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
package org.nettyucx.example.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.codec.http.HttpServerCodec;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nettyucx.UcxEventLoopGroup;
import org.nettyucx.UcxServerSocketChannel;
import org.nettyucx.UcxSocketChannel;

/** Clients and servers that know nothing of UCX, and a server that knows nothing else. */
class ProxyTest {

    private static final int TIMEOUT_SECONDS = 50;
    private static final long ALL = Long.MAX_VALUE;

    /** One of each, so that every connection goes through the same ones. */
    private final EventLoopGroup serverLoops = new UcxEventLoopGroup(1);
    private final Map<Side, EventLoopGroup> proxyLoops = new EnumMap<>(Side.class);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Pieces pieces = new Pieces();
    /** Of the proxy before the HTTP server on UCX. */
    private InetSocketAddress http;
    private ServerSocket tcpServer;
    /** Of the first of two proxies before the server on TCP; UCX is between them. */
    private InetSocketAddress chain;

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private InetSocketAddress proxy(Side from, Side to, InetSocketAddress server) throws Exception {
        return (InetSocketAddress) new Proxy(proxyLoops, from, to, server).listen(anyPort()).sync().channel()
                .localAddress();
    }

    @BeforeEach
    void start() throws Exception {
        for (Side side : Side.values()) {
            proxyLoops.put(side, side.newLoops(1));
        }
        Channel server = new ServerBootstrap().group(serverLoops).channel(UcxServerSocketChannel.class)
                .childHandler(new ChannelInitializer<UcxSocketChannel>() {
                    @Override
                    protected void initChannel(UcxSocketChannel channel) {
                        channel.pipeline().addLast(new HttpServerCodec(), new HttpBackEnd(pieces));
                    }
                }).bind(anyPort()).sync().channel();
        http = proxy(Side.tcp, Side.ucx, (InetSocketAddress) server.localAddress());
        tcpServer = new ServerSocket();
        // What the kernel keeps is not the proxies' business.
        tcpServer.setReceiveBufferSize(Pieces.BYTES);
        tcpServer.bind(anyPort());
        tcpServer.setSoTimeout(TIMEOUT_SECONDS * 1000);
        chain = proxy(Side.tcp, Side.ucx,
                proxy(Side.ucx, Side.tcp, (InetSocketAddress) tcpServer.getLocalSocketAddress()));
    }

    @AfterEach
    void stop() throws Exception {
        threads.shutdownNow();
        tcpServer.close();
        List<EventLoopGroup> all = new ArrayList<>(proxyLoops.values());
        all.add(serverLoops);
        for (EventLoopGroup loops : all) {
            assertTrue(loops.shutdownGracefully(0, TIMEOUT_SECONDS, TimeUnit.SECONDS)
                    .await(TIMEOUT_SECONDS, TimeUnit.SECONDS));
        }
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://" + http.getHostString() + ':' + http.getPort() + path));
    }

    private static HttpClient httpClient() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    private static Socket connect(InetSocketAddress address) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(Pieces.BYTES);
        socket.connect(address);
        socket.setSoTimeout(TIMEOUT_SECONDS * 1000);
        return socket;
    }

    private Socket accept() throws IOException {
        Socket socket = tcpServer.accept();
        socket.setSoTimeout(TIMEOUT_SECONDS * 1000);
        return socket;
    }

    private <T> Future<T> fork(Callable<T> task) {
        return threads.submit(task);
    }

    private static <T> T join(Future<T> result) throws Exception {
        return result.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    private static void reset(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /** Writes all pieces and ends the output. */
    private static Void writePieces(Socket socket, Pieces all) throws IOException {
        for (byte[] piece : all) {
            socket.getOutputStream().write(piece);
        }
        socket.shutdownOutput();
        return null;
    }

    @Test
    void httpClientOfTheJdk() throws Exception {
        HttpClient client = httpClient();
        HttpRequest upload = request("/upload").POST(BodyPublishers.ofByteArrays(new Pieces())).build();
        assertEquals(Pieces.HASH, client.send(upload, BodyHandlers.ofString()).body());
        try (InputStream body = client.send(request("/download").build(), BodyHandlers.ofInputStream()).body()) {
            assertEquals(Pieces.HASH, Pieces.hash(body, ALL));
        }
        assertEquals("/x", client.send(request("/x").build(), BodyHandlers.ofString()).body());
    }

    /** A client that does not read stops the server behind the proxy. */
    @Test
    void slowClient() throws Exception {
        HttpClient other = httpClient();
        try (Socket client = connect(http)) {
            client.getOutputStream().write("GET /download HTTP/1.1\r\nHost: x\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
            pieces.assertStops(() -> other.send(request("/x").build(), BodyHandlers.ofString()));
            InputStream in = client.getInputStream();
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int next = in.read();
                assertTrue(next >= 0);
                head.append((char) next);
            }
            assertEquals(Pieces.HASH, Pieces.hash(in, (long) Pieces.COUNT * Pieces.BYTES));
        }
        pieces.assertAllMade();
    }

    /** A server that does not read stops the client before the proxies. */
    @Test
    void slowServer() throws Exception {
        HttpClient other = httpClient();
        try (Socket client = connect(chain); Socket server = accept()) {
            Pieces sent = new Pieces();
            Future<Void> written = fork(() -> writePieces(client, sent));
            sent.assertStops(() -> other.send(request("/x").build(), BodyHandlers.ofString()));
            assertEquals(Pieces.HASH, Pieces.hash(server.getInputStream(), ALL));
            join(written);
            sent.assertAllMade();
        }
    }

    /** The answer begins when the question has ended. */
    @Test
    void halfClosure() throws Exception {
        try (Socket client = connect(chain); Socket server = accept()) {
            Future<Void> question = fork(() -> writePieces(client, new Pieces()));
            assertEquals(Pieces.HASH, Pieces.hash(server.getInputStream(), ALL));
            join(question);
            Future<Void> answer = fork(() -> writePieces(server, new Pieces()));
            assertEquals(Pieces.HASH, Pieces.hash(client.getInputStream(), ALL));
            join(answer);
        }
    }

    /** An end that is no proper one must not look like one. */
    @Test
    void serverResets() throws Exception {
        try (Socket client = connect(chain); Socket server = accept()) {
            server.getOutputStream().write(1);
            assertEquals(1, client.getInputStream().read());
            reset(server);
            assertThrows(IOException.class, () -> client.getInputStream().read());
        }
    }

    @Test
    void clientResets() throws Exception {
        try (Socket client = connect(chain); Socket server = accept()) {
            client.getOutputStream().write(1);
            assertEquals(1, server.getInputStream().read());
            reset(client);
            assertThrows(IOException.class, () -> server.getInputStream().read());
        }
    }

    /** One direction has ended properly, the other one has not. */
    @Test
    void clientResetsAfterItsEnd() throws Exception {
        try (Socket client = connect(chain); Socket server = accept()) {
            client.shutdownOutput();
            assertEquals(-1, server.getInputStream().read());
            reset(client);
            assertThrows(IOException.class, () -> {
                while (true) {
                    server.getOutputStream().write(new byte[Pieces.BYTES]);
                }
            });
        }
    }

    @Test
    void nobodyListensBehindTheProxy() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        for (Side to : Side.values()) {
            InetSocketAddress proxy = proxy(Side.tcp, to,
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            try (Socket client = connect(proxy)) {
                assertThrows(IOException.class, () -> client.getInputStream().read());
            }
        }
    }
}
