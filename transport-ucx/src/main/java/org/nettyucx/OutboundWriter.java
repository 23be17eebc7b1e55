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
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.FileRegion;

import java.io.IOException;
import java.util.ArrayDeque;

/**
 * Turns what a channel has flushed into DATA messages, as far as the peer's credit goes, and removes it from the
 * outbound buffer (which completes the write promises) when UCX does not need the memory any more, in order.
 */
final class OutboundWriter {
    private static final int MAX_PENDING_OPERATIONS = 256;
    private static final int FILE_REGION_PIECE = 64 * 1024;
    /** One a millisecond, of a region that has nothing to give. */
    private static final int MAX_EMPTY_READS = 1000;

    private final UcxSocketChannel channel;
    private final Connection connection;
    /** Sends whose bytes are still in the outbound buffer, in stream order. */
    private final ArrayDeque<SendOperation> pending = new ArrayDeque<>(4);
    private FileRegionReader fileRegionReader;
    private int emptyReads;
    private Deadlines.Deadline nextRead;
    private long removed;
    private boolean removing;

    OutboundWriter(UcxSocketChannel channel, Connection connection) {
        this.channel = channel;
        this.connection = connection;
    }

    /** Sends what can be sent now. What cannot is sent when credit or a completion arrives. */
    void write(ChannelOutboundBuffer buffer) throws Exception {
        // Promise listeners that run while bytes are being removed may flush; the outer call goes on afterwards.
        if (removing) {
            return;
        }
        for (;;) {
            removeDone(buffer);
            if (channel.outboundBuffer() != buffer || buffer.isEmpty() || pending.size() >= MAX_PENDING_OPERATIONS) {
                return;
            }
            boolean more = pending.isEmpty() && buffer.current() instanceof FileRegion
                    ? writeFileRegion(buffer, (FileRegion) buffer.current()) : writeBuffers(buffer);
            if (!more) {
                return;
            }
        }
    }

    private boolean writeBuffers(ChannelOutboundBuffer buffer) throws Exception {
        int limit = connection.sendable();
        if (limit == 0) {
            return false;
        }
        Gather gather = connection.handler().gather();
        gather.gather(buffer, connection.sent() - removed, limit);
        try {
            return gather.bytes() > 0 && send(gather, true);
        } finally {
            gather.clear();
        }
    }

    /** Returns whether the message was sent. */
    private boolean send(Gather gather, boolean stillBuffered) {
        SendOperations operations = connection.handler().operations();
        SendOperation operation = operations.take();
        operation.start(connection, connection.sent() + gather.bytes());
        int result = connection.send(gather.iovAddress(), gather.iovCount(), gather.bytes(), operation);
        if (result == 1) {
            gather.holdBy(operation);
        } else {
            operation.finishedAtOnce();
        }
        if (result >= 0 && stillBuffered) {
            operation.setBuffered(true);
            pending.add(operation);
        } else if (result != 1) {
            operations.giveBack(operation);
        }
        if (result < 0) {
            connection.sendFailed(result);
            return false;
        }
        return true;
    }

    /** Sends a part of the region by way of memory of our own, so that it is done with as soon as it is read. */
    private boolean writeFileRegion(ChannelOutboundBuffer buffer, FileRegion region) throws IOException {
        long left = region.count() - region.transferred();
        if (left > 0) {
            int limit = (int) Math.min(connection.sendable(), left);
            if (limit == 0) {
                return false;
            }
            if (fileRegionReader == null) {
                fileRegionReader = new FileRegionReader();
            }
            ByteBuf copy = channel.alloc().directBuffer(Math.min(limit, FILE_REGION_PIECE));
            int bytes;
            try {
                fileRegionReader.read(region, copy, limit);
                bytes = copy.readableBytes();
                if (bytes == 0) {
                    readLater(region);
                    return false;
                }
                emptyReads = 0;
                Gather gather = connection.handler().gather();
                gather.take(copy);
                boolean sent = send(gather, false);
                gather.clear();
                if (!sent) {
                    return false;
                }
            } finally {
                copy.release();
            }
            removed += bytes;
            buffer.progress(bytes);
        }
        if (region.transferred() >= region.count()) {
            removing = true;
            try {
                buffer.remove();
            } finally {
                removing = false;
            }
        }
        return true;
    }

    /** Sockets ask a region that is no file again and again, for ever; here it fails in the end. */
    private void readLater(FileRegion region) throws IOException {
        if (region instanceof DefaultFileRegion || ++emptyReads > MAX_EMPTY_READS) {
            throw FileRegionReader.endedEarly(region);
        }
        if (nextRead == null) {
            nextRead = connection.handler().deadlines().schedule(1, () -> {
                nextRead = null;
                channel.writeMore();
            });
        }
    }

    /** UCX is done with the operation's memory. */
    void completed(SendOperation operation) {
        if (!operation.isBuffered()) {
            connection.handler().operations().giveBack(operation);
        }
    }

    private void removeDone(ChannelOutboundBuffer buffer) {
        long end = removed;
        for (SendOperation first = pending.peek(); first != null && first.isDone(); first = pending.peek()) {
            end = first.end();
            connection.handler().operations().giveBack(pending.poll());
        }
        removing = true;
        try {
            // Not ChannelOutboundBuffer.removeBytes(): a listener that closes the channel would break its loop.
            long bytes = end - removed;
            removed = end;
            while (channel.outboundBuffer() == buffer && buffer.current() instanceof ByteBuf) {
                ByteBuf current = (ByteBuf) buffer.current();
                int readable = current.readableBytes();
                if (readable > bytes) {
                    if (bytes > 0) {
                        current.skipBytes((int) bytes);
                        buffer.progress(bytes);
                    }
                    break;
                }
                bytes -= readable;
                buffer.progress(readable);
                buffer.remove();
            }
        } finally {
            removing = false;
        }
    }

    /** The outbound buffer is gone; what UCX still reads is held by the operations themselves. */
    void close() {
        for (SendOperation operation : pending) {
            operation.setBuffered(false);
            if (operation.isDone()) {
                connection.handler().operations().giveBack(operation);
            }
        }
        pending.clear();
    }
}
