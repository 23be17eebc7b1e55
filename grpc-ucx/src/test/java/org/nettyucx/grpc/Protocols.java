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

import io.grpc.ManagedChannel;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.function.IntFunction;

/** What servers and channels speak over TCP, seen from outside: "ucx", the handshake, or "http2". */
final class Protocols {
    private static final String HTTP2_PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    private static final String UCX_MAGIC = "NettyUCX";
    private static final byte[] EMPTY_SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0};
    private static final int TIMEOUT_MILLIS = 20_000;

    private Protocols() {
    }

    /** A server that speaks HTTP/2 answers a client that does; with UCX it closes the connection. */
    static String ofServer(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.getOutputStream().write(HTTP2_PREFACE.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(EMPTY_SETTINGS);
            try {
                return socket.getInputStream().read() < 0 ? "ucx" : "http2";
            } catch (SocketException e) {
                // Closed before all that we had sent was read.
                return "ucx";
            }
        }
    }

    /** What the channel that is made for this port says first. */
    static String ofChannel(IntFunction<ManagedChannel> newChannel) throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server.setSoTimeout(TIMEOUT_MILLIS);
            ManagedChannel channel = newChannel.apply(server.getLocalPort());
            try {
                channel.getState(true);
                try (Socket socket = server.accept()) {
                    socket.setSoTimeout(TIMEOUT_MILLIS);
                    String said = new String(socket.getInputStream().readNBytes(UCX_MAGIC.length()),
                            StandardCharsets.US_ASCII);
                    return said.equals(UCX_MAGIC) ? "ucx" : HTTP2_PREFACE.startsWith(said) ? "http2" : said;
                }
            } finally {
                channel.shutdownNow();
            }
        }
    }
}
