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
import io.netty.channel.ChannelOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A peer that shakes hands properly and then breaks the protocol harms its own channel only: an exception, the end, and
 * RESET for the peer. A bystander on the same event loop notices nothing.
 */
class ProtocolViolationTest {
    private static final int WINDOW = 8192;

    private TestPeers peers;
    private UcxSocketChannel bystander;
    private final ReceivedBytes bystanderReceived = new ReceivedBytes();
    private long bystanderSent;
    private final ReceivedBytes victimReceived = new ReceivedBytes();
    private UcxSocketChannel victim;
    private ScriptedPeer peer;

    @BeforeEach
    void setUp() throws Exception {
        peers = new TestPeers();
        // So that neither side's tests are saved by a timeout.
        peers.serverBootstrap.option(UcxChannelOption.HANDSHAKE_TIMEOUT_MILLIS, 3_600_000);
        peers.clientBootstrap.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 3_600_000);
        peers.option(ChannelOption.SO_RCVBUF, WINDOW);
        boolean[] first = {true};
        peers.listen(() -> {
            boolean wasFirst = first[0];
            first[0] = false;
            return wasFirst ? new EchoTest.EchoHandler() : victimReceived;
        });
        bystander = peers.connect(bystanderReceived);
        peers.accepted();
    }

    @AfterEach
    void tearDown() {
        if (peer != null) {
            peer.close();
        }
        peers.close();
    }

    private void echoWithBystander() throws Exception {
        bystander.writeAndFlush(TestBytes.write(bystander.alloc().directBuffer(1000), bystanderSent, 1000));
        bystanderSent += 1000;
        bystanderReceived.await(bystanderSent);
    }

    private void connectPeer() throws Exception {
        peer = ScriptedPeer.connect(peers.address()).shakeHands();
        peer.await("channel", peers::hasAccepted);
        victim = peers.accepted();
    }

    /** Only the server, the bystander and the link to it, and maybe the one to the still living peer, remain. */
    private void awaitOnlyBystander() throws Exception {
        long deadline = System.nanoTime() + TestPeers.TIMEOUT_SECONDS * 1_000_000_000L;
        UcxIoHandler handler = peers.server().handler();
        while (peers.server().eventLoop().submit(() -> handler.connections().size()).get() != 1) {
            assertTrue(System.nanoTime() < deadline, "the connection is still in the table");
            Thread.sleep(1);
        }
        echoWithBystander();
        assertTrue(bystander.isActive());
        assertEquals(0, bystanderReceived.exceptions().size());
    }

    private void assertViolation(String message) throws Exception {
        assertEquals(ResetReason.PROTOCOL_ERROR.code(), peer.awaitControl(ControlCodec.RESET).resetReason());
        peer.awaitEnd();
        victimReceived.awaitInactive();
        TestPeers.awaitClosed(victim);
        assertEquals(1, victimReceived.exceptions().size(), victimReceived.exceptions().toString());
        Throwable exception = victimReceived.exceptions().get(0);
        assertEquals(IOException.class, exception.getClass());
        assertTrue(exception.getMessage().startsWith("the peer violated the protocol: "), exception.getMessage());
        assertTrue(exception.getMessage().contains(message), exception.getMessage());
        awaitOnlyBystander();
    }

    @Test
    void correctPeerIsServed() throws Exception {
        connectPeer();
        peer.data(0, 5000);
        victimReceived.await(5000);
        peer.awaitGrant(5000 + WINDOW);
        victim.writeAndFlush(TestBytes.write(victim.alloc().directBuffer(700), 0, 700));
        assertArrayEquals(ScriptedPeer.bytes(TestBytes.write(victim.alloc().buffer(700), 0, 700)),
                peer.awaitData(700));
        peer.tcp(ScriptedPeer.encodedFin(5000));
        peer.awaitControl(ControlCodec.FIN_ACK);
        assertEquals(700, peer.awaitControl(ControlCodec.FIN).finTotal());
        assertFalse(peer.isEnded());
        peer.tcp(ScriptedPeer.encodedFinAck());
        peer.awaitEnd();
        victimReceived.awaitInactive();
        assertEquals(0, victimReceived.exceptions().size());
        awaitOnlyBystander();
    }

    @Test
    void holeIsWaitedFor() throws Exception {
        connectPeer();
        peer.data(100, 50);
        peer.data(150, 10);
        peer.data(20, 30);
        echoWithBystander();
        assertEquals(0, victimReceived.count());
        peer.data(0, 20);
        victimReceived.await(50);
        peer.data(50, 50);
        victimReceived.await(160);
    }

    @Test
    void holeAtTheEndOfTcp() throws Exception {
        connectPeer();
        peer.data(0, 10);
        peer.data(20, 10);
        victimReceived.await(10);
        peer.tcp(ScriptedPeer.encodedFin(30));
        peer.closeTcp();
        victimReceived.awaitInactive();
        assertEquals(10, victimReceived.count());
        assertEquals(1, victimReceived.exceptions().size());
        awaitOnlyBystander();
    }

    @Test
    void dataBelowWhatWasReceived() throws Exception {
        connectPeer();
        peer.data(0, 10);
        victimReceived.await(10);
        peer.data(9, 10);
        assertViolation("DATA at offset 9 overlaps");
    }

    @ParameterizedTest
    @ValueSource(longs = {100, 90, 105, 149, 99})
    void dataOverlapsWhatIsAhead(long offset) throws Exception {
        connectPeer();
        peer.data(100, 50);
        peer.data(offset, 20);
        assertViolation("overlaps");
    }

    @Test
    void dataThatFillsMoreThanTheHole() throws Exception {
        connectPeer();
        peer.data(100, 50);
        peer.data(0, 101);
        assertViolation("DATA at offset 0 overlaps");
    }

    @Test
    void dataBeyondTheWindow() throws Exception {
        connectPeer();
        peer.data(0, WINDOW + 1);
        assertViolation("exceeds its credit");
    }

    @ParameterizedTest
    @ValueSource(longs = {WINDOW, WINDOW + 1, Long.MAX_VALUE, Long.MIN_VALUE, -1})
    void offsetBeyondTheWindow(long offset) throws Exception {
        connectPeer();
        peer.message(Native.MESSAGE_DATA, offset, new byte[1]);
        assertViolation("exceeds its credit");
    }

    /** With autoRead off nothing is granted again, however much is sent. */
    @Test
    void dataBeyondTheWindowOfReaderThatDoesNotRead() throws Exception {
        connectPeer();
        victim.eventLoop().submit(() -> victim.config().setAutoRead(false)).sync();
        peer.data(0, 100);
        peer.data(100, WINDOW - 100);
        long offset = WINDOW;
        while (!peer.isEnded() && offset < 100L * WINDOW) {
            peer.data(offset, 1000);
            offset += 1000;
            peer.await("progress", () -> true);
        }
        peer.await("RESET", () -> peer.isEnded());
        assertEquals(ResetReason.PROTOCOL_ERROR.code(), peer.awaitReset().resetReason());
        assertEquals(0, victimReceived.count());
        // The bytes that kept to the window are delivered, and then the exception.
        victim.config().setAutoRead(true);
        victimReceived.awaitInactive();
        assertEquals(WINDOW, victimReceived.count());
        assertEquals(1, victimReceived.exceptions().size());
        awaitOnlyBystander();
    }

    @Test
    void creditTooLarge() throws Exception {
        connectPeer();
        peer.credit(ScriptedPeer.WINDOW + 1);
        assertViolation("CREDIT up to");
    }

    @Test
    void creditThatGoesDownIsIgnored() throws Exception {
        connectPeer();
        peer.credit(1);
        peer.credit(0);
        peer.credit(-1);
        peer.credit(Long.MIN_VALUE);
        victim.writeAndFlush(TestBytes.write(victim.alloc().directBuffer(ScriptedPeer.WINDOW), 0, ScriptedPeer.WINDOW));
        peer.awaitData(ScriptedPeer.WINDOW);
        echoWithBystander();
        assertEquals(0, victimReceived.exceptions().size());
    }

    @Test
    void finBelowWhatWasReceived() throws Exception {
        connectPeer();
        peer.data(0, 10);
        victimReceived.await(10);
        peer.tcp(ScriptedPeer.encodedFin(9));
        assertViolation("FIN after 9 bytes when 10 had arrived");
    }

    @Test
    void negativeFin() throws Exception {
        connectPeer();
        peer.tcp(ScriptedPeer.encodedFin(-1));
        assertViolation("FIN without a number of bytes");
    }

    @Test
    void secondFin() throws Exception {
        connectPeer();
        peer.tcp(ScriptedPeer.encodedFin(10), ScriptedPeer.encodedFin(10));
        assertViolation("second FIN");
    }

    @Test
    void finAckWithoutFin() throws Exception {
        connectPeer();
        peer.tcp(ScriptedPeer.encodedFinAck());
        assertViolation("FIN_ACK without FIN");
    }

    @Test
    void largeControlMessage() throws Exception {
        connectPeer();
        peer.tcp(ScriptedPeer.encodedControl(200, ControlCodec.MAX_CONTROL_LENGTH + 1));
        assertViolation("control message of 1025 bytes");
    }

    @Test
    void unknownControlMessagesAreSkipped() throws Exception {
        connectPeer();
        peer.tcp(ScriptedPeer.encodedControl(200, ControlCodec.MAX_CONTROL_LENGTH), ScriptedPeer.encodedControl(0, 0));
        peer.data(0, 10);
        victimReceived.await(10);
        assertEquals(0, victimReceived.exceptions().size());
    }

    /** After both ends the reader has nothing to be told: the channel ends, its peer is reset. */
    @Test
    void dataAfterFin() throws Exception {
        peers.serverBootstrap.childOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        connectPeer();
        victim.config().setAllowHalfClosure(true);
        peer.data(0, 10);
        peer.tcp(ScriptedPeer.encodedFin(10));
        peer.awaitControl(ControlCodec.FIN_ACK);
        peer.data(10, 1);
        assertEquals(ResetReason.PROTOCOL_ERROR.code(), peer.awaitReset().resetReason());
        peer.awaitEnd();
        victimReceived.awaitInactive();
        assertEquals(10, victimReceived.count());
        awaitOnlyBystander();
    }

    @Test
    void dataBeyondFinThatWaits() throws Exception {
        connectPeer();
        peer.data(0, 10);
        peer.tcp(ScriptedPeer.encodedFin(15));
        victimReceived.await(10);
        peer.data(10, 6);
        assertEquals(ResetReason.PROTOCOL_ERROR.code(), peer.awaitReset().resetReason());
        victimReceived.awaitInactive();
        assertEquals(1, victimReceived.exceptions().size());
        awaitOnlyBystander();
    }

    @Test
    void unknownTypesAndChannelsAreDropped() throws Exception {
        connectPeer();
        for (int type : new int[] {0, 4, 200, -1}) {
            peer.message(type, 0, new byte[10]);
        }
        for (long channel : new long[] {0, 1, -1, peer.id(), Long.MIN_VALUE, Long.MAX_VALUE, 0xffffff,
                peer.awaitHello().channel() ^ 1L << 40}) {
            peer.message(Native.MESSAGE_DATA, channel, 0, new byte[10]);
            peer.message(Native.MESSAGE_CREDIT, channel, 1 << 20, new byte[0]);
            peer.message(Native.MESSAGE_READY, channel, 0, new byte[0]);
        }
        peer.ready();
        peer.ready();
        peer.data(0, 10);
        victimReceived.await(10);
        echoWithBystander();
        assertEquals(0, victimReceived.exceptions().size());
    }

    /** The id of the bystander is not known to others; who guesses its slot finds nothing. */
    @Test
    void bystanderCannotBeReachedByItsSlot() throws Exception {
        connectPeer();
        for (int slot = 0; slot < 64; slot++) {
            for (int random = 1; random < 64; random += 2) {
                peer.message(Native.MESSAGE_DATA, (long) random << 24 | slot, 0, new byte[1]);
            }
        }
        echoWithBystander();
        peer.data(0, 10);
        // What UCX has not taken yet goes on only while this peer goes on.
        peer.await("bytes", () -> victimReceived.count() == 10);
    }

    // ---- before the handshake is done

    private void assertHandshakeFails() throws Exception {
        peer.awaitEnd();
        assertFalse(peers.hasAccepted());
        LoopState.await(peers.server(), 2 * LoopState.REGISTRATIONS_OF_CHANNEL, 1, LoopState.ANY);
        awaitOnlyBystander();
    }

    @Test
    void dataBeforeReady() throws Exception {
        peer = ScriptedPeer.connect(peers.address());
        peer.tcp(ScriptedPeer.encoded(peer.hello())).awaitHello();
        peer.data(0, 10);
        assertHandshakeFails();
    }

    @Test
    void dataBeyondTheWindowBeforeReady() throws Exception {
        peer = ScriptedPeer.connect(peers.address());
        peer.tcp(ScriptedPeer.encoded(peer.hello())).awaitHello();
        peer.data(WINDOW, 10);
        assertHandshakeFails();
    }

    @Test
    void twoFinsBeforeReady() throws Exception {
        peer = ScriptedPeer.connect(peers.address());
        peer.tcp(ScriptedPeer.encoded(peer.hello())).awaitHello();
        peer.tcp(ScriptedPeer.encodedFin(0), ScriptedPeer.encodedFin(0));
        assertHandshakeFails();
    }

    @Test
    void finAckBeforeReady() throws Exception {
        peer = ScriptedPeer.connect(peers.address());
        peer.tcp(ScriptedPeer.encoded(peer.hello())).awaitHello();
        peer.tcp(ScriptedPeer.encodedFinAck());
        assertHandshakeFails();
    }

    @Test
    void largeControlMessageBeforeReady() throws Exception {
        peer = ScriptedPeer.connect(peers.address());
        peer.tcp(ScriptedPeer.encoded(peer.hello())).awaitHello();
        peer.tcp(ScriptedPeer.encodedControl(1, 2000));
        assertHandshakeFails();
    }

    @Test
    void resetBeforeReady() throws Exception {
        peer = ScriptedPeer.connect(peers.address());
        peer.tcp(ScriptedPeer.encoded(peer.hello())).awaitHello();
        peer.tcp(ScriptedPeer.encodedReset(ResetReason.ABORTED, 0));
        assertHandshakeFails();
    }

    /** As its client, the same peer makes connect() fail. */
    @ParameterizedTest
    @ValueSource(strings = {"DATA", "beyond", "FINs", "FIN_ACK", "RESET", "large"})
    void violationBeforeReadyOfServer(String what) throws Exception {
        try (ServerSocketChannel listener = ScriptedPeer.listen()) {
            ChannelFuture future = peers.clientBootstrap.clone().handler(new ReceivedBytes())
                    .connect((InetSocketAddress) listener.getLocalAddress());
            peer = ScriptedPeer.accept(listener);
            peer.awaitHello();
            peer.tcp(ScriptedPeer.encoded(peer.hello()));
            switch (what) {
                case "DATA":
                    peer.data(0, 10);
                    break;
                case "beyond":
                    peer.data(WINDOW, 10);
                    break;
                case "FINs":
                    peer.tcp(ScriptedPeer.encodedFin(0), ScriptedPeer.encodedFin(0));
                    break;
                case "FIN_ACK":
                    peer.tcp(ScriptedPeer.encodedFinAck());
                    break;
                case "RESET":
                    peer.tcp(ScriptedPeer.encodedReset(ResetReason.ABORTED, 0));
                    break;
                default:
                    peer.tcp(ScriptedPeer.encodedControl(1, 2000));
                    break;
            }
            peer.awaitEnd();
            peer.await("failed connect()", future::isDone);
            assertTrue(future.cause() instanceof ConnectException || future.cause() instanceof IOException,
                    String.valueOf(future.cause()));
            TestPeers.awaitClosed(future.channel());
            awaitOnlyBystander();
            LoopState.await(bystander.eventLoop(), LoopState.handler(bystander), LoopState.REGISTRATIONS_OF_CHANNEL, 1,
                    LoopState.ANY);
        }
    }

    /** What is allowed before READY: the peer has nothing to say. */
    @Test
    void finBeforeReady() throws Exception {
        peer = ScriptedPeer.connect(peers.address());
        peer.tcp(ScriptedPeer.encoded(peer.hello()), ScriptedPeer.encodedFin(0),
                ScriptedPeer.encodedControl(200, 7)).awaitHello();
        peer.ready();
        peer.await("channel", peers::hasAccepted);
        victim = peers.accepted();
        victimReceived.awaitInactive();
        assertEquals(0, victimReceived.exceptions().size());
        peer.awaitControl(ControlCodec.FIN_ACK);
        assertEquals(0, peer.awaitControl(ControlCodec.FIN).finTotal());
        peer.tcp(ScriptedPeer.encodedFinAck());
        peer.awaitEnd();
        awaitOnlyBystander();
    }
}
