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
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The bytes of the TCP connection, cut and put together in every way. */
class ControlHandlerTest {
    private static final WorkerId WORKER = new WorkerId(0x0123456789abcdefL, -2);
    private static final Hello HELLO = new Hello(-7, 1 << 20, WORKER, 3, 4, 0x010d01, 262_144, 0, address(40));

    /** Writes down what it is told. */
    private static final class Recorder implements ControlHandler.Listener {
        private final List<String> events = new ArrayList<>();
        private Hello hello;
        private RefusedException refused;
        private Throwable endCause;

        @Override
        public void helloReceived(Hello received) {
            hello = received;
            events.add("HELLO");
        }

        @Override
        public void handshakeFailed(RefusedException cause) {
            refused = cause;
            events.add("failed");
        }

        @Override
        public void finReceived(long total) {
            events.add("FIN " + total);
        }

        @Override
        public void finAckReceived() {
            events.add("FIN_ACK");
        }

        @Override
        public void resetReceived(ResetReason reason, long total) {
            events.add("RESET " + reason + ' ' + total);
        }

        @Override
        public void refusedReceived(RefusedException cause) {
            events.add("REFUSED " + cause.refusal() + ' ' + cause.getMessage());
        }

        @Override
        public void doneReceived() {
            events.add("DONE");
        }

        @Override
        public void controlViolated(String what) {
            events.add("violated: " + what);
        }

        @Override
        public void ended(Throwable cause) {
            endCause = cause;
            events.add("ended");
        }
    }

    private final Recorder recorder = new Recorder();
    private final ControlHandler handler = new ControlHandler(recorder);
    private final EmbeddedChannel channel = new EmbeddedChannel(handler);

    private static byte[] address(int length) {
        byte[] address = new byte[length];
        for (int i = 1; i < length; i++) {
            address[i] = (byte) i;
        }
        return address;
    }

    private static byte[] bytes(ByteBuf... buffers) {
        ByteBuf all = Unpooled.wrappedBuffer(buffers);
        byte[] bytes = new byte[all.readableBytes()];
        all.readBytes(bytes).release();
        return bytes;
    }

    private static ByteBuf hello(Hello hello) {
        return ControlCodec.hello(UnpooledByteBufAllocator.DEFAULT, hello);
    }

    private static ByteBuf fin(long total) {
        return ControlCodec.fin(UnpooledByteBufAllocator.DEFAULT, total);
    }

    private static ByteBuf finAck() {
        return ControlCodec.finAck(UnpooledByteBufAllocator.DEFAULT);
    }

    private static ByteBuf control(int type, int length) {
        return Unpooled.buffer().writeByte(type).writeByte(0).writeShort(length).writeZero(length);
    }

    private static ByteBuf handshake(int version, int type, int length) {
        return Unpooled.buffer().writeBytes(ControlCodec.MAGIC).writeShort(version).writeShort(type).writeInt(length);
    }

    /** Each piece is a buffer of its own, which the handler must release. */
    private void feed(byte[]... pieces) {
        for (byte[] piece : pieces) {
            ByteBuf buffer = UnpooledByteBufAllocator.DEFAULT.directBuffer(Math.max(1, piece.length));
            buffer.writeBytes(piece);
            channel.writeInbound(buffer);
            fed.add(buffer);
        }
    }

    private final List<ByteBuf> fed = new ArrayList<>();

    private void assertReleased() {
        for (ByteBuf buffer : fed) {
            assertEquals(0, buffer.refCnt());
        }
    }

    private static byte[] conversation() {
        return bytes(hello(HELLO), control(99, 300), fin(5), finAck(), control(0, 0),
                ControlCodec.reset(UnpooledByteBufAllocator.DEFAULT, ResetReason.LINGER_TIMEOUT, Long.MAX_VALUE));
    }

    private void assertConversation() {
        assertEquals(List.of("HELLO", "FIN 5", "FIN_ACK", "RESET LINGER_TIMEOUT " + Long.MAX_VALUE), recorder.events);
        assertEquals(HELLO.channel(), recorder.hello.channel());
        assertEquals(HELLO.window(), recorder.hello.window());
        assertEquals(HELLO.worker(), recorder.hello.worker());
        assertEquals(HELLO.ucxVersion(), recorder.hello.ucxVersion());
        assertEquals(HELLO.sentSegment(), recorder.hello.sentSegment());
        assertEquals(HELLO.receivedSegment(), recorder.hello.receivedSegment());
        assertArrayEquals(HELLO.address(), recorder.hello.address());
        // An idle connection holds nothing.
        assertReleased();
    }

