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

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;

import java.net.ServerSocket;
import java.net.Socket;

/**
 * A peer that never gets beyond its handshake: {@code connect PORT} (TCP only), {@code part PORT} (a part of HELLO),
 * {@code hello PORT} (all of it), or {@code silent} (a server that reads and says nothing).
 */
final class HandshakeMain {
    private HandshakeMain() {
    }

    public static void main(String[] args) throws Exception {
        TestProcessMain.endOnError();
        if (args[0].equals("silent")) {
            listenAndKeepSilent();
        } else {
            begin(args[0], Integer.parseInt(args[1]));
        }
    }

    private static void begin(String stage, int port) throws Exception {
        Ucx.ensureAvailability();
        UcxWorker worker = new UcxWorker();
        Hello hello = new Hello(4711, 1 << 20, worker.id(), 0, 0, Native.version(), UcxSettings.tcpSentSegment(),
                UcxSettings.tcpReceivedSegment(), worker.address());
        ByteBuf message = ControlCodec.hello(UnpooledByteBufAllocator.DEFAULT, hello);
        byte[] bytes = new byte[stage.equals("connect") ? 0 : stage.equals("part") ? 20 : message.readableBytes()];
        message.readBytes(bytes);
        message.release();
        Socket socket = new Socket("127.0.0.1", port);
        socket.getOutputStream().write(bytes);
        TestProcessMain.say("sent");
        System.in.read();
        socket.close();
    }

    private static void listenAndKeepSilent() throws Exception {
        try (ServerSocket server = new ServerSocket(0)) {
            TestProcessMain.say("port " + server.getLocalPort());
            try (Socket socket = server.accept()) {
                socket.getInputStream().read();
                TestProcessMain.say("accepted");
                System.in.read();
            }
        }
    }
}
