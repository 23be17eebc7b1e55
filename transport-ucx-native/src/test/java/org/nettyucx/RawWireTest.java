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

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetSocketAddress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** WIRE RAW, most of all with a peer that is a UCX program and no JVM: src/test/c/stream_peer.c. */
class RawWireTest {
    private static final int LARGE = 16 << 20;
    private static final int WINDOW = 256 * 1024;

    private TestPeers peers;

    @BeforeEach
    void setUp() {
        EventLoopGroup group = new UcxEventLoopGroup(1);
        peers = new TestPeers(group, group).connector(UcxConnector.LISTENER, UcxWire.RAW);
    }

    @AfterEach
    void tearDown() {
        peers.close();
    }

    private static TestProcess program(String role, int port, String behaviour, long bytes) throws IOException {
        return TestProcess.startProgram(System.getProperty("org.nettyucx.test.streamPeer"), role, port, behaviour,
                bytes);
    }

    private UcxSocketChannel connect(TestProcess server, ChannelHandler... handlers) throws Exception {
        ChannelHandler all = new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                channel.pipeline().addLast(handlers);
            }
        };
        InetSocketAddress address = new InetSocketAddress("127.0.0.1", server.awaitNumber("port"));
        return (UcxSocketChannel) Until.done(peers.clientBootstrap.handler(all).connect(address)).channel();
    }

    private static void assertReset(ReceivedBytes received) throws Exception {
        received.awaitInactive();
        assertEquals(1, received.exceptions().size(), received.exceptions().toString());
        assertEquals("Connection reset by peer", received.exceptions().get(0).getMessage());
    }

    // ---- a foreign program

    @ParameterizedTest
    @ValueSource(ints = {1, 1000, 65_537, 1 << 20, LARGE})
    void clientOfAForeignServer(int bytes) throws Exception {
        try (TestProcess server = program("server", 0, "echo", bytes)) {
            ReceivedBytes received = new ReceivedBytes();
            UcxSocketChannel channel = connect(server, new StreamSource(bytes), received);
            received.await(bytes);
            assertEquals(bytes, server.awaitNumber("done"));
            assertFalse(channel.transports().isEmpty());
            Until.done(channel.close());
            server.await("failed");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1000, 65_537, 1 << 20, LARGE})
    void serverOfAForeignClient(int bytes) throws Exception {
        peers.listen(EchoTest.EchoHandler::new);
        try (TestProcess client = program("client", peers.address().getPort(), "chat", bytes)) {
            assertEquals(bytes, client.awaitNumber("done"));
            UcxSocketChannel accepted = peers.accepted();
            client.command("force");
            TestPeers.awaitClosed(accepted);
            client.await("closed");
        }
    }

    /** What the peer sent and UCX gave us is delivered before the end, however the peer ends. */
    @ParameterizedTest
    @ValueSource(strings = {"close", "force", "exit"})
    void endOfAForeignClient(String end) throws Exception {
        ReceivedBytes received = new ReceivedBytes();
        peers.listen(() -> received);
        try (TestProcess client = program("client", peers.address().getPort(), "source", LARGE)) {
            client.awaitNumber("done");
            received.await(LARGE);
            client.command(end);
            assertReset(received);
            assertEquals(LARGE, received.count());
        }
    }

    @Test
    void foreignServerIsKilled() throws Exception {
        try (TestProcess server = program("server", 0, "sink", Long.MAX_VALUE)) {
            ReceivedBytes received = new ReceivedBytes();
            StreamSource source = new StreamSource(Long.MAX_VALUE);
            connect(server, source, received);
            Until.holds("bytes are on their way", () -> source.accepted() > LARGE);
            server.kill();
            assertReset(received);
            assertTrue(Until.failed(source.written()) instanceof IOException);
        }
    }

    /** All of it arrives if the peer reads: the close waits until UCX has sent everything. */
    @Test
    void closeAfterWriting() throws Exception {
        try (TestProcess server = program("server", 0, "sink", LARGE)) {
            StreamSource source = new StreamSource(LARGE);
            UcxSocketChannel channel = connect(server, source, new ReceivedBytes());
            Until.done(source.written());
            Until.done(channel.close());
            assertEquals(LARGE, server.awaitNumber("done"));
            server.await("failed");
        }
    }

    // ---- the bound of what is not read

    @Test
    void unreadBytesAreBounded() throws Exception {
        ReceivedBytes received = new ReceivedBytes();
        peers.serverBootstrap.childOption(ChannelOption.AUTO_READ, false).childOption(ChannelOption.SO_RCVBUF, WINDOW);
        peers.listen(() -> received);
        try (TestProcess client = program("client", peers.address().getPort(), "source", LARGE)) {
            // UCX takes the rest without limit.
            client.awaitNumber("done");
            UcxSocketChannel accepted = peers.accepted();
            Until.holds("the window is full", () -> staged(accepted) == WINDOW);
            Until.turn(accepted);
            assertEquals(WINDOW, staged(accepted));
            accepted.config().setAutoRead(true);
            received.await(LARGE);
        }
    }

    private static int staged(UcxSocketChannel channel) {
        return Until.onLoop(channel.eventLoop(), () -> channel.connection().inbound().readableBytes());
    }

    // ---- both sides are ours

    @Test
    void echo() throws Exception {
        peers.listen(EchoTest.EchoHandler::new);
        ReceivedBytes received = new ReceivedBytes();
        UcxSocketChannel channel = peers.connect(received);
        channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(LARGE), 0, LARGE));
        received.await(LARGE);
        Until.done(channel.close());
        TestPeers.awaitClosed(peers.accepted());
        Until.holds("all endpoints are closed", () -> Until.onLoop(peers.server().eventLoop(),
                () -> LoopState.handler(peers.server()).endpointCount()) == 0);
    }

    /** There is no half-closure: the peer is not told, and may go on sending. */
    @Test
    void shutdownOutput() throws Exception {
        ReceivedBytes atServer = new ReceivedBytes();
        peers.listen(() -> atServer);
        ReceivedBytes received = new ReceivedBytes();
        UcxSocketChannel channel = peers.connect(received);
        channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(1000), 0, 1000));
        Until.done(channel.shutdownOutput());
        atServer.await(1000);
        UcxSocketChannel accepted = peers.accepted();
        accepted.writeAndFlush(TestBytes.write(accepted.alloc().directBuffer(1000), 0, 1000));
        received.await(1000);
        assertTrue(accepted.isActive());
        Until.done(channel.close());
        assertReset(atServer);
    }
}
