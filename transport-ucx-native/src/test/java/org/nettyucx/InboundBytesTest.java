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
import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Ranges of a stream that arrive in any order from memory that is gone at the next poll, against a simple model. */
class InboundBytesTest {
    private static final int POLL_MEMORY = 512 * 1024;
    private static final int LARGEST_BUFFER = 256 * 1024;

    // It counts for itself, and Netty's leak detection would make the many small accesses slow.
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final InboundBytes inbound = new InboundBytes();
    /** What UCX would own: its content is gone after each poll. */
    private final ByteBuffer memory = ByteBuffer.allocateDirect(POLL_MEMORY);
    private final long memoryAddress = Native.directBufferAddress(memory);
    private int memoryUsed;

    // The model.
    private long received;
    private long read;
    private final TreeMap<Long, Integer> ahead = new TreeMap<>();

    @AfterEach
    void nothingIsLeaked() {
        inbound.release();
        assertEquals(0, inbound.readableBytes());
        assertFalse(inbound.hasBorrowed());
        assertEquals(0, allocator.metric().usedDirectMemory());
        assertEquals(0, allocator.metric().usedHeapMemory());
    }

    /** Adds a range as a message from UCX would. */
    private void add(long offset, int length) {
        long address = toMemory(offset, length);
        boolean fits = offset >= received && ahead.entrySet().stream().noneMatch(range ->
                range.getKey() < offset + length && offset < range.getKey() + range.getValue());
        assertEquals(fits, inbound.add(offset, address, length, allocator), () -> offset + " + " + length);
        if (fits) {
            ahead.put(offset, length);
            while (!ahead.isEmpty() && ahead.firstKey() == received) {
                received += ahead.pollFirstEntry().getValue();
            }
        }
        check();
    }

    private long toMemory(long offset, int length) {
        for (int i = 0; i < length; i++) {
            memory.put(memoryUsed + i, TestBytes.at(offset + i));
        }
        long address = memoryAddress + memoryUsed;
        memoryUsed += length;
        return address;
    }

    /** Reads into the buffer what there is and fits, compares it and releases the buffer. */
    private void read(ByteBuf buffer) {
        try {
            int expected = (int) Math.min(received - read, buffer.writableBytes());
            int start = buffer.writerIndex();
            assertEquals(expected, inbound.readInto(buffer));
            assertEquals(start + expected, buffer.writerIndex());
            byte[] bytes = new byte[expected];
            buffer.getBytes(start, bytes);
            for (int i = 0; i < expected; i++) {
                if (bytes[i] != TestBytes.at(read + i)) {
                    throw new AssertionError("wrong byte at offset " + (read + i));
                }
            }
            read += expected;
        } finally {
            buffer.release();
        }
        check();
    }

    /** The end of what one poll brought. */
    private void endPoll() {
        inbound.own(allocator);
        assertFalse(inbound.hasBorrowed());
        for (int i = 0; i < memoryUsed; i++) {
            memory.put(i, (byte) 0xee);
        }
        memoryUsed = 0;
        check();
        long aheadBytes = ahead.values().stream().mapToInt(Integer::intValue).sum();
        long bound = 2 * (received - read) + aheadBytes + 2 * LARGEST_BUFFER;
        assertTrue(allocator.metric().usedDirectMemory() <= bound,
                () -> allocator.metric().usedDirectMemory() + " bytes hold " + (received - read));
    }

    private void check() {
        assertEquals(received, inbound.received());
        assertEquals(received - read, inbound.readableBytes());
    }

    private ByteBuf destination(Random random) {
        int capacity = 1 + (random.nextBoolean() ? random.nextInt(16) : random.nextInt(20_000));
        switch (random.nextInt(8)) {
            case 0:
                return allocator.heapBuffer(capacity, capacity);
            case 1:
                return allocator.compositeDirectBuffer().addComponent(true, allocator.directBuffer(3).writeZero(3))
                        .capacity(capacity + 3);
            case 2:
                return allocator.directBuffer(capacity + 5, capacity + 5).writerIndex(5);
            default:
                return allocator.directBuffer(capacity, capacity);
        }
    }

