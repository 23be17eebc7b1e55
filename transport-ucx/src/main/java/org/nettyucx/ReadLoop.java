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
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;

import java.io.IOException;

/**
 * Hands received bytes to the pipeline as far as the user wants to read, by the rules of the channel's
 * {@link RecvByteBufAllocator}, and after the last of them what ended the stream.
 */
final class ReadLoop {
    private final UcxSocketChannel channel;
    private final Connection connection;
    /** One for all times, as it may run for every message. */
    private final Runnable goOn = this::goOn;
    private boolean readPending;
    private boolean reading;
    private boolean scheduled;
    private boolean ended;
    private boolean readCompleteDelivered;
    private IOException inputFailure;
    private IOException outputFailure;

    ReadLoop(UcxSocketChannel channel, Connection connection) {
        this.channel = channel;
        this.connection = connection;
    }

    void beginRead() {
        readPending = true;
        // Not at once: inside the loop it goes on by itself, and outside the pipeline must not be re-entered.
        if (!reading && (connection.inbound().readableBytes() > 0 || isOver())) {
            schedule();
        }
    }

    void clearReadPending() {
        readPending = false;
    }

    /** The peer has sent its last byte, which is here. */
    void inputEnded() {
        ended = true;
    }

    /** No more bytes will come after those that are here. */
    void inputFailed(IOException cause) {
        inputFailure = cause;
    }

    void outputFailed(IOException cause) {
        outputFailure = cause;
    }

    /** The user shuts down the input: what is here and what will come is dropped. */
    void shutdownInput() {
        if (!channel.isInputShutdown()) {
            channel.setInputShutdown();
            discard();
            if (channel.config().isAutoRead() || readPending) {
                schedule();
            }
        }
    }

    private boolean isOver() {
        return ended || inputFailure != null || outputFailure != null || channel.isInputShutdown();
    }

    private void schedule() {
        if (!scheduled) {
            scheduled = true;
            channel.eventLoop().execute(goOn);
        }
    }

    private void goOn() {
        scheduled = false;
        connection.deliver();
    }

    private void discard() {
        connection.consumed(connection.inbound().discard());
    }

    void deliver() {
        if (!channel.isActive() || reading) {
            return;
        }
        if (channel.isInputShutdown()) {
            discard();
        } else if (readPending && connection.inbound().readableBytes() > 0) {
            read();
        }
        if (!channel.isOpen() || connection.inbound().readableBytes() > 0) {
            failWrites();
            return;
        }
        deliverEnd();
    }

    // Netty's own transports use the type, too; its methods are not deprecated.
    @SuppressWarnings("deprecation")
    private void read() {
        ChannelPipeline pipeline = channel.pipeline();
        InboundBytes inbound = connection.inbound();
        ByteBufAllocator allocator = channel.alloc();
        RecvByteBufAllocator.Handle handle = channel.unsafe().recvBufAllocHandle();
        reading = true;
        try {
            handle.reset(channel.config());
            do {
                ByteBuf buffer = null;
                int read;
                try {
                    buffer = handle.allocate(allocator);
                    handle.attemptedBytesRead(buffer.writableBytes());
                    read = inbound.readInto(buffer);
                } catch (Throwable t) {
                    // No memory, or an allocator of the user's own that failed.
                    if (buffer != null) {
                        buffer.release();
                    }
                    handle.readComplete();
                    pipeline.fireChannelReadComplete();
                    pipeline.fireExceptionCaught(t);
                    close();
                    return;
                }
                handle.lastBytesRead(read);
                handle.incMessagesRead(1);
                readPending = false;
                connection.consumed(read);
                pipeline.fireChannelRead(buffer);
            } while (inbound.readableBytes() > 0 && !channel.isInputShutdown() && handle.continueReading());
            handle.readComplete();
            pipeline.fireChannelReadComplete();
        } finally {
            reading = false;
        }
        if (readPending && inbound.readableBytes() > 0) {
            schedule();
        }
    }

    /** Everything has been read: the end of the stream, however it came, needs no read() to be heard of. */
    private void deliverEnd() {
        failWrites();
        if (!channel.isOpen()) {
            return;
        }
        if (inputFailure != null) {
            IOException cause = inputFailure;
            inputFailure = null;
            channel.pipeline().fireExceptionCaught(cause);
            close();
        } else if (ended && !channel.isInputShutdown()) {
            deliverEof();
        } else if (channel.isInputShutdown() && channel.config().isAllowHalfClosure()) {
            // The user did it. Without half-closure sockets say nothing then.
            deliverReadComplete();
        }
        if (channel.isOpen() && outputFailure != null && channel.config().isAutoClose()) {
            close();
        }
    }

    private void deliverEof() {
        if (!channel.config().isAllowHalfClosure()) {
            close();
            return;
        }
        channel.setInputShutdown();
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        if (channel.isOpen()) {
            deliverReadComplete();
        }
    }

    private void deliverReadComplete() {
        if (!readCompleteDelivered) {
            readCompleteDelivered = true;
            channel.pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
        }
    }

    /** Nothing that is still to be written can arrive: the promises must not wait for the last byte to be read. */
    private void failWrites() {
        if (connection.state().lost() != null) {
            channel.writeMore();
        }
    }

    private void close() {
        channel.unsafe().close(channel.unsafe().voidPromise());
    }
}
