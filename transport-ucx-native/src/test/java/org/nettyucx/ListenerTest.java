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
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * What is special about the connector LISTENER; that the rest is as with BOOTSTRAP is shown by the tests that run again
 * with it (see the module's pom.xml). One event loop for both sides: UCX may abort with more.
 */
class ListenerTest {
    private static final int BYTES = 3_000_000;

    private EventLoopGroup group;
    private TestPeers peers;

    @BeforeEach
    void setUp() {
        group = new UcxEventLoopGroup(1);
        peers = new TestPeers(group, group).connector(UcxConnector.LISTENER, UcxWire.NETTY);
    }

    @AfterEach
    void tearDown() {
        peers.close();
    }

    private UcxIoHandler handler(Channel channel) {
        return LoopState.handler(channel);
    }

    private static Throwable failure(ChannelFuture future) {
        assertTrue(future.awaitUninterruptibly(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS), "not done: " + future);
        assertFalse(future.isSuccess(), "connected");
        TestPeers.awaitClosed(future.channel());
        return future.cause();
    }

    private static void assertSays(Throwable cause, String... parts) {
        for (String part : parts) {
            assertTrue(cause.getMessage().contains(part), cause.toString());
        }
    }

    private void echo() throws Exception {
        ReceivedBytes received = new ReceivedBytes();
        UcxSocketChannel channel = peers.connect(received);
        channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(BYTES), 0, BYTES));
        received.await(BYTES);
        Until.done(channel.close());
    }

    private int endpoints() {
        EventLoop loop = peers.server().eventLoop();
        return Until.onLoop(loop, () -> handler(peers.server()).endpointCount());
    }

    /** Nothing is left of the connections that were closed: each side waits for the other one's last word. */
    @Test
    void endpointsAreClosed() throws Exception {
        peers.listen(EchoTest.EchoHandler::new);
        for (int i = 0; i < 20; i++) {
            echo();
        }
        Until.holds("all endpoints are closed", () -> endpoints() == 0);
    }

    @Test
    void addressesAndOptions() throws Exception {
        peers.listen(EchoTest.EchoHandler::new);
        peers.clientBootstrap.option(UcxChannelOption.ENDPOINT_NAME, "the client");
        UcxSocketChannel client = peers.connect(new ReceivedBytes());
        UcxSocketChannel accepted = peers.accepted();
        Until.holds("the accepted channel is active", accepted::isActive);
        assertTrue(peers.address().getPort() > 0);
        assertEquals(peers.address(), client.remoteAddress());
        assertEquals(client.localAddress(), accepted.remoteAddress());
        assertEquals(client.remoteAddress(), accepted.localAddress());
        InetSocketAddress local = client.localAddress();
        assertInstanceOf(SocketException.class, Until.failed(client.bind(new InetSocketAddress("127.0.0.1", 0))));
        assertEquals(local, client.localAddress());
        assertTrue(client.isActive());
        assertFalse(client.transports().isEmpty());
        assertEquals(client.transports(), accepted.transports());
        assertEquals("the client", client.config().getEndpointName());
        assertNull(accepted.config().getEndpointName());
        for (UcxSocketChannel channel : List.of(client, accepted)) {
            assertEquals(UcxConnector.LISTENER, channel.config().getOption(UcxChannelOption.CONNECTOR));
            // There is no TCP connection that they could act on.
            assertTrue(channel.config().setOption(ChannelOption.SO_KEEPALIVE, true));
            assertTrue(channel.config().isKeepAlive());
            assertThrows(IllegalStateException.class, () -> channel.config().setConnector(UcxConnector.BOOTSTRAP));
            assertThrows(IllegalStateException.class, () -> channel.config().setWire(UcxWire.RAW));
            assertThrows(NullPointerException.class, () -> channel.config().setConnector(null));
            assertThrows(NullPointerException.class, () -> channel.config().setWire(null));
            assertThrows(NullPointerException.class, () -> channel.config().setAllowedTransports(null));
        }
    }

    @Test
    void localAddressOfAClient() throws Exception {
        peers.listen(EchoTest.EchoHandler::new);
        InetSocketAddress local = new InetSocketAddress("127.0.0.1", freePort());
        UcxSocketChannel client = (UcxSocketChannel) Until.done(peers.clientBootstrap.clone()
                .handler(new ReceivedBytes()).connect(peers.address(), local)).channel();
        assertEquals(local, client.localAddress());
        UcxSocketChannel accepted = peers.accepted();
        Until.holds("the accepted channel is active", accepted::isActive);
        assertEquals(client.localAddress(), accepted.remoteAddress());
    }

    /** None that the kernel would give to others. */
    private static int freePort() throws IOException {
        for (int port = 20_000 + (int) (ProcessHandle.current().pid() % 10_000); ; port++) {
            try (ServerSocket free = new ServerSocket(port)) {
                return free.getLocalPort();
            } catch (BindException e) {
                // The next one.
            }
        }
    }

    /** UCX's connection manager reports the death of the process, in both roles. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void peerIsKilled(boolean server) throws Exception {
        ReceivedBytes received = new ReceivedBytes();
        if (!server) {
            peers.listen(() -> received);
        }
        try (TestProcess peer = TestProcess.builder().jvm("-Dorg.nettyucx.test.connector=LISTENER").start(
                TestProcessMain.class, server ? new Object[] {"server", "echo"}
                        : new Object[] {"client", peers.address().getPort(), "source", BYTES})) {
            if (server) {
                UcxSocketChannel channel = (UcxSocketChannel) Until.done(peers.clientBootstrap.handler(received)
                        .connect("127.0.0.1", peer.awaitNumber("port"))).channel();
                channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(BYTES), 0, BYTES));
            }
            received.await(BYTES);
            peer.kill();
            received.awaitInactive();
            assertEquals(1, received.exceptions().size(), received.exceptions().toString());
            assertSays(received.exceptions().get(0), "Connection reset by peer");
            assertEquals(BYTES, received.count());
        }
    }

    // ---- binding

    @Test
    void busyPortAndOneThatWasUsed() throws Exception {
        peers.listen(EchoTest.EchoHandler::new);
        InetSocketAddress address = peers.address();
        echo();
        ChannelFuture second = peers.serverBootstrap.bind(address);
        assertInstanceOf(BindException.class, failure(second));
        assertSays(second.cause(), "Address already in use");
        // A connection of it is in TIME_WAIT, and one is still open.
        UcxSocketChannel open = peers.connect(new ReceivedBytes());
        Until.done(peers.server().close());
        Channel again = Until.done(peers.serverBootstrap.bind(address)).channel();
        assertTrue(open.isActive());
        assertEquals(address, again.localAddress());
        Until.done(again.close());
    }

    @Test
    void foreignAddress() {
        ChannelFuture bound = peers.serverBootstrap.group(group).childHandler(new ChannelInboundHandlerAdapter())
                .bind("198.51.100.1", 0);
        assertInstanceOf(BindException.class, failure(bound));
        assertSays(bound.cause(), "198.51.100.1");
    }

    @Test
    void ipv6IsRefused() throws Exception {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByName("::1"), 1);
        ChannelFuture bound = peers.serverBootstrap.group(group).childHandler(new ChannelInboundHandlerAdapter())
                .bind(address);
        assertSays(failure(bound), "IPv6", "BOOTSTRAP", EndpointWire.ALLOW_IPV6);
        ChannelFuture connected = peers.clientBootstrap.handler(new ReceivedBytes()).connect(address);
        assertSays(failure(connected), "IPv6", "BOOTSTRAP", EndpointWire.ALLOW_IPV6);
    }

    // ---- those who do not fit

    @Test
    void nobodyListens() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        ChannelFuture future = peers.clientBootstrap.handler(new ReceivedBytes()).connect("127.0.0.1", port);
        assertInstanceOf(ConnectException.class, failure(future));
        assertSays(future.cause(), "Connection refused", Integer.toString(port), "CONNECTOR LISTENER");
    }

    /** UCX itself would wait for ever. */
    @Test
    void silentServer() throws Exception {
        try (ServerSocket server = new ServerSocket(0)) {
            ChannelFuture future = peers.clientBootstrap.handler(new ReceivedBytes())
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 300).connect("127.0.0.1", server.getLocalPort());
            assertInstanceOf(ConnectTimeoutException.class, failure(future));
            assertSays(future.cause(), "300 ms", "CONNECTOR LISTENER");
        }
    }

    @Test
    void cancelledAndClosedConnect() throws Exception {
        try (ServerSocket server = new ServerSocket(0)) {
            server.setSoTimeout(10_000);
            Bootstrap bootstrap = peers.clientBootstrap.handler(new ChannelInboundHandlerAdapter() {
                @Override
                public boolean isSharable() {
                    return true;
                }
            });
            ChannelFuture cancelled = bootstrap.connect("127.0.0.1", server.getLocalPort());
            ChannelFuture closed = bootstrap.connect("127.0.0.1", server.getLocalPort());
            Socket first = server.accept();
            Socket second = server.accept();
            assertTrue(cancelled.cancel(true));
            TestPeers.awaitClosed(cancelled.channel());
            Until.done(closed.channel().close());
            assertInstanceOf(IOException.class, failure(closed));
            first.close();
            second.close();
        }
        peers.listen(EchoTest.EchoHandler::new);
        echo();
    }

    @Test
    void serverWithBootstrap() throws Exception {
        peers.serverBootstrap.option(UcxChannelOption.CONNECTOR, UcxConnector.BOOTSTRAP);
        peers.listen(EchoTest.EchoHandler::new);
        ChannelFuture future = peers.connectLater(new ReceivedBytes());
        assertInstanceOf(ConnectException.class, failure(future));
        assertSays(future.cause(), "CONNECTOR LISTENER", "BOOTSTRAP");
        peers.clientBootstrap.option(UcxChannelOption.CONNECTOR, UcxConnector.BOOTSTRAP);
        echo();
    }

    @Test
    void clientWithBootstrap() throws Exception {
        peers.clientBootstrap.option(UcxChannelOption.CONNECTOR, UcxConnector.BOOTSTRAP)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 500);
        peers.listen(EchoTest.EchoHandler::new);
        ChannelFuture future = peers.connectLater(new ReceivedBytes());
        assertInstanceOf(ConnectTimeoutException.class, failure(future));
        assertSays(future.cause(), "CONNECTOR BOOTSTRAP");
        peers.clientBootstrap.option(UcxChannelOption.CONNECTOR, UcxConnector.LISTENER)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 30_000);
        echo();
    }

    @ParameterizedTest
    @EnumSource
    void otherWire(UcxWire wireOfTheServer) throws Exception {
        UcxWire wireOfTheClient = wireOfTheServer == UcxWire.RAW ? UcxWire.NETTY : UcxWire.RAW;
        peers.serverBootstrap.option(UcxChannelOption.WIRE, wireOfTheServer);
        peers.listen(EchoTest.EchoHandler::new);
        peers.clientBootstrap.option(UcxChannelOption.WIRE, wireOfTheClient);
        ReceivedBytes received = new ReceivedBytes();
        ChannelFuture future = peers.connectLater(received);
        if (wireOfTheClient == UcxWire.NETTY) {
            assertInstanceOf(ConnectException.class, failure(future));
            assertSays(future.cause(), "WIRE RAW");
        } else {
            // A RAW client understands nothing, and may have been connected for a moment.
            TestPeers.awaitClosed(future.channel());
        }
        assertFalse(peers.hasAccepted());
        peers.clientBootstrap.option(UcxChannelOption.WIRE, wireOfTheServer);
        echo();
    }

    // ---- accepting

    @Test
    void acceptsWhenItIsRead() throws Exception {
        peers.serverBootstrap.option(ChannelOption.AUTO_READ, false);
        peers.listen(EchoTest.EchoHandler::new);
        List<ChannelFuture> futures = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            futures.add(peers.connectLater(new ReceivedBytes()));
        }
        Until.holds("three wait", () -> Until.onLoop(peers.server().eventLoop(),
                () -> peers.server().acceptedCount()) == 3);
        futures.forEach(future -> assertFalse(future.isDone()));
        assertFalse(peers.hasAccepted());
        peers.server().config().setAutoRead(true);
        futures.forEach(Until::done);
    }

    @Test
    void tooManyWait() throws Exception {
        peers.serverBootstrap.option(ChannelOption.AUTO_READ, false)
                .option(UcxChannelOption.MAX_PENDING_HANDSHAKES, 2);
        peers.listen(EchoTest.EchoHandler::new);
        List<ChannelFuture> futures = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            ChannelFuture future = peers.connectLater(new ReceivedBytes());
            futures.add(future);
            int waiting = Math.min(i + 1, 2);
            Until.holds("so many wait", () -> Until.onLoop(peers.server().eventLoop(),
                    () -> peers.server().acceptedCount()) == waiting);
        }
        assertSays(failure(futures.get(2)), "too many");
        peers.server().config().setAutoRead(true);
        Until.done(futures.get(0));
        Until.done(futures.get(1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void serverIsClosedWhileTheyWait(boolean loopEnds) throws Exception {
        peers.serverBootstrap.option(ChannelOption.AUTO_READ, false);
        EventLoopGroup serverGroup = loopEnds ? new UcxEventLoopGroup(1) : group;
        peers.serverBootstrap.group(serverGroup);
        peers.listen(EchoTest.EchoHandler::new);
        List<ChannelFuture> futures = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            futures.add(peers.connectLater(new ReceivedBytes()));
        }
        Until.holds("five wait", () -> Until.onLoop(peers.server().eventLoop(),
                () -> peers.server().acceptedCount()) == 5);
        if (loopEnds) {
            serverGroup.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
        } else {
            Until.done(peers.server().close());
        }
        for (ChannelFuture future : futures) {
            assertInstanceOf(SocketException.class, failure(future));
        }
    }

    /** The event loop's worker is replaced after a peer over shared memory was killed: the server goes on. */
    @Test
    void listenerMovesToAnotherWorker() throws Exception {
        peers.listen(EchoTest.EchoHandler::new);
        echo();
        Until.onLoop(peers.server().eventLoop(), () -> {
            handler(peers.server()).replaceWorker("a test wants it");
            return null;
        });
        echo();
    }
}
