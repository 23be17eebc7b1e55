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
package org.nettyucx;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Every way in which connect() can fail: the right exception, nothing left, and the next connect() works. */
class ConnectTest {
    private TestPeers peers;
    private Bootstrap bootstrap;

    @BeforeEach
    void setUp() {
        peers = new TestPeers().listen(EchoTest.EchoHandler::new);
        timeout(3_600_000);
    }

    @AfterEach
    void tearDown() {
        peers.close();
    }

    private void timeout(int millis) {
        bootstrap = peers.clientBootstrap.clone().handler(new Unexpected())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, millis);
    }

    /** A channel that does not get connected is never active. */
    @ChannelHandler.Sharable
    private static final class Unexpected extends ChannelInboundHandlerAdapter {
        private volatile String event;

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            event = "channelActive";
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            event = "channelInactive";
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            event = "exceptionCaught: " + cause;
        }
    }

    private static Throwable failure(ChannelFuture future) {
        assertTrue(future.awaitUninterruptibly(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS), "connect() hangs");
        assertFalse(future.isSuccess());
        return future.cause();
    }

    /** The failed channel is closed without an event, its event loop has nothing of it any more and connects again. */
    private void assertNothingLeft(Channel failed) throws Exception {
        TestPeers.awaitClosed(failed);
        assertFalse(failed.isActive() || failed.isOpen());
        Unexpected handler = failed.pipeline().get(Unexpected.class);
        // Handlers are removed with the registration.
        assertTrue(handler == null || handler.event == null, "unexpected event");
        LoopState.awaitNoConnections(failed, 0);
        peers.assertServes();
    }

    private static InetSocketAddress closedPort() throws IOException {
        try (ServerSocket closed = new ServerSocket(0)) {
            return new InetSocketAddress("127.0.0.1", closed.getLocalPort());
        }
    }

    // ---- as epoll

    /** Class and text of what Netty's epoll transport says about the same. */
    private void assertLikeEpoll(ChannelFuture ucx, ChannelFuture epoll) {
        Throwable expected = failure(epoll);
        Throwable actual = failure(ucx);
        assertEquals(expected.getClass(), actual.getClass(), actual.toString());
        assertEquals(expected.getMessage(), actual.getMessage());
    }

    private Bootstrap epollBootstrap() {
        return new Bootstrap().group(peers.clientGroup).channel(EpollSocketChannel.class).handler(new Unexpected())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS,
                        (Integer) bootstrap.config().options().get(ChannelOption.CONNECT_TIMEOUT_MILLIS));
    }

    @Test
    void refused() throws Exception {
        InetSocketAddress address = closedPort();
        ChannelFuture future = bootstrap.connect(address);
        assertLikeEpoll(future, epollBootstrap().connect(address));
        assertInstanceOf(ConnectException.class, future.cause());
        assertTrue(future.cause().getMessage().contains("Connection refused"), future.cause().getMessage());
        assertTrue(future.cause().getMessage().contains(address.toString()), future.cause().getMessage());
        assertNothingLeft(future.channel());
    }

    @Test
    void refusedIpv6() throws Exception {
        InetSocketAddress address = new InetSocketAddress("::1", closedPort().getPort());
        ChannelFuture future = bootstrap.connect(address);
        assertLikeEpoll(future, epollBootstrap().connect(address));
        assertNothingLeft(future.channel());
    }

    @Test
    void unknownHost() throws Exception {
        ChannelFuture future = bootstrap.connect("host.invalid", 4711);
        assertInstanceOf(UnknownHostException.class, failure(future));
        assertNothingLeft(future.channel());
    }

    @Test
    void unresolvedAddress() throws Exception {
        Channel channel = bootstrap.register().sync().channel();
        ChannelFuture future = channel.connect(InetSocketAddress.createUnresolved("localhost", 4711));
        Channel epoll = epollBootstrap().register().sync().channel();
        assertLikeEpoll(future, epoll.connect(InetSocketAddress.createUnresolved("localhost", 4711)));
        assertInstanceOf(UnresolvedAddressException.class, future.cause());
        channel.close().sync();
        epoll.close().sync();
        assertNothingLeft(channel);
    }

    @Test
    void localAddressInUse() throws Exception {
        InetSocketAddress used = peers.address();
        ChannelFuture future = bootstrap.connect(peers.address(), used);
        assertLikeEpoll(future, epollBootstrap().connect(peers.address(), used));
        assertNothingLeft(future.channel());
    }

    @Test
    void localAddressOfAnotherHost() throws Exception {
        InetSocketAddress foreign = new InetSocketAddress("192.0.2.1", 0);
        ChannelFuture future = bootstrap.connect(peers.address(), foreign);
        assertLikeEpoll(future, epollBootstrap().connect(peers.address(), foreign));
        assertNothingLeft(future.channel());
    }

    @Test
    void bindToUsedPort() throws Exception {
        ChannelFuture ucx = peers.serverBootstrap.bind(peers.address());
        ChannelFuture epoll = new ServerBootstrap().group(peers.serverGroup)
                .channel(EpollServerSocketChannel.class).childHandler(new Unexpected()).bind(peers.address());
        assertLikeEpoll(ucx, epoll);
        assertTrue(ucx.cause().getMessage().contains("Address already in use"), ucx.cause().getMessage());
        TestPeers.awaitClosed(ucx.channel());
        LoopState.await(peers.server(), LoopState.REGISTRATIONS_OF_CHANNEL, 0, 0);
    }

    @Test
    void localAddressIsUsed() throws Exception {
        InetSocketAddress local = new InetSocketAddress("127.0.0.1", closedPort().getPort());
        Channel channel = peers.clientBootstrap.clone().handler(new ReceivedBytes()).connect(peers.address(), local)
                .sync().channel();
        assertEquals(local, channel.localAddress());
        assertEquals(local, peers.accepted().remoteAddress());
        assertEquals(peers.address(), channel.remoteAddress());
    }

    @Test
    void bindThenConnect() throws Exception {
        InetSocketAddress local = new InetSocketAddress("127.0.0.1", 0);
        Channel channel = peers.clientBootstrap.clone().handler(new ReceivedBytes()).bind(local).sync().channel();
        assertFalse(channel.isActive());
        InetSocketAddress bound = (InetSocketAddress) channel.localAddress();
        assertNotEquals(0, bound.getPort());
        channel.connect(peers.address()).sync();
        assertTrue(channel.isActive());
        assertEquals(bound, channel.localAddress());
        assertEquals(bound, peers.accepted().remoteAddress());
    }

    // ---- servers that are none

    private static final byte[] NOTHING = {};

    static Stream<Arguments> strangers() {
        byte[] random = new byte[1000];
        new Random(5).nextBytes(random);
        byte[] tls = new byte[100];
        tls[0] = 0x15;
        tls[0] = 0x16;
        tls[1] = 3;
        tls[2] = 3;
        byte[] ucx = new byte[16];
        ucx[0] = 100;
        return Stream.of(
                Arguments.of("HTTP", "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                        "text protocol: \"HTTP/1.1 400 Bad"),
                Arguments.of("SSH", "SSH-2.0-OpenSSH\r\n".getBytes(StandardCharsets.US_ASCII), "SSH-2.0"),
                Arguments.of("TLS", tls, "looks like TLS"),
                Arguments.of("UCX's own", ucx, "CONNECTOR BOOTSTRAP"),
                Arguments.of("garbage", random, "no netty-ucx peer"),
                Arguments.of("one byte", new byte[1], "no netty-ucx peer"),
                Arguments.of("version", header(2, 1, 10), "protocol version 2 is not supported"),
                Arguments.of("type", header(1, 9, 10), "message type 9"),
                Arguments.of("length", header(1, 1, 0x7fff_ffff), "HELLO of 2147483647 bytes"),
                Arguments.of("negative length", header(1, 1, -1), "HELLO of 4294967295 bytes"),
                Arguments.of("no length", header(1, 1, 0), "HELLO has only 0 bytes"),
                Arguments.of("huge REFUSE", header(1, 2, 0x7fff_ffff), "2147483647 bytes"),
                Arguments.of("empty REFUSE", header(1, 2, 0), "refused"));
    }

    private static byte[] header(int version, int type, int length) {
        return ScriptedPeer.bytes(Unpooled.buffer().writeBytes(ControlCodec.MAGIC).writeShort(version).writeShort(type)
                .writeInt(length));
    }

    /** Connects to a server that says this and leaves the connection open; the timeout is far away. */
    private Throwable failureOf(byte[] answer) throws Exception {
        try (ServerSocket server = new ServerSocket(0)) {
            ChannelFuture future = bootstrap.connect("127.0.0.1", server.getLocalPort());
            try (Socket socket = server.accept()) {
                // After HELLO: what comes before it must not matter either, but that is another test's.
                assertTrue(socket.getInputStream().readNBytes(16).length == 16);
                socket.getOutputStream().write(answer);
                Throwable failure = failure(future);
                assertInstanceOf(ConnectException.class, failure);
                assertTrue(failure.getMessage().contains("127.0.0.1:" + server.getLocalPort()), failure.getMessage());
                assertNothingLeft(future.channel());
                return failure;
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("strangers")
    void serverThatIsNone(String name, byte[] answer, String message) throws Exception {
        String text = failureOf(answer).getMessage();
        assertTrue(text.contains(message), text);
    }

    @Test
    void helloThatIsForged() throws Exception {
        byte[] address = new byte[64];
        WorkerId worker = WorkerId.random();
        assertMessage("channel id is 0", new Hello(0, 65536, worker, 1, 0, 0, 0, 0, address));
        assertMessage("window 4095", new Hello(1, 4095, worker, 1, 0, 0, 0, 0, address));
        assertMessage("window -1", new Hello(1, -1, worker, 1, 0, 0, 0, 0, address));
        assertMessage("window 1073741825", new Hello(1, (1L << 30) + 1, worker, 1, 0, 0, 0, 0, address));
        assertMessage("segment", new Hello(1, 65536, worker, 1, 0, 0, -1, 0, address));
        assertMessage("UCX_TCP_TX_SEG_SIZE", new Hello(1, 65536, worker, 1, 0, 0, 1 << 30, 1 << 30, address));
        assertMessage("address has 0 bytes", new Hello(1, 65536, worker, 1, 0, 0, 0, 0, NOTHING));
        address[0] = 2;
        assertMessage("address of unknown version 3", new Hello(1, 65536, worker, 1, 0, 0, 0, 0, address));
        address[0] = 0x3f;
        assertMessage("address of unknown version 16", new Hello(1, 65536, worker, 1, 0, 0, 0, 0, address));
    }

    private void assertMessage(String message, Hello hello) throws Exception {
        byte[] answer = ScriptedPeer.encoded(hello);
        try (ServerSocket server = new ServerSocket(0)) {
            ChannelFuture future = bootstrap.connect("127.0.0.1", server.getLocalPort());
            try (Socket socket = server.accept()) {
                socket.getOutputStream().write(answer);
                Throwable failure = failure(future);
                assertInstanceOf(ConnectException.class, failure);
                assertTrue(failure.getMessage().contains(message), failure.getMessage());
                assertNothingLeft(future.channel());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Refusal.class)
    void refusedByName(Refusal refusal) throws Exception {
        ByteBuf refuse = ControlCodec.refuse(UnpooledByteBufAllocator.DEFAULT,
                new RefusedException(refusal, "because of \u00e4"));
        String text = failureOf(ScriptedPeer.bytes(refuse)).getMessage();
        assertTrue(text.contains(refusal.toString()) && text.contains("because of \u00e4"), text);
        assertEquals(refusal == Refusal.VERSION, text.contains("protocol versions 1 to 1"));
    }

    @Test
    void refusedForAnUnknownReason() throws Exception {
        byte[] refuse = ScriptedPeer.bytes(ControlCodec.refuse(UnpooledByteBufAllocator.DEFAULT,
                new RefusedException(Refusal.LINK, "of the future")));
        refuse[16] = 77;
        // A refusal is understood whatever the peer's version is.
        refuse[9] = 9;
        String text = failureOf(refuse).getMessage();
        assertTrue(text.contains("UNKNOWN") && text.contains("of the future"), text);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void serverThatClosesAtOnce(boolean reset) throws Exception {
        try (ServerSocket server = new ServerSocket(0)) {
            ChannelFuture future = bootstrap.connect("127.0.0.1", server.getLocalPort());
            Socket socket = server.accept();
            // HELLO has come, so the client knows that TCP is connected. The rest of it is read, as far as possible:
            // what is not makes it a reset, too.
            socket.getInputStream().readNBytes(ControlCodec.HANDSHAKE_HEADER_LENGTH + Hello.FIXED_LENGTH);
            socket.getInputStream().skipNBytes(socket.getInputStream().available());
            socket.setSoLinger(reset, 0);
            socket.close();
            Throwable failure = failure(future);
            assertInstanceOf(ConnectException.class, failure);
            assertTrue(failure.getMessage().contains("closed the TCP connection during the handshake") &&
                    failure.getMessage().contains("CONNECTOR"), failure.getMessage());
            assertNothingLeft(future.channel());
        }
    }

    // ---- timeouts

    private void assertTimeout(ChannelFuture future, String... texts) throws Exception {
        Throwable failure = failure(future);
        assertInstanceOf(ConnectTimeoutException.class, failure);
        for (String text : texts) {
            assertTrue(failure.getMessage().contains(text), failure.getMessage());
        }
        assertNothingLeft(future.channel());
    }

    @Test
    void silentServer() throws Exception {
        timeout(300);
        try (ServerSocket server = new ServerSocket(0)) {
            assertTimeout(bootstrap.connect("127.0.0.1", server.getLocalPort()),
                    "timed out after 300 ms", "127.0.0.1:" + server.getLocalPort(), "CONNECTOR");
        }
    }

    /** One timeout for everything: bytes that trickle in do not prolong it. */
    @ParameterizedTest
    @ValueSource(ints = {1, 16, 40})
    void halfHello(int length) throws Exception {
        timeout(300);
        byte[] hello = ScriptedPeer.encoded(new Hello(1, 65536, WorkerId.random(), 1, 0, 0, 0, 0, new byte[64]));
        try (ServerSocket server = new ServerSocket(0)) {
            ChannelFuture future = bootstrap.connect("127.0.0.1", server.getLocalPort());
            try (Socket socket = server.accept()) {
                socket.getOutputStream().write(Arrays.copyOf(hello, length));
                assertTimeout(future, "timed out", "did not answer HELLO");
            }
        }
    }

    @Test
    void helloWithoutReady() throws Exception {
        timeout(500);
        try (ServerSocketChannel listener = ScriptedPeer.listen()) {
            ChannelFuture future = bootstrap.connect(listener.getLocalAddress());
            try (ScriptedPeer peer = ScriptedPeer.accept(listener)) {
                peer.tcp(ScriptedPeer.encoded(peer.hello()));
                peer.awaitHello();
                peer.await("timeout", future::isDone);
                assertTimeout(future, "timed out", "UCX_TLS");
                // The links over which nobody has ever answered go, too; the one of an ordinary connect is left.
                LoopState.await(future.channel(), 0, 0, 1);
                peer.awaitEnd();
            }
        }
    }

    /** A backlog that is full: TCP itself does not connect. */
    @Test
    void tcpTimeout() throws Exception {
        timeout(300);
        try (ServerSocketChannel server = ServerSocketChannel.open()
                .bind(new InetSocketAddress("127.0.0.1", 0), 1)) {
            InetSocketAddress address = (InetSocketAddress) server.getLocalAddress();
            Socket[] fillers = new Socket[4];
            for (int i = 0; i < fillers.length; i++) {
                fillers[i] = new Socket();
                try {
                    fillers[i].connect(address, 100);
                } catch (IOException full) {
                    break;
                }
            }
            ChannelFuture future = bootstrap.connect(address);
            Throwable failure = failure(future);
            ChannelFuture epoll = epollBootstrap().connect(address);
            assertEquals(failure(epoll).getClass(), failure.getClass());
            assertEquals(epoll.cause().getMessage(), failure.getMessage());
            for (Socket filler : fillers) {
                if (filler != null) {
                    filler.close();
                }
            }
            assertNothingLeft(future.channel());
        }
    }

    // ---- cancelled or closed in every phase

    private enum Phase { TCP, HELLO, READY }

    private enum How { CANCEL, CLOSE, CLOSE_FORCIBLY, DEREGISTER_FAILS_THEN_CLOSE }

    /** Answers as a server does until the client is in that phase. */
    private static void advanceTo(Phase phase, ScriptedPeer peer) throws Exception {
        if (phase != Phase.TCP) {
            peer.awaitHello();
        }
        if (phase == Phase.READY) {
            peer.tcp(ScriptedPeer.encoded(peer.hello()));
            peer.awaitReady();
        }
    }

    static Stream<Arguments> phases() {
        return Stream.of(Phase.values()).flatMap(phase -> Stream.of(How.values()).map(how -> Arguments.of(phase, how)));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("phases")
    void givenUp(Phase phase, How how) throws Exception {
        try (ServerSocketChannel listener = ScriptedPeer.listen()) {
            Channel channel = bootstrap.register().sync().channel();
            ChannelFuture future;
            if (phase == Phase.TCP) {
                // In the same turn as connect(), before TCP can be there.
                future = channel.newPromise();
                channel.eventLoop().submit(() -> {
                    channel.connect(address(listener), (ChannelPromise) future);
                    giveUp(future, how);
                }).sync();
            } else {
                future = channel.connect(address(listener));
            }
            try (ScriptedPeer peer = ScriptedPeer.accept(listener)) {
                advanceTo(phase, peer);
                if (phase != Phase.TCP) {
                    channel.eventLoop().submit(() -> giveUp(future, how)).sync();
                }
                Throwable cause = failure(future);
                Class<?> expected = how == How.CANCEL ? CancellationException.class : ClosedChannelException.class;
                assertTrue(expected.isInstance(cause), cause.toString());
                assertNothingLeft(channel);
                peer.awaitEnd();
                if (phase == Phase.READY) {
                    assertEquals(ResetReason.ABORTED.code(), peer.awaitReset().resetReason());
                }
            }
        }
    }

    /** Both event loops live on while UCX may still be making the link, the first time and later. */
    @Test
    void givenUpAtAnyTime() throws Exception {
        Random random = new Random(3);
        for (int i = 0; i < 300; i++) {
            Channel channel = bootstrap.register().sync().channel();
            ChannelFuture future = channel.connect(peers.address());
            long end = System.nanoTime() + random.nextInt(2_000_000);
            while (System.nanoTime() < end) {
                Thread.onSpinWait();
            }
            if (i % 2 == 0) {
                future.cancel(false);
            }
            channel.close().sync();
            assertTrue(future.isDone());
        }
        LoopState.awaitRegistrations(peers.server(), LoopState.REGISTRATIONS_OF_CHANNEL);
        peers.drainAccepted();
        peers.assertServes();
    }

    private static InetSocketAddress address(ServerSocketChannel listener) {
        try {
            return (InetSocketAddress) listener.getLocalAddress();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void giveUp(ChannelFuture future, How how) {
        switch (how) {
            case CANCEL:
                assertTrue(future.cancel(false));
                break;
            case CLOSE:
                future.channel().close();
                break;
            case CLOSE_FORCIBLY:
                future.channel().unsafe().close(future.channel().unsafe().voidPromise());
                break;
            default:
                assertInstanceOf(UnsupportedOperationException.class, future.channel().deregister().cause());
                future.channel().close();
                break;
        }
    }

    @Test
    void connectTwice() throws Exception {
        try (ServerSocketChannel listener = ScriptedPeer.listen()) {
            ChannelFuture first = bootstrap.connect(listener.getLocalAddress());
            Channel channel = first.channel();
            try (ScriptedPeer peer = ScriptedPeer.accept(listener)) {
                peer.awaitHello();
                assertInstanceOf(ConnectionPendingException.class, failure(channel.connect(peers.address())));
                assertFalse(first.isDone());
                peer.tcp(ScriptedPeer.encoded(peer.hello()));
                peer.awaitReady();
                peer.ready();
                peer.await("connect()", first::isDone);
                assertTrue(first.isSuccess());
                assertInstanceOf(AlreadyConnectedException.class, failure(channel.connect(peers.address())));
                assertTrue(channel.isActive());
                channel.close().sync();
                assertInstanceOf(ClosedChannelException.class, failure(channel.connect(peers.address())));
            }
        }
    }

    /** A READY that answers nothing is not the one that is waited for. */
    @Test
    void readyBeforeHello() throws Exception {
        try (ServerSocketChannel listener = ScriptedPeer.listen()) {
            ChannelFuture future = bootstrap.connect(listener.getLocalAddress());
            try (ScriptedPeer peer = ScriptedPeer.accept(listener)) {
                peer.awaitHello();
                peer.ready();
                peer.tcp(ScriptedPeer.encoded(peer.hello()));
                peer.awaitReady();
                assertFalse(future.isDone());
                peer.ready();
                peer.await("connect()", future::isDone);
                assertTrue(future.isSuccess(), String.valueOf(future.cause()));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Phase.class)
    void eventLoopShutDown(Phase phase) throws Exception {
        try (ServerSocketChannel listener = ScriptedPeer.listen();
             TestPeers others = new TestPeers()) {
            ChannelFuture future = others.clientBootstrap.clone().handler(new Unexpected())
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 3_600_000).connect(listener.getLocalAddress());
            try (ScriptedPeer peer = ScriptedPeer.accept(listener)) {
                advanceTo(phase, peer);
                others.clientGroup.shutdownGracefully(0, 10, TimeUnit.SECONDS);
                assertNotNull(failure(future));
                peer.awaitEnd();
                assertTrue(others.clientGroup.terminationFuture().await(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS));
                assertFalse(future.channel().isOpen());
            }
        }
    }
}