    @Test
    void everySplitInTwo() {
        byte[] all = conversation();
        for (int split = 0; split <= all.length; split++) {
            ControlHandlerTest each = new ControlHandlerTest();
            each.feed(Arrays.copyOf(all, split), Arrays.copyOfRange(all, split, all.length));
            each.assertConversation();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 100, 10_000})
    void piecesOfThisLength(int length) {
        byte[] all = conversation();
        for (int start = 0; start < all.length; start += length) {
            feed(Arrays.copyOfRange(all, start, Math.min(start + length, all.length)));
        }
        assertConversation();
    }

    @Test
    void largestHello() {
        Hello largest = new Hello(1, 4096, WORKER, 3, 4, 0, 0, 0, address(UcxWorker.MAX_ADDRESS_LENGTH));
        byte[] all = bytes(hello(largest), fin(0));
        for (int start = 0; start < all.length; start += 2048) {
            feed(Arrays.copyOfRange(all, start, Math.min(start + 2048, all.length)));
        }
        assertEquals(List.of("HELLO", "FIN 0"), recorder.events);
        assertArrayEquals(largest.address(), recorder.hello.address());
        assertReleased();
    }

    @Test
    void laterVersionsMayAppendToBodies() {
        byte[] hello = bytes(hello(HELLO));
        byte[] longer = Arrays.copyOf(hello, hello.length + 100);
        longer[15] += 100;
        feed(longer, bytes(control(ControlCodec.FIN_ACK, 20),
                Unpooled.buffer().writeByte(ControlCodec.FIN).writeByte(0).writeShort(10).writeLong(3).writeShort(9),
                Unpooled.buffer().writeByte(ControlCodec.RESET).writeByte(0).writeShort(12).writeShort(99).writeLong(8)
                        .writeShort(9)));
        assertEquals(List.of("HELLO", "FIN_ACK", "FIN 3", "RESET UNKNOWN 8"), recorder.events);
    }

    @Test
    void done() {
        feed(bytes(hello(HELLO), ControlCodec.done(UnpooledByteBufAllocator.DEFAULT), control(ControlCodec.DONE, 3)));
        assertEquals(List.of("HELLO", "DONE", "DONE"), recorder.events);
    }

    @Test
    void refusedByTheClient() {
        feed(bytes(hello(HELLO), ControlCodec.refused(UnpooledByteBufAllocator.DEFAULT,
                new RefusedException(Refusal.TRANSPORT, "why")), control(ControlCodec.REFUSED, 0)));
        assertEquals(List.of("HELLO", "REFUSED TRANSPORT the peer refused the connection (TRANSPORT): why",
                "REFUSED UNKNOWN the peer refused the connection (UNKNOWN): "), recorder.events);
        // However long the text is.
        feed(bytes(ControlCodec.refused(UnpooledByteBufAllocator.DEFAULT,
                new RefusedException(Refusal.LINK, "long ".repeat(1000)))));
        assertTrue(recorder.events.get(3).startsWith("REFUSED LINK "), recorder.events.get(3));
        assertReleased();
    }

