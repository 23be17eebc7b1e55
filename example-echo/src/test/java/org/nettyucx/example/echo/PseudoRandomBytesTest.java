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

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PseudoRandomBytesTest {

    private static final long SEED = 42;
    private static final int LENGTH = 1000;

    @Test
    void sameSeedGivesSameBytesHoweverTheyAreCut() {
        byte[] whole = bytes(SEED, LENGTH);
        PseudoRandomBytes random = new PseudoRandomBytes(SEED);
        SplittableRandom cuts = new SplittableRandom(1);
        ByteBuf out = Unpooled.buffer();
        while (out.writerIndex() < LENGTH) {
            random.writeTo(out, Math.min(cuts.nextInt(0, 30), LENGTH - out.writerIndex()));
        }
        assertArrayEquals(whole, ByteBufUtil.getBytes(out));
    }

    @Test
    void knowsEveryByteByItsOffset() {
        byte[] whole = bytes(SEED, LENGTH);
        for (int i = 0; i < LENGTH; i++) {
            assertEquals(whole[i], PseudoRandomBytes.byteAt(SEED, i));
        }
    }

    @Test
    void matchesItselfHoweverItIsCut() {
        PseudoRandomBytes random = new PseudoRandomBytes(SEED);
        SplittableRandom cuts = new SplittableRandom(2);
        ByteBuf in = Unpooled.wrappedBuffer(bytes(SEED, LENGTH));
        while (in.isReadable()) {
            int length = Math.min(cuts.nextInt(0, 30), in.readableBytes());
            int reader = in.readerIndex();
            assertEquals(length, random.match(in, length));
            assertEquals(reader, in.readerIndex());
            in.skipBytes(length);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 26, 27, 28, 29})
    void findsTheFirstByteThatDiffers(int wrong) {
        byte[] bytes = bytes(SEED, 33);
        // The highest bit, so that a difference is found at its byte and not at the next one; and a later one, which is
        // to be ignored.
        bytes[wrong] ^= (byte) 0x80;
        bytes[30] ^= 1;
        for (int first = 0; first <= wrong; first++) {
            PseudoRandomBytes random = new PseudoRandomBytes(SEED);
            ByteBuf in = Unpooled.wrappedBuffer(bytes);
            assertEquals(first, random.match(in, first));
            in.skipBytes(first);
            assertEquals(wrong - first, random.match(in, in.readableBytes()));
        }
    }

    @Test
    void differentSeedsGiveDifferentBytes() {
        assertFalse(Arrays.equals(bytes(SEED, LENGTH), bytes(SEED + 1, LENGTH)));
    }

    @Test
    void usesAllByteValues() {
        boolean[] seen = new boolean[256];
        for (byte b : bytes(SEED, 10_000)) {
            seen[b & 0xff] = true;
        }
        for (int value = 0; value < seen.length; value++) {
            assertTrue(seen[value], "never saw " + value);
        }
    }

    private static byte[] bytes(long seed, int length) {
        ByteBuf out = Unpooled.buffer(length);
        new PseudoRandomBytes(seed).writeTo(out, length);
        return ByteBufUtil.getBytes(out);
    }
}
