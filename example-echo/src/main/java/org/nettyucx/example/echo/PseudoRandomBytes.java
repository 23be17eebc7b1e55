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

/**
 * An endless stream of pseudo-random bytes that depends on the seed only: one instance produces what is sent, a second
 * one checks what comes back, so that no byte has to be remembered. SplitMix64, eight bytes at a time.
 */
final class PseudoRandomBytes {

    private static final long GAMMA = 0x9E3779B97F4A7C15L;

    private long state;
    /** The unused bytes of the current word, the next one lowest. */
    private long word;
    private int wordBytes;

    PseudoRandomBytes(long seed) {
        state = seed;
    }

    /** Appends the next {@code length} bytes of the stream to {@code out}. */
    void writeTo(ByteBuf out, int length) {
        out.ensureWritable(length);
        int index = out.writerIndex();
        int end = index + length;
        while (index < end && wordBytes > 0) {
            out.setByte(index++, nextByte());
        }
        for (; end - index >= Long.BYTES; index += Long.BYTES) {
            out.setLongLE(index, nextWord());
        }
        while (index < end) {
            out.setByte(index++, nextByte());
        }
        out.writerIndex(end);
    }

    /**
     * Compares the next {@code length} bytes of the stream with as many of {@code in}, from its reader index, which
     * stays where it is.
     *
     * @return how many bytes are equal: {@code length}, or the position of the first one that differs, after which
     *         this instance is of no further use
     */
    int match(ByteBuf in, int length) {
        int start = in.readerIndex();
        int index = start;
        int end = start + length;
        while (index < end && wordBytes > 0) {
            if (in.getByte(index) != nextByte()) {
                return index - start;
            }
            index++;
        }
        for (; end - index >= Long.BYTES; index += Long.BYTES) {
            long difference = in.getLongLE(index) ^ nextWord();
            if (difference != 0) {
                return index - start + Long.numberOfTrailingZeros(difference) / Byte.SIZE;
            }
        }
        while (index < end) {
            if (in.getByte(index) != nextByte()) {
                return index - start;
            }
            index++;
        }
        return length;
    }

    /** The byte at {@code offset} of the stream of {@code seed}. */
    static byte byteAt(long seed, long offset) {
        long word = mix(seed + GAMMA * (offset / Long.BYTES + 1));
        return (byte) (word >>> offset % Long.BYTES * Byte.SIZE);
    }

    private byte nextByte() {
        if (wordBytes == 0) {
            word = nextWord();
            wordBytes = Long.BYTES;
        }
        byte next = (byte) word;
        word >>>= Byte.SIZE;
        wordBytes--;
        return next;
    }

    private long nextWord() {
        state += GAMMA;
        return mix(state);
    }

    private static long mix(long value) {
        long z = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
