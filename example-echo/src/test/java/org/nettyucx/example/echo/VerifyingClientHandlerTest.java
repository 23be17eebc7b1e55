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
package org.nettyucx.example.echo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nettyucx.example.ExampleException;

@Timeout(60)
class VerifyingClientHandlerTest {

    private EmbeddedChannel channel;
    private VerifyingClientHandler handler;

    @AfterEach
    void close() {
        if (channel != null) {
            channel.finishAndReleaseAll();
        }
    }

    @Test
    void acceptsAnEchoInOddFragments() throws Exception {
        open(100, 1001, 7);
        SplittableRandom cuts = new SplittableRandom(3);
        ByteBuf pending = Unpooled.buffer();
        long echoed = 0;
        while (!handler.result().isDone()) {
            takeInto(pending);
            assertTrue(pending.isReadable(), "the client neither sends nor finishes");
            int length = Math.min(cuts.nextInt(1, 700), pending.readableBytes());
            channel.writeInbound(pending.readBytes(length));
            echoed += length;
        }
        EchoResult result = handler.result().get();
        assertEquals(100, result.messages());
        assertEquals(100 * 1001, result.bytes());
        assertEquals(100 * 1001, echoed);
        assertTrue(channel.isOpen(), "closing is up to the caller");
        pending.release();
    }

    @Test
    void cutsLargeMessages() throws Exception {
        int bytes = 3 * VerifyingClientHandler.MAX_CHUNK + 5;
        open(2, bytes, 1);
        long echoed = 0;
        while (!handler.result().isDone()) {
            ByteBuf chunk = channel.readOutbound();
            assertTrue(chunk.readableBytes() <= VerifyingClientHandler.MAX_CHUNK);
            echoed += chunk.readableBytes();
            channel.writeInbound(chunk);
        }
        assertEquals(2L * bytes, handler.result().get().bytes());
        assertEquals(2L * bytes, echoed);
    }

    @Test
    void boundsTheMessagesInFlight() {
        open(100, 10, 3);
        ByteBuf sent = Unpooled.buffer();
        takeInto(sent);
        assertEquals(30, sent.readableBytes());
        channel.writeInbound(sent.readBytes(19));
        takeInto(sent);
        assertEquals(21, sent.readableBytes(), "one message is back: there is room for one more");
        sent.release();
    }

    @Test
    void boundsTheBytesInFlight() {
        open(1, 1L << 40, 1);
        long sent = drain();
        long bound = VerifyingClientHandler.MAX_BYTES_IN_FLIGHT;
        assertTrue(sent >= bound, "sent " + sent);
        assertTrue(sent < bound + VerifyingClientHandler.MAX_CHUNK, "sent " + sent);
    }

    @Test
    void pausesWhileTheChannelIsNotWritable() {
        WriteHolder holder = new WriteHolder();
        handler = new VerifyingClientHandler(10_000, 1024, 10_000);
        channel = new EmbeddedChannel(holder, handler);
        // Nothing leaves the outbound buffer, so it fills up to the high water mark and one message more.
        assertFalse(channel.isWritable());
        assertEquals(0, drain());
        holder.release();
        channel.runPendingTasks();
        long sent = drain();
        assertTrue(sent > 64 * 1024, "resumed when the channel became writable: " + sent);
    }

    @Test
    void reportsTheOffsetOfOneFlippedByte() {
        open(10, 100, 10);
        ByteBuf echo = Unpooled.buffer();
        takeInto(echo);
        byte right = echo.getByte(777);
        byte wrong = (byte) (right ^ 0x10);
        echo.setByte(777, wrong);
        channel.writeInbound(echo.readBytes(500));
        assertFalse(handler.result().isDone());
        channel.writeInbound(echo);
        assertEquals(String.format("mismatch at byte 777 of 1000: expected 0x%02x, got 0x%02x", right, wrong),
                failure());
    }

    @Test
    void reportsBytesThatWereNeverSent() {
        open(1, 10, 1);
        ByteBuf echo = channel.readOutbound();
        channel.writeInbound(Unpooled.wrappedBuffer(echo, Unpooled.wrappedBuffer(new byte[3])));
        assertEquals("got 3 bytes more than the 10 that were sent", failure());
    }

    @Test
    void reportsAPrematureClose() {
        open(10, 100, 10);
        ByteBuf echo = channel.readOutbound();
        channel.writeInbound(echo);
        channel.close();
        assertEquals("connection closed after 100 of 1000 bytes came back", failure());
    }

    @Test
    void reportsAnError() {
        open(10, 100, 10);
        channel.pipeline().fireExceptionCaught(new IOException("Connection reset by peer"));
        assertEquals("connection failed after 0 of 1000 bytes came back: Connection reset by peer", failure());
    }

    @Test
    void finishesWhenTheLastEmptyMessageIsWritten() throws Exception {
        open(5000, 0, 3);
        channel.runPendingTasks();
        EchoResult result = handler.result().get();
        assertEquals(5000, result.messages());
        assertEquals(0, result.bytes());
        assertEquals(0, drain());
    }

    @Test
    void finishesAtOnceWithoutMessages() throws Exception {
        open(0, 1024, 1);
        assertEquals(0, handler.result().get().messages());
        assertEquals(0, drain());
    }

    private void open(long count, long bytes, long inFlight) {
        handler = new VerifyingClientHandler(count, bytes, inFlight);
        channel = new EmbeddedChannel(handler);
    }

    private void takeInto(ByteBuf target) {
        for (ByteBuf sent = channel.readOutbound(); sent != null; sent = channel.readOutbound()) {
            target.writeBytes(sent);
            sent.release();
        }
    }

    private long drain() {
        long bytes = 0;
        for (ByteBuf sent = channel.readOutbound(); sent != null; sent = channel.readOutbound()) {
            bytes += sent.readableBytes();
            sent.release();
        }
        return bytes;
    }

    private String failure() {
        assertTrue(handler.result().isDone());
        ExecutionException e = assertThrows(ExecutionException.class, () -> handler.result().get());
        return assertInstanceOf(ExampleException.class, e.getCause()).getMessage();
    }

    /** Swallows flushes until it is released, like a network that takes nothing. */
    private static final class WriteHolder extends ChannelOutboundHandlerAdapter {

        private ChannelHandlerContext context;
        private boolean released;

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            context = ctx;
        }

        @Override
        public void flush(ChannelHandlerContext ctx) {
            if (released) {
                ctx.flush();
            }
        }

        void release() {
            released = true;
            context.flush();
        }
    }
}
