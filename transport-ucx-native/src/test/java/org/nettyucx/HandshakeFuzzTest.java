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

import io.netty.channel.ChannelOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * HELLOs and control messages with changed bytes harm nobody but their sender. The worker address and its length stay
 * as they are: who sends a wrong one must be trusted, see docs/wire-protocol.md.
 */
class HandshakeFuzzTest {
    private static final long SEED = 20260401;
    private static final int CONNECTIONS = 400;
    private static final int ADDRESS_LENGTH_AT = ControlCodec.HANDSHAKE_HEADER_LENGTH + 2;

    private final Random random = new Random(SEED);
    private TestPeers peers;
    private ScriptedPeer worker;

    @BeforeEach
    void setUp() throws Exception {
        peers = new TestPeers();
        peers.serverBootstrap.option(UcxChannelOption.HANDSHAKE_TIMEOUT_MILLIS, 3_600_000);
        peers.serverBootstrap.option(UcxChannelOption.MAX_PENDING_HANDSHAKES, 16);
        peers.clientBootstrap.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 3_600_000);
        peers.listen(EchoTest.EchoHandler::new);
        worker = ScriptedPeer.connect(peers.address());
    }

    @AfterEach
    void tearDown() {
        worker.close();
        peers.close();
    }

    private byte[] changedHello() {
        byte[] hello = ScriptedPeer.encoded(worker.hello());
        for (int changes = random.nextInt(4); changes > 0; changes--) {
            int at = random.nextInt(ControlCodec.HANDSHAKE_HEADER_LENGTH + Hello.FIXED_LENGTH);
            if (at != ADDRESS_LENGTH_AT && at != ADDRESS_LENGTH_AT + 1) {
                hello[at] = (byte) random.nextInt();
            }
        }
        return hello;
    }

    private byte[] changedControl() {
        byte[] control = random.nextBoolean() ? ScriptedPeer.encodedFin(random.nextLong()) :
                ScriptedPeer.encodedReset(ResetReason.ABORTED, random.nextLong());
        control[random.nextInt(control.length)] = (byte) random.nextInt();
        return control;
    }

    private void send(byte[] bytes, int from, int to) throws IOException {
        try (SocketChannel socket = SocketChannel.open(peers.address())) {
            ByteBuffer out = ByteBuffer.wrap(bytes, from, to - from);
            while (out.hasRemaining()) {
                socket.write(out);
            }
            // Behind a HELLO that was cut off they would become the end of its address.
            for (int controls = to < bytes.length ? 0 : random.nextInt(4); controls > 0; controls--) {
                socket.write(ByteBuffer.wrap(changedControl()));
            }
            if (random.nextBoolean()) {
                socket.setOption(StandardSocketOptions.SO_LINGER, 0);
            }
        } catch (IOException ignored) {
            // The server has closed it already.
        }
    }

    @Test
    void changedBytes() throws Exception {
        for (int i = 0; i < CONNECTIONS; i++) {
            byte[] hello = changedHello();
            send(hello, 0, random.nextInt(4) == 0 ? random.nextInt(hello.length) : hello.length);
            worker.await("progress", () -> true);
        }
        worker.closeTcp();
        UcxIoHandler handler = peers.server().handler();
        worker.await("end of all connections", () -> connections(handler) == 0);
        LoopState.await(peers.server(), LoopState.REGISTRATIONS_OF_CHANNEL, 0, LoopState.ANY);
        ReceivedBytes received = new ReceivedBytes();
        UcxSocketChannel client = peers.connect(received);
        client.writeAndFlush(TestBytes.write(client.alloc().directBuffer(1000), 0, 1000));
        received.await(1000);
        assertTrue(client.isActive());
    }

    private int connections(UcxIoHandler handler) {
        try {
            return peers.server().eventLoop().submit(() -> handler.connections().size()).get();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
