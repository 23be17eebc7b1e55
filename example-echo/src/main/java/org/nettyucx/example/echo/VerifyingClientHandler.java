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

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletableFuture;
import org.nettyucx.example.ExampleException;
import org.nettyucx.example.Reason;

/**
 * Sends a number of messages and checks every byte that comes back. Neither side of the stream is ever held in memory:
 * it is produced as the channel takes it and checked as it arrives.
 */
final class VerifyingClientHandler extends SimpleChannelInboundHandler<ByteBuf> {

    static final long SEED = 0x6E657474792D7563L;
    static final int MAX_CHUNK = 256 * 1024;

    /** Bytes that may be on their way to the server and back, however large or many the messages are. */
    static final long MAX_BYTES_IN_FLIGHT = 8L * 1024 * 1024;

    /** Writes in one go before the event loop gets a turn; tiny messages would otherwise hold it for long. */
    private static final int MAX_WRITES_PER_TURN = 1024;

    private final CompletableFuture<EchoResult> result = new CompletableFuture<>();
    private final PseudoRandomBytes outgoing = new PseudoRandomBytes(SEED);
    private final PseudoRandomBytes expected = new PseudoRandomBytes(SEED);
    private final ChannelFutureListener onWritten = this::written;
    private final long count;
    private final long bytes;
    private final long total;
    private final long maxMessagesInFlight;

    private long startNanos;
    private long messagesStarted;
    private long messageBytesLeft;
    private long bytesWritten;
    private long bytesRead;
    private long emptyMessagesDone;
    private boolean sending;
    private boolean unflushed;

    VerifyingClientHandler(long count, long bytes, long maxMessagesInFlight) {
        this.count = count;
        this.bytes = bytes;
        this.maxMessagesInFlight = maxMessagesInFlight;
        total = Math.multiplyExact(count, bytes);
    }

    /** Completes when everything came back, or with an {@link ExampleException}. The channel is left to the caller. */
    CompletableFuture<EchoResult> result() {
        return result;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        startNanos = System.nanoTime();
        finishIfDone();
        send(ctx);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf in) {
        if (result.isDone()) {
            return;
        }
        int length = in.readableBytes();
        // What we did not send yet cannot be an echo, even where it happens to be the right bytes.
        int plausible = (int) Math.min(length, bytesWritten - bytesRead);
        int equal = expected.match(in, plausible);
        if (equal < plausible) {
            long offset = bytesRead + equal;
            fail(String.format("mismatch at byte %d of %d: expected 0x%02x, got 0x%02x", offset, total,
                    PseudoRandomBytes.byteAt(SEED, offset), in.getByte(in.readerIndex() + equal)));
            return;
        }
        bytesRead += plausible;
        if (plausible < length) {
            fail("got " + (length - plausible) + " bytes more than the " + bytesWritten + " that were sent");
            return;
        }
        finishIfDone();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        send(ctx);
        ctx.fireChannelReadComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        send(ctx);
        ctx.fireChannelWritabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        fail("connection closed after " + progress());
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        fail("connection failed after " + progress() + ": " + Reason.of(cause));
    }

    private void send(ChannelHandlerContext ctx) {
        // Writing and flushing may call back here (writability, a write that is done): the loop below sees it.
        if (sending) {
            return;
        }
        sending = true;
        try {
            int writes = 0;
            while (maySend(ctx.channel())) {
                if (writes++ == MAX_WRITES_PER_TURN) {
                    ctx.executor().execute(() -> send(ctx));
                    break;
                }
                sendChunk(ctx);
            }
            flush(ctx);
        } finally {
            sending = false;
        }
    }

    private boolean maySend(Channel channel) {
        if (result.isDone() || !channel.isWritable() || bytesWritten - bytesRead >= MAX_BYTES_IN_FLIGHT) {
            return false;
        }
        return messageBytesLeft > 0 || messagesStarted < count && messagesInFlight() < maxMessagesInFlight;
    }

    private long messagesInFlight() {
        // Of an empty message nothing comes back; it is done when it is written.
        return messagesStarted - (bytes == 0 ? emptyMessagesDone : bytesRead / bytes);
    }

    private void sendChunk(ChannelHandlerContext ctx) {
        if (messageBytesLeft == 0) {
            messagesStarted++;
            messageBytesLeft = bytes;
        }
        int length = (int) Math.min(messageBytesLeft, MAX_CHUNK);
        ByteBuf chunk = length == 0 ? Unpooled.EMPTY_BUFFER : ctx.alloc().directBuffer(length);
        outgoing.writeTo(chunk, length);
        messageBytesLeft -= length;
        bytesWritten += length;
        unflushed = true;
        ctx.write(chunk).addListener(onWritten);
        if (messageBytesLeft == 0 || !ctx.channel().isWritable()) {
            flush(ctx);
        }
    }

    private void flush(ChannelHandlerContext ctx) {
        if (unflushed) {
            unflushed = false;
            ctx.flush();
        }
    }

    private void written(ChannelFuture write) {
        if (!write.isSuccess()) {
            // A closed channel is reported by channelInactive, which knows better than "closed" when there was a cause.
            if (!(write.cause() instanceof ClosedChannelException)) {
                fail("write failed after " + progress() + ": " + Reason.of(write.cause()));
            }
            return;
        }
        if (bytes == 0) {
            emptyMessagesDone++;
            finishIfDone();
            ChannelHandlerContext ctx = write.channel().pipeline().context(this);
            if (ctx != null) {
                send(ctx);
            }
        }
    }

    private void finishIfDone() {
        boolean done = bytes == 0 ? emptyMessagesDone == count : bytesRead == total;
        if (done) {
            result.complete(new EchoResult(count, total, System.nanoTime() - startNanos));
        }
    }

    private void fail(String reason) {
        result.completeExceptionally(new ExampleException(reason));
    }

    private String progress() {
        return bytes == 0 ? emptyMessagesDone + " of " + count + " empty messages"
                : bytesRead + " of " + total + " bytes came back";
    }
}
