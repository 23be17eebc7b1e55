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
import io.netty.channel.socket.SocketChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Connections between two JVMs, either of them the server. */
class TwoProcessTest {
    private static final int LARGE = 30 << 20;

    @ParameterizedTest
    @ValueSource(ints = {1, 1000, 65_537, 1 << 20, 64 << 20})
    void echoOfAServerProcess(int length) throws Exception {
        try (TestProcess server = TestProcess.start("server", "echo"); TestPeers peers = new TestPeers()) {
            ReceivedBytes received = new ReceivedBytes();
            UcxSocketChannel channel = connect(peers, server, new StreamSource(length), received);
            received.await(length);
            assertTransports(channel.transports());
            assertTransports(List.of(server.await("active").split(" ")));
            channel.close().syncUninterruptibly();
            server.await("inactive");
            server.exit();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1000, 65_537, 1 << 20, 64 << 20})
    void echoToAClientProcess(int length) throws Exception {
        try (TestPeers peers = new TestPeers().listen(EchoTest.EchoHandler::new);
             TestProcess client = TestProcess.start("client", peers.address().getPort(), "source", length)) {
            UcxSocketChannel accepted = peers.accepted();
            assertTransports(accepted.transports());
            assertTransports(List.of(client.await("active").split(" ")));
            client.await("complete");
            accepted.close().syncUninterruptibly();
            assertEquals(length + " []", client.await("inactive"));
            client.exit();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sink", "slow", "paused"})
    void closedServerChannelDeliversToAClientProcess(String reader) throws Exception {
        try (TestPeers peers = new TestPeers()) {
            peers.listen(() -> closingSource(LARGE));
            try (TestProcess client = TestProcess.start("client", peers.address().getPort(), reader)) {
                UcxSocketChannel accepted = peers.accepted();
                if (reader.equals("paused")) {
                    client.await("active");
                    awaitCredit(accepted);
                    client.command("read");
                }
                assertEquals(LARGE + " []", client.await("inactive"));
                TestPeers.awaitClosed(accepted);
                client.exit();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sink", "slow", "paused"})
    void closedClientChannelDeliversToAServerProcess(String reader) throws Exception {
        try (TestProcess server = TestProcess.start("server", reader); TestPeers peers = new TestPeers()) {
            UcxSocketChannel channel = connect(peers, server, closingSource(LARGE));
            if (reader.equals("paused")) {
                server.await("active");
                awaitCredit(channel);
                server.command("read");
            }
            assertEquals(LARGE + " []", server.await("inactive"));
            TestPeers.awaitClosed(channel);
            server.exit();
        }
    }

    /** What fits into the window is written and the channel is closed before the peer reads its first byte. */
    @Test
    void closedBeforeThePeerReads() throws Exception {
        int length = 1 << 20;
        try (TestPeers peers = new TestPeers()) {
            peers.listen(() -> closingSource(length));
            try (TestProcess client = TestProcess.start("client", peers.address().getPort(), "paused")) {
                TestPeers.awaitClosed(peers.accepted());
                client.command("read");
                assertEquals(length + " []", client.await("inactive"));
                client.exit();
            }
        }
    }

    /** The process that wrote ends in an orderly way right after it closed its channel, long before anyone reads. */
    @ParameterizedTest
    @ValueSource(ints = {1000, 1 << 20})
    void allArrivesFromAProcessThatEnded(int length) throws Exception {
        ReceivedBytes received = new ReceivedBytes();
        try (TestPeers peers = new TestPeers()) {
            peers.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            peers.listen(() -> received);
            try (TestProcess client = TestProcess.start("client", peers.address().getPort(), "closing", length)) {
                UcxSocketChannel accepted = peers.accepted();
                client.await("written");
                client.exit();
                accepted.config().setAutoRead(true);
                received.awaitInactive();
                assertEquals(length, received.count());
                assertEquals(List.of(), received.exceptions());
            }
        }
    }

    static UcxSocketChannel connect(TestPeers peers, TestProcess server,
                                    ChannelHandler... handlers) throws InterruptedException {
        return (UcxSocketChannel) peers.clientBootstrap.clone().handler(new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                channel.pipeline().addLast(handlers);
            }
        }).connect("127.0.0.1", server.awaitNumber("port")).syncUninterruptibly().channel();
    }

    /** Writes and closes. */
    private static ChannelInitializer<SocketChannel> closingSource(long length) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                StreamSource source = new StreamSource(length);
                source.written().addListener(written -> channel.close());
                channel.pipeline().addLast(source);
            }
        };
    }

    /** Waits until the writer has used up what the reader, who does not read, has granted. */
    private static void awaitCredit(UcxSocketChannel writer) throws Exception {
        Until.holds(() -> writer.connection().sendable() == 0 && !writer.isWritable(),
                () -> "the writer still has credit");
    }

    private static void assertTransports(List<String> transports) {
        String wanted = System.getenv("UCX_TLS");
        if ("tcp".equals(wanted)) {
            assertTrue(transports.stream().allMatch(name -> name.startsWith("tcp/")), transports.toString());
        } else if (wanted != null && wanted.contains("posix")) {
            assertTrue(transports.get(0).startsWith("posix/") || transports.get(0).startsWith("sysv/"),
                    transports.toString());
        }
    }
}
