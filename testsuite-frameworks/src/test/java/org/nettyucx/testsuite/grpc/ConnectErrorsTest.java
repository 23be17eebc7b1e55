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
package org.nettyucx.testsuite.grpc;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.netty.channel.ChannelOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Whatever keeps a channel from connecting is UNAVAILABLE, so that gRPC tries again, and says why. */
class ConnectErrorsTest {
    private final GrpcPeers peers = new GrpcPeers();

    @AfterEach
    void closePeers() {
        peers.close();
    }

    /** One of the texts is part of what the user is told. */
    private static void assertUnavailable(ManagedChannel channel, String... texts) throws Exception {
        Status status = GrpcPeers.call(channel);
        assertEquals(Status.Code.UNAVAILABLE, status.getCode(), GrpcPeers.text(status));
        assertTrue(Stream.of(texts).anyMatch(GrpcPeers.text(status)::contains), GrpcPeers.text(status));
    }

    private interface Acceptor {
        void accepted(Socket socket) throws IOException;
    }

    /** UCX says more than gRPC does over TCP. */
    private static String handshakeText(Over over) {
        return over == Over.UCX ? "closed the TCP connection during the handshake" : "";
    }

    /** A listener on which no gRPC listens. */
    private static ServerSocket listen(Acceptor acceptor) throws IOException {
        ServerSocket listener = new ServerSocket(0, 10, InetAddress.getByName(Over.HOST));
        Thread thread = new Thread(() -> {
            try {
                while (true) {
                    acceptor.accepted(listener.accept());
                }
            } catch (IOException e) {
                // The test has closed it.
            }
        });
        thread.setDaemon(true);
        thread.start();
        return listener;
    }

    @ParameterizedTest
    @EnumSource
    void nobodyListens(Over over) throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        assertUnavailable(peers.open(over.channel(port)), "Connection refused");
    }

    @ParameterizedTest
    @EnumSource
    void listenerCloses(Over over) throws Exception {
        try (ServerSocket listener = listen(Socket::close)) {
            assertUnavailable(peers.open(over.channel(listener.getLocalPort())), handshakeText(over));
        }
    }

    @ParameterizedTest
    @EnumSource
    void listenerResets(Over over) throws Exception {
        try (ServerSocket listener = listen(socket -> {
            socket.setSoLinger(true, 0);
            socket.close();
        })) {
            // The reset may come before the TCP connection is known to be made.
            assertUnavailable(peers.open(over.channel(listener.getLocalPort())), handshakeText(over),
                    "Connection reset by peer");
        }
    }

    @Test
    void serverWithoutUcx() throws Exception {
        Server server = peers.start(Over.TCP.server(0), new TestService());
        assertUnavailable(peers.open(Over.UCX.channel(server.getPort())), "no netty-ucx peer");
        GrpcPeers.assertWorks(peers.open(Over.TCP.channel(server.getPort())));
    }

    @Test
    void channelWithoutUcx() throws Exception {
        Server server = peers.start(Over.UCX.server(0), new TestService());
        assertUnavailable(peers.open(Over.TCP.channel(server.getPort())), "");
        GrpcPeers.assertWorks(peers.open(Over.UCX.channel(server.getPort())));
    }

    /** TCP connects, but nothing ever comes. */
    @Test
    void listenerIsSilent() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 10, InetAddress.getByName(Over.HOST))) {
            assertUnavailable(peers.open(Over.UCX.channel(listener.getLocalPort())
                    .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, 300)), "timed out");
        }
    }
}
