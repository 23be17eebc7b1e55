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

import io.netty.channel.ChannelFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Links between two event loops. UCX does not tell one side that the other one closed its endpoint, and drops what has
 * more than one fragment: so every check here moves megabytes.
 */
class LinkTest {
    private static final int BYTES = 3_000_000;

    private enum Forgetful { SERVER, CLIENT, BOTH, IN_TURN }

    private static void echo(UcxSocketChannel channel, ReceivedBytes received) throws Exception {
        channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(BYTES), 0, BYTES));
        received.await(BYTES);
    }

    private static UcxLink link(UcxSocketChannel channel) throws Exception {
        return channel.eventLoop().submit(() -> ((BootstrapWire) channel.wire()).link()).get();
    }

    private static void forget(UcxSocketChannel channel, UcxLink link) throws Exception {
        channel.eventLoop().submit(() -> link.close("a test wants it")).get();
    }

    @Test
    void channelsShareTheLinkAndLaterOnesUseItAgain() throws Exception {
        try (TestPeers peers = new TestPeers().listen(EchoTest.EchoHandler::new)) {
            UcxLink first = null;
            for (int round = 0; round < 20; round++) {
                ReceivedBytes received = new ReceivedBytes();
                UcxSocketChannel channel = peers.connect(received);
                UcxLink link = link(channel);
                first = first == null ? link : first;
                assertSame(first, link);
                echo(channel, received);
                channel.close().syncUninterruptibly();
                TestPeers.awaitClosed(peers.accepted());
            }
        }
    }

    /** What one side lost, for whatever reason, is replaced by both. */
    @ParameterizedTest
    @EnumSource
    void oneSideForgetsItsLink(Forgetful forgetful) throws Exception {
        try (TestPeers peers = new TestPeers().listen(EchoTest.EchoHandler::new)) {
            for (int round = 0; round < 20; round++) {
                ReceivedBytes received = new ReceivedBytes();
                UcxSocketChannel client = peers.connect(received);
                UcxSocketChannel server = peers.accepted();
                UcxLink clientLink = link(client);
                UcxLink serverLink = link(server);
                assertEquals(serverLink.id(), clientLink.peer());
                assertEquals(clientLink.id(), serverLink.peer());
                echo(client, received);
                client.close().syncUninterruptibly();
                TestPeers.awaitClosed(server);
                // Both sides are through with each other before one forgets.
                LoopState.awaitNoConnections(server, LoopState.REGISTRATIONS_OF_CHANNEL);
                LoopState.awaitNoConnections(client, 0);
                boolean odd = (round & 1) == 1;
                if (forgetful == Forgetful.SERVER || forgetful == Forgetful.BOTH ||
                    forgetful == Forgetful.IN_TURN && odd) {
                    forget(server, serverLink);
                }
                if (forgetful == Forgetful.CLIENT || forgetful == Forgetful.BOTH ||
                    forgetful == Forgetful.IN_TURN && !odd) {
                    forget(client, clientLink);
                }
            }
        }
    }

    /** Many connects at once after one side lost its link: no crowd of new links, and everything arrives. */
    @ParameterizedTest
    @EnumSource
    void manyConnectsAfterTheLoss(Forgetful forgetful) throws Exception {
        try (TestPeers peers = new TestPeers().listen(EchoTest.EchoHandler::new)) {
            for (int round = 0; round < 5; round++) {
                List<ChannelFuture> connects = new ArrayList<>();
                List<UcxSocketChannel> clients = new ArrayList<>();
                List<ReceivedBytes> received = new ArrayList<>();
                for (int i = 0; i < 16; i++) {
                    received.add(new ReceivedBytes());
                    connects.add(peers.connectLater(received.get(i)));
                    clients.add((UcxSocketChannel) connects.get(i).channel());
                }
                List<UcxSocketChannel> servers = new ArrayList<>();
                for (int i = 0; i < clients.size(); i++) {
                    servers.add(peers.accepted());
                    connects.get(i).syncUninterruptibly();
                    clients.get(i).writeAndFlush(TestBytes.write(clients.get(i).alloc().directBuffer(BYTES), 0, BYTES));
                }
                for (ReceivedBytes bytes : received) {
                    bytes.await(BYTES);
                }
                UcxLink clientLink = link(clients.get(0));
                UcxLink serverLink = link(servers.get(0));
                for (UcxSocketChannel client : clients) {
                    client.close().syncUninterruptibly();
                }
                for (UcxSocketChannel server : servers) {
                    TestPeers.awaitClosed(server);
                }
                LoopState.awaitNoConnections(servers.get(0), LoopState.REGISTRATIONS_OF_CHANNEL);
                LoopState.awaitNoConnections(clients.get(0), 0);
                if (forgetful != Forgetful.CLIENT) {
                    forget(servers.get(0), serverLink);
                }
                if (forgetful != Forgetful.SERVER) {
                    forget(clients.get(0), clientLink);
                }
            }
        }
    }

    /** An ordinary end of a peer's event loop lets the other side give up its link. */
    @Test
    void goodbye() throws Exception {
        try (TestPeers peers = new TestPeers().listen(EchoTest.EchoHandler::new)) {
            ReceivedBytes received = new ReceivedBytes();
            UcxSocketChannel client = peers.connect(received);
            UcxSocketChannel server = peers.accepted();
            echo(client, received);
            UcxLink serverLink = link(server);
            assertNotSame(link(client), serverLink);
            peers.clientGroup.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
            TestPeers.awaitClosed(server);
            LoopState.await(server, LoopState.REGISTRATIONS_OF_CHANNEL, 0, 0);
            assertTrue(received.exceptions().isEmpty());
        }
    }
}
