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

import java.nio.ByteBuffer;

/** Addresses of Netty's buffers, and copies from native memory into them. */
final class NativeMemory {
    private NativeMemory() {
    }

    /** Returns where the bytes from index on lie; the range must be in one piece of direct memory. */
    static long address(ByteBuf buffer, int index, int length) {
        return buffer.hasMemoryAddress() ? buffer.memoryAddress() + index
                : address(buffer.nioBufferCount() == 1 ? buffer.internalNioBuffer(index, length)
                                                       : buffer.nioBuffer(index, length));
    }

    /** Returns where the readable bytes lie, which must be in one piece of direct memory. */
    static long address(ByteBuf buffer) {
        return address(buffer, buffer.readerIndex(), buffer.readableBytes());
    }

    /** Returns where the buffer's position lies. */
    static long address(ByteBuffer buffer) {
        return Native.directBufferAddress(buffer) + buffer.position();
    }

    /** Returns a new buffer with what lies in native memory. */
    static ByteBuf copy(ByteBufAllocator allocator, long source, int length) {
        ByteBuf copy = allocator.directBuffer(length, length);
        copy(source, copy, length);
        return copy;
    }

    /** Appends native memory to the buffer, which has room for it. */
    static void copy(long source, ByteBuf destination, int length) {
        int index = destination.writerIndex();
        destination.ensureWritable(length);
        if (destination.hasMemoryAddress()) {
            Native.copy(destination.memoryAddress() + index, source, length);
        } else if (destination.isDirect() && destination.nioBufferCount() == 1) {
            Native.copy(address(destination.internalNioBuffer(index, length)), source, length);
        } else {
            // A heap or composite buffer of the user's own allocator: by way of a small direct one.
            ByteBuffer window = ByteBuffer.allocateDirect(length);
            Native.copy(Native.directBufferAddress(window), source, length);
            destination.setBytes(index, window);
        }
        destination.writerIndex(index + length);
    }
}