    @Test
    void shortReset() {
        feed(bytes(hello(HELLO), control(ControlCodec.RESET, 0), control(ControlCodec.RESET, 1),
                Unpooled.buffer().writeByte(ControlCodec.RESET).writeByte(0).writeShort(2).writeShort(2)));
        assertEquals(List.of("HELLO", "RESET UNKNOWN -1", "RESET UNKNOWN -1", "RESET UNREAD_INPUT -1"),
                recorder.events);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 7})
    void shortFin(int length) {
        feed(bytes(hello(HELLO), control(ControlCodec.FIN, length), finAck()), bytes(finAck()));
        assertEquals(List.of("HELLO", "violated: FIN without a number of bytes"), recorder.events);
        assertReleased();
    }

    @Test
    void negativeFin() {
        feed(bytes(hello(HELLO), fin(-1)));
        assertEquals(List.of("HELLO", "violated: FIN without a number of bytes"), recorder.events);
    }

    /** Refused by its header, and nothing that follows is read. */
    @Test
    void largeControlMessage() {
        feed(bytes(hello(HELLO), Unpooled.buffer().writeByte(99).writeByte(0).writeShort(1025)), bytes(finAck()));
        assertEquals(List.of("HELLO", "violated: control message of 1025 bytes"), recorder.events);
        assertReleased();
    }

    // ---- not HELLO

    private void assertFails(Refusal refusal, String message, byte[] fed) {
        feed(fed, bytes(hello(HELLO)));
        assertEquals(List.of("failed"), recorder.events);
        assertEquals(refusal, recorder.refused.refusal());
        assertTrue(recorder.refused.getMessage().contains(message), recorder.refused.getMessage());
        assertReleased();
    }

    @Test
    void firstWrongByteOfTheMagic() {
        for (int i = 0; i < ControlCodec.MAGIC.length; i++) {
            byte[] magic = Arrays.copyOf(ControlCodec.MAGIC, i + 1);
            magic[i]++;
            new ControlHandlerTest().assertFails(Refusal.MALFORMED, "no netty-ucx peer", magic);
        }
    }

    @Test
    void strangersAreDescribed() {
        assertFails(Refusal.MALFORMED, "\"GET / HTTP/1.1??\"", "GET / HTTP/1.1\r\nHost: x".getBytes(
                StandardCharsets.US_ASCII));
    }

    @Test
    void tlsIsDescribed() {
        assertFails(Refusal.MALFORMED, "looks like TLS", new byte[] {0x16, 3, 1, 0, 10});
    }

    @Test
    void ucxIsDescribed() {
        assertFails(Refusal.MALFORMED, "UCX's own connection manager", new byte[] {112, 0, 0, 0, 0, 0, 0, 0, 1});
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 65_535})
    void otherVersion(int version) {
        assertFails(Refusal.VERSION, "version " + version + " ", bytes(handshake(version, 1, 0)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 65_535})
    void otherType(int type) {
        assertFails(Refusal.MALFORMED, "message type " + type + " ", bytes(handshake(1, type, 0)));
    }

    @ParameterizedTest
    @ValueSource(ints = {Hello.MAX_LENGTH + 1, Integer.MAX_VALUE, Integer.MIN_VALUE, -1})
    void largeHello(int length) {
        assertFails(Refusal.MALFORMED, "HELLO of " + (length & 0xffff_ffffL) + " bytes",
                bytes(handshake(1, 1, length)));
    }

    @ParameterizedTest
    @ValueSource(ints = {ControlCodec.MAX_REFUSE_LENGTH + 1, -1})
    void largeRefuse(int length) {
        assertFails(Refusal.MALFORMED, (length & 0xffff_ffffL) + " bytes", bytes(handshake(1, 2, length)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 51})
    void shortHello(int length) {
        assertFails(Refusal.MALFORMED, "HELLO has only " + length + " bytes",
                bytes(handshake(1, 1, length).writeZero(length)));
    }

    private void assertRefused(Refusal refusal, String message, Hello hello) {
        new ControlHandlerTest().assertFails(refusal, message, bytes(hello(hello)));
    }

    @Test
    void forgedFields() {
        byte[] address = address(40);
        assertRefused(Refusal.MALFORMED, "channel id is 0", new Hello(0, 4096, WORKER, 3, 4, 0, 0, 0, address));
        for (long window : new long[] {Long.MIN_VALUE, -1, 0, 4095, (1L << 30) + 1, Long.MAX_VALUE}) {
            assertRefused(Refusal.MALFORMED, "window " + window, new Hello(1, window, WORKER, 3, 4, 0, 0, 0, address));
        }
        assertRefused(Refusal.MALFORMED, "segment", new Hello(1, 4096, WORKER, 3, 4, 0, -1, 0, address));
        assertRefused(Refusal.MALFORMED, "segment", new Hello(1, 4096, WORKER, 3, 4, 0, 0, -1, address));
        for (int length : new int[] {0, 7, UcxWorker.MAX_ADDRESS_LENGTH + 1}) {
            assertRefused(Refusal.MALFORMED, "address has " + length, new Hello(1, 4096, WORKER, 3, 4, 0, 0, 0,
                    address(length)));
        }
        for (int version = 2; version < 16; version++) {
            address[0] = (byte) (0xa0 | version);
            assertRefused(Refusal.MALFORMED, "version " + (version + 1),
                    new Hello(1, 4096, WORKER, 3, 4, 0, 0, 0, address));
        }
    }

    @Test
    void allowedExtremes() {
        for (int version = 0; version < 2; version++) {
            byte[] address = address(8);
            address[0] = (byte) (0xf0 | version);
            for (long window : new long[] {4096, 1L << 30}) {
                ControlHandlerTest test = new ControlHandlerTest();
                test.feed(bytes(hello(
                        new Hello(Long.MIN_VALUE, window, WORKER, 3, 4, -1, Integer.MAX_VALUE, 0, address))));
                assertEquals(List.of("HELLO"), test.recorder.events);
            }
        }
    }

    @Test
    void addressLongerThanItsHello() {
        byte[] hello = bytes(hello(HELLO));
        hello[19]++;
        assertFails(Refusal.MALFORMED, "address has 41 bytes", hello);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 255})
    void otherConnector(int connector) {
        byte[] hello = bytes(hello(HELLO));
        hello[16] = (byte) connector;
        assertFails(Refusal.CONNECTOR, "connector " + connector + " ", hello);
    }

    // ---- REFUSE

    @ParameterizedTest
    @EnumSource(Refusal.class)
    void refusals(Refusal refusal) {
        assertFails(refusal, "text of it", bytes(ControlCodec.refuse(UnpooledByteBufAllocator.DEFAULT,
                new RefusedException(refusal, "text of it"))));
    }

    /** However long its reason is and however that is encoded, a refusal is one that the peer accepts. */
    @Test
    void longTextOfRefusal() {
        String text = "\u00e4".repeat(5000);
        byte[] refuse = bytes(ControlCodec.refuse(UnpooledByteBufAllocator.DEFAULT,
                new RefusedException(Refusal.LINK, text)));
        assertTrue(refuse.length <= ControlCodec.HANDSHAKE_HEADER_LENGTH + ControlCodec.MAX_REFUSE_LENGTH);
        assertFails(Refusal.LINK, "\u00e4".repeat(500), refuse);
    }

    @Test
    void refusalWithoutText() {
        assertFails(Refusal.LINK, "null", bytes(ControlCodec.refuse(UnpooledByteBufAllocator.DEFAULT,
                new RefusedException(Refusal.LINK, null))));
    }

    @Test
    void refusalOfAnotherVersionNamesItsVersions() {
        assertFails(Refusal.VERSION, "versions 3 to 70", bytes(handshake(70, 2, 8).writeShort(1).writeShort(3)
                .writeShort(70).writeShort(0)));
    }

    /** Its text claims to be longer than it is. */
    @Test
    void forgedRefusal() {
        assertFails(Refusal.UNKNOWN, "hi", bytes(handshake(1, 2, 10).writeShort(999).writeShort(1).writeShort(1)
                .writeShort(65_535).writeByte('h').writeByte('i')));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 7})
    void shortRefusal(int length) {
        assertFails(Refusal.UNKNOWN, "refused", bytes(handshake(1, 2, length).writeZero(length)));
    }

    // ---- pause and the end

    @Test
    void whatComesDuringPauseIsToldAfterwards() {
        feed(bytes(hello(HELLO)));
        handler.pause();
        feed(bytes(fin(1)), new byte[] {ControlCodec.FIN_ACK});
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        assertEquals(List.of("HELLO"), recorder.events);
        Recorder next = new Recorder();
        handler.resume(next);
        assertEquals(List.of("FIN 1", "ended"), next.events);
        assertEquals(List.of("HELLO"), recorder.events);
        assertReleased();
    }

    @Test
    void endIsToldOnceAndAfterTheLastMessage() {
        feed(bytes(hello(HELLO), fin(1)), new byte[] {ControlCodec.FIN_ACK, 0});
        IOException cause = new IOException("on purpose");
        channel.pipeline().fireExceptionCaught(cause);
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        channel.close();
        assertEquals(List.of("HELLO", "FIN 1", "ended"), recorder.events);
        assertSame(cause, recorder.endCause);
        assertReleased();
    }

    @Test
    void removalReleasesWhatWaits() {
        feed(bytes(hello(HELLO)));
        handler.pause();
        feed(bytes(fin(1)));
        channel.pipeline().remove(handler);
        assertReleased();
        Recorder next = new Recorder();
        handler.resume(next);
        assertEquals(List.of(), next.events);
    }

    @Test
    void segments() throws Exception {
        Hello.checkSegments(segments(0, 0), segments(1, 1));
        Hello.checkSegments(segments(10, 10), segments(0, 0));
        Hello.checkSegments(segments(10, 20), segments(20, 10));
        assertSegmentsRefused(segments(11, 20), segments(20, 10));
        assertSegmentsRefused(segments(10, 20), segments(21, 10));
    }

    private static Hello segments(int sent, int received) {
        return new Hello(1, 4096, WORKER, 3, 4, 0, sent, received, new byte[8]);
    }

    private static void assertSegmentsRefused(Hello mine, Hello theirs) {
        try {
            Hello.checkSegments(mine, theirs);
        } catch (RefusedException e) {
            assertEquals(Refusal.TCP_SEGMENTS, e.refusal());
            return;
        }
        throw new AssertionError("not refused");
    }

    @Test
    void codesOfLaterVersions() {
        for (ResetReason reason : ResetReason.values()) {
            assertSame(reason, ResetReason.of(reason.code()));
        }
        for (Refusal refusal : Refusal.values()) {
            assertSame(refusal, Refusal.of(refusal.code()));
        }
        for (int code : new int[] {-1, 8, 65_535, Integer.MAX_VALUE}) {
            assertSame(ResetReason.UNKNOWN, ResetReason.of(code));
            assertSame(Refusal.UNKNOWN, Refusal.of(code));
        }
    }

    /** The address may tell about the host and is for no log. */
    @Test
    void textOfHello() {
        assertEquals("Hello(channel: fffffffffffffff9, window: 1048576, worker: 0123456789abcdeffffffffffffffffe, " +
                "UCX: 1.13.1)", HELLO.toString());
    }
}