    private static int length(Random random) {
        switch (random.nextInt(6)) {
            case 0:
                return 1 + random.nextInt(60_000);
            case 1:
            case 2:
                return 1 + random.nextInt(3000);
            default:
                return 1 + random.nextInt(20);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void randomHistory(long seed) {
        Random random = new Random(seed);
        // How far ranges overtake each other: not at all, a little, much.
        int disorder = new int[] {1, 1, 2, 8}[random.nextInt(4)];
        int eagerness = random.nextInt(4);
        List<long[]> coming = new ArrayList<>();
        long sent = 0;
        for (int poll = 0; poll < 2000; poll++) {
            for (int i = random.nextInt(12); i >= 0; i--) {
                while (coming.size() < disorder) {
                    int length = length(random);
                    coming.add(new long[] {sent, length});
                    sent += length;
                }
                long[] range = coming.remove(random.nextInt(disorder));
                if (memoryUsed + range[1] > POLL_MEMORY - 64) {
                    coming.add(0, range);
                    break;
                }
                add(range[0], (int) range[1]);
                if (random.nextInt(50) == 0) {
                    addOverlapping(random);
                }
                if (random.nextInt(8) < eagerness) {
                    read(destination(random));
                }
            }
            if (random.nextInt(200) == 0) {
                assertEquals(received - read, inbound.discard());
                read = received;
                check();
            }
            endPoll();
            for (int i = random.nextInt(1 + 3 * eagerness); i > 0; i--) {
                read(destination(random));
            }
            // The window.
            while (received - read > 1 << 20) {
                read(allocator.directBuffer(100_000, 100_000));
            }
        }
        while (read < received) {
            read(destination(random));
        }
    }

    /** What the peer may not send: bytes that are here already. */
    private void addOverlapping(Random random) {
        if (received > 0) {
            add(Math.max(0, received - 1 - random.nextInt(5)), 6);
        }
        if (!ahead.isEmpty()) {
            Map.Entry<Long, Integer> range = random.nextBoolean() ? ahead.firstEntry() : ahead.lastEntry();
            add(range.getKey(), 1 + random.nextInt(8));
            add(range.getKey() + range.getValue() - 1, 2);
            if (range.getKey() > received) {
                add(range.getKey() - 1, 2);
            }
            add(received, (int) Math.min(range.getKey() - received + 1, POLL_MEMORY - memoryUsed));
        }
    }

    /** A peer that sends single bytes must not make us hold a buffer for each. */
    @Test
    void tinyRangesShareBuffers() {
        for (int i = 0; i < 50_000; i++) {
            add(received, 1);
            if (i % 3 == 0) {
                endPoll();
            }
        }
        endPoll();
        assertTrue(allocator.metric().usedDirectMemory() <= 2 * 50_000,
                () -> allocator.metric().usedDirectMemory() + " bytes");
        read(allocator.directBuffer(20_000, 20_000));
        read(allocator.directBuffer(60_000, 60_000));
        assertEquals(50_000, read);
    }

    /** The ring's first entry lies in the middle of its arrays when it is compacted. */
    @Test
    void compactionOfARingThatWraps() {
        for (int round = 0; round < 100; round++) {
            for (int i = 0; i < 7; i++) {
                add(received, 5 + i);
            }
            read(allocator.directBuffer(29, 29));
            endPoll();
            add(received + 10, 20);
            add(received, 10);
            add(received, 3000);
            endPoll();
            read(allocator.directBuffer(3001 + round % 7, 3001 + round % 7));
        }
    }

    @Test
    void ringGrowsWhileItWraps() {
        for (int i = 0; i < 6; i++) {
            add(received, 3);
        }
        read(allocator.directBuffer(13, 13));
        for (int i = 0; i < 300; i++) {
            add(received, 1 + i % 5);
        }
        read(allocator.directBuffer(100, 100));
        endPoll();
        read(allocator.directBuffer(10_000, 10_000));
        assertEquals(received, read);
    }

    @Test
    void releaseForgetsWhatWaitsForAHole() {
        add(5, 10);
        add(100, 10);
        assertEquals(0, inbound.readableBytes());
        add(0, 3);
        inbound.release();
        assertEquals(0, inbound.readableBytes());
        assertEquals(0, allocator.metric().usedDirectMemory());
    }
}
