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

import io.netty.buffer.ByteBufUtil;

import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.Arrays;

/**
 * A peer that rests in the middle of its handshake: the clients {@code connect PORT} (TCP only), {@code part PORT} (a
 * part of HELLO), {@code hello PORT} (all of it), {@code print PORT} (prints it in hexadecimal digits first), and the
 * servers {@code silent} and {@code answer}. The command {@code go} makes it shake hands to the end; then it wants a
 * few bytes (as a client: back) and says so.
 */
final class HandshakeMain {
    static final int BYTES = 1000;

    private HandshakeMain() {
    }

    public static void main(String[] args) throws Exception {
        TestProcessMain.endOnError();
        Ucx.ensureAvailability();
        if (args.length == 1) {
            serve(args[0].equals("answer"));
        } else {
            connect(args[0], Integer.parseInt(args[1]));
        }
    }

    private static void connect(String stage, int port) throws Exception {
        try (ScriptedPeer peer = ScriptedPeer.connect(new InetSocketAddress("127.0.0.1", port))) {
            byte[] hello = ScriptedPeer.encoded(peer.hello());
            if (stage.equals("print")) {
                TestProcessMain.say("hello " + ByteBufUtil.hexDump(hello));
                awaitCommand();
            }
            int first = stage.equals("connect") ? 0 : stage.equals("part") ? 20 : hello.length;
            peer.tcp(Arrays.copyOf(hello, first));
            awaitCommand();
            peer.tcp(Arrays.copyOfRange(hello, first, hello.length));
            peer.awaitHello();
            peer.ready();
            peer.awaitReady();
            peer.data(0, BYTES);
            peer.awaitData(BYTES);
            TestProcessMain.say("done");
            awaitCommand();
        }
    }

    private static void serve(boolean answer) throws Exception {
        try (ServerSocketChannel server = ScriptedPeer.listen()) {
            TestProcessMain.say("port " + ((InetSocketAddress) server.getLocalAddress()).getPort());
            try (ScriptedPeer peer = ScriptedPeer.accept(server)) {
                peer.awaitHello();
                byte[] hello = ScriptedPeer.encoded(peer.hello());
                if (answer) {
                    peer.tcp(hello);
                }
                awaitCommand();
                if (!answer) {
                    peer.tcp(hello);
                }
                peer.awaitReady();
                peer.ready();
                peer.awaitData(BYTES);
                TestProcessMain.say("done");
                awaitCommand();
            }
        }
    }

    private static void awaitCommand() throws Exception {
        TestProcessMain.say("waiting");
        if (System.in.read() < 0) {
            // Whoever started us is gone.
            Runtime.getRuntime().halt(1);
        }
    }
}
