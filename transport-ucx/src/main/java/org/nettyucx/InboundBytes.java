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

import java.util.Map;
import java.util.TreeMap;

/**
 * What a connection has received and its user has not read yet, in stream order. A range is borrowed first: it stays in
 * UCX's or native memory until the next poll. What is not read by then must be {@linkplain #own owned}: copied into
 * pooled buffers. Never holds more than the window that was granted.
 */
final class InboundBytes {
    private static final int INITIAL_CAPACITY = 8;
    private static final int SMALLEST_BUFFER = 2048;
    private static final int LARGEST_BUFFER = 256 * 1024;

    /** A ring of ranges: entry i is borrowed if owned[i] is null. */
    private ByteBuf[] owned = new ByteBuf[INITIAL_CAPACITY];
    private long[] addresses = new long[INITIAL_CAPACITY];
    private int[] lengths = new int[INITIAL_CAPACITY];
    private int first;
    private int count;
    private int borrowed;
    private int readable;
    private long received;
    /** What came before what precedes it, by offset. Rare: a rendezvous that was overtaken. */
    private TreeMap<Long, ByteBuf> ahead;

    /** Bytes from the beginning of the stream that arrived without a hole. */
    long received() {
        return received;
    }

    int readableBytes() {
        return readable;
    }

    boolean hasBorrowed() {
        return borrowed > 0;
    }

    /**
     * Takes a range of the stream that lies at this address until the next poll.
     *
     * @return {@code false} if the range overlaps what is already here
     */
    boolean add(long offset, long address, int length, ByteBufAllocator allocator) {
        if (length == 0) {
            return true;
        }
        if (offset < received) {
            return false;
        }
        if (offset > received) {
            return addAhead(offset, address, length, allocator);
        }
        if (ahead != null && !ahead.isEmpty() && offset + length > ahead.firstKey()) {
            return false;
        }
        append(null, address, length);
        if (ahead != null) {
            splice();
        }
        return true;
    }

    private boolean addAhead(long offset, long address, int length, ByteBufAllocator allocator) {
        if (ahead == null) {
            ahead = new TreeMap<>();
        }
        Map.Entry<Long, ByteBuf> before = ahead.floorEntry(offset);
        Long after = ahead.ceilingKey(offset);
        if (before != null && before.getKey() + before.getValue().readableBytes() > offset ||
            after != null && offset + length > after) {
            return false;
        }
        ahead.put(offset, NativeMemory.copy(allocator, address, length));
        return true;
    }

    private void splice() {
        while (!ahead.isEmpty() && ahead.firstKey() == received) {
            ByteBuf next = ahead.pollFirstEntry().getValue();
            append(next, 0, next.readableBytes());
        }
    }

    private void append(ByteBuf buffer, long address, int length) {
        if (count == owned.length) {
            grow();
        }
        int index = first + count & owned.length - 1;
        owned[index] = buffer;
        addresses[index] = address;
        lengths[index] = length;
        count++;
        if (buffer == null) {
            borrowed++;
        }
        readable += length;
        received += length;
    }

    private void grow() {
        int capacity = owned.length << 1;
        ByteBuf[] newOwned = new ByteBuf[capacity];
        long[] newAddresses = new long[capacity];
        int[] newLengths = new int[capacity];
        for (int i = 0; i < count; i++) {
            int index = first + i & owned.length - 1;
            newOwned[i] = owned[index];
            newAddresses[i] = addresses[index];
            newLengths[i] = lengths[index];
        }
        owned = newOwned;
        addresses = newAddresses;
        lengths = newLengths;
        first = 0;
    }

    /** Moves bytes into the buffer's writable space; returns how many. */
    int readInto(ByteBuf destination) {
        int read = 0;
        while (count > 0 && destination.isWritable()) {
            int length = Math.min(lengths[first], destination.writableBytes());
            if (owned[first] == null) {
                NativeMemory.copy(addresses[first], destination, length);
                addresses[first] += length;
            } else {
                destination.writeBytes(owned[first], length);
            }
            lengths[first] -= length;
            readable -= length;
            read += length;
            if (lengths[first] == 0) {
                removeFirst();
            }
        }
        return read;
    }

    private void removeFirst() {
        if (owned[first] == null) {
            borrowed--;
        } else {
            owned[first].release();
            owned[first] = null;
        }
        first = first + 1 & owned.length - 1;
        count--;
    }

    /**
     * Copies everything that is still borrowed; small ranges share buffers. To be called before the next poll. If that
     * fails (no memory), {@link #release} must follow.
     */
    void own(ByteBufAllocator allocator) {
        if (borrowed == 0) {
            return;
        }
        int entries = count;
        int bytes = 0;
        for (int i = 0; i < entries; i++) {
            int index = first + i & owned.length - 1;
            bytes += owned[index] == null ? lengths[index] : 0;
        }
        ByteBuf tail = null;
        int tailIndex = 0;
        int kept = 0;
        for (int i = 0; i < entries; i++) {
            int from = first + i & owned.length - 1;
            ByteBuf buffer = owned[from];
            long address = addresses[from];
            int length = lengths[from];
            owned[from] = null;
            if (buffer != null) {
                tailIndex = put(kept++, buffer, length);
                tail = buffer;
                continue;
            }
            bytes -= length;
            if (tail == null || tail.maxFastWritableBytes() < length) {
                int capacity = Math.min(length + bytes, LARGEST_BUFFER);
                tail = allocator.directBuffer(Math.max(SMALLEST_BUFFER, Math.max(length, capacity)));
                tailIndex = put(kept++, tail, 0);
            }
            NativeMemory.copy(address, tail, length);
            lengths[tailIndex] += length;
        }
        count = kept;
        borrowed = 0;
    }

    private int put(int position, ByteBuf buffer, int length) {
        int index = first + position & owned.length - 1;
        owned[index] = buffer;
        lengths[index] = length;
        return index;
    }

    /** Forgets all bytes; returns how many could have been read. */
    int discard() {
        int discarded = readable;
        for (int i = 0; i < owned.length; i++) {
            if (owned[i] != null) {
                owned[i].release();
                owned[i] = null;
            }
        }
        count = 0;
        borrowed = 0;
        readable = 0;
        return discarded;
    }

    /** Forgets everything, also what waits for a hole to be filled. */
    void release() {
        discard();
        if (ahead != null) {
            ahead.values().forEach(ByteBuf::release);
            ahead = null;
        }
    }
}
