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
import io.netty.channel.ChannelOutboundBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Collects flushed buffers into one message: large ones by address, runs of small ones copied together. One for each
 * event loop, as is the memory it copies to, which goes along with the operation when UCX does not finish with it at
 * once.
 */
final class Gather implements ChannelOutboundBuffer.MessageProcessor {
    /** Mirrors NETTY_UCX_MAX_IOV. */
    static final int MAX_IOV = 64;
    /** A buffer up to this size is cheaper to copy than to name; also what is left in heap memory by a channel. */
    static final int SMALL = 1024;

    private static final int IOV_SIZE = 16;
    private static final int SCRATCH_CAPACITY = 64 * 1024;

    private final ByteBuffer iov = ByteBuffer.allocateDirect(MAX_IOV * IOV_SIZE).order(ByteOrder.nativeOrder());
    private final long iovAddress = Native.directBufferAddress(iov);
    private final ByteBuf[] named = new ByteBuf[MAX_IOV];
    private final ByteBufAllocator allocator;
    private ByteBuf scratch;
    private long scratchAddress;

    private int iovCount;
    private int namedCount;
    private int bytes;
    private int limit;
    private long skip;
    private boolean alone;
    private boolean scratchIsLast;

    Gather(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /** Takes at most limit bytes behind the first skip ones. */
    void gather(ChannelOutboundBuffer buffer, long skip, int limit) throws Exception {
        this.skip = skip;
        this.limit = limit;
        iovCount = 0;
        namedCount = 0;
        bytes = 0;
        scratchIsLast = false;
        if (scratch != null) {
            scratch.clear();
        }
        alone = buffer.size() == 1;
        buffer.forEachFlushedMessage(this);
    }

    /** Takes the one buffer, which is in one piece. */
    void take(ByteBuf buffer) {
        iovCount = 0;
        namedCount = 0;
        bytes = 0;
        if (scratch != null) {
            scratch.clear();
        }
        name(buffer, buffer.readerIndex(), buffer.readableBytes());
    }

    private ByteBuf scratch() {
        if (scratch == null) {
            scratch = allocator.directBuffer(SCRATCH_CAPACITY, SCRATCH_CAPACITY);
            scratchAddress = NativeMemory.address(scratch, 0, SCRATCH_CAPACITY);
        }
        return scratch;
    }

    int bytes() {
        return bytes;
    }

    long iovAddress() {
        return iovAddress;
    }

    int iovCount() {
        return iovCount;
    }

    @Override
    public boolean processMessage(Object message) {
        if (!(message instanceof ByteBuf)) {
            return false;
        }
        ByteBuf buffer = (ByteBuf) message;
        int readable = buffer.readableBytes();
        if (skip >= readable) {
            skip -= readable;
            return true;
        }
        int index = buffer.readerIndex() + (int) skip;
        int length = Math.min(readable - (int) skip, limit - bytes);
        skip = 0;
        if (length > 0 && !(buffer.isDirect() && (alone || length > SMALL) ? name(buffer, index, length)
                                                                           : copy(buffer, index, length))) {
            return false;
        }
        return bytes < limit;
    }

    private boolean copy(ByteBuf buffer, int index, int length) {
        ByteBuf target = scratch();
        if (target.writableBytes() < length || !scratchIsLast && iovCount == MAX_IOV) {
            return false;
        }
        int start = target.writerIndex();
        target.writeBytes(buffer, index, length);
        if (scratchIsLast) {
            int last = (iovCount - 1) * IOV_SIZE + 8;
            iov.putLong(last, iov.getLong(last) + length);
        } else {
            name(scratchAddress + start, length);
            scratchIsLast = true;
        }
        bytes += length;
        return true;
    }

    private boolean name(ByteBuf buffer, int index, int length) {
        int components = buffer.nioBufferCount();
        if (iovCount + components > MAX_IOV) {
            return false;
        }
        if (components == 1) {
            name(NativeMemory.address(buffer, index, length), length);
        } else {
            for (ByteBuffer component : buffer.nioBuffers(index, length)) {
                if (component.hasRemaining()) {
                    name(NativeMemory.address(component), component.remaining());
                }
            }
        }
        named[namedCount++] = buffer;
        scratchIsLast = false;
        bytes += length;
        return true;
    }

    private void name(long address, int length) {
        iov.putLong(iovCount * IOV_SIZE, address);
        iov.putLong(iovCount * IOV_SIZE + 8, length);
        iovCount++;
    }

    /** UCX still reads the gathered memory: the operation keeps it from now on. */
    void holdBy(SendOperation operation) {
        for (int i = 0; i < namedCount; i++) {
            operation.hold(named[i].retain());
        }
        if (scratch != null && scratch.isReadable()) {
            operation.hold(scratch);
            scratch = null;
        }
    }

    /** The message was sent, or not; its buffers are not looked at any more. */
    void clear() {
        for (int i = 0; i < namedCount; i++) {
            named[i] = null;
        }
        namedCount = 0;
    }

    void release() {
        if (scratch != null) {
            scratch.release();
            scratch = null;
        }
    }
}
