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
package org.nettyucx.example.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** 100 MB that are made piece by piece and compared by their hash. */
final class Pieces implements Iterable<byte[]> {

    static final int COUNT = 1600;
    static final int BYTES = 65_536;
    static final String HASH;

    private static final int ROUND_TRIPS = 20;

    static {
        MessageDigest digest = digest();
        new Pieces().forEach(digest::update);
        HASH = text(digest);
    }

    private final AtomicInteger made = new AtomicInteger();

    static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    static String text(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }

    /** The hash of so many bytes, or of less when the stream ends before. */
    static String hash(InputStream in, long limit) throws IOException {
        MessageDigest digest = digest();
        byte[] buffer = new byte[BYTES];
        long left = limit;
        while (left > 0) {
            int read = in.read(buffer, 0, (int) Math.min(left, buffer.length));
            if (read < 0) {
                break;
            }
            digest.update(buffer, 0, read);
            left -= read;
        }
        return text(digest);
    }

    byte[] make(int number) {
        byte[] piece = new byte[BYTES];
        new SplittableRandom(number).nextBytes(piece);
        made.incrementAndGet();
        return piece;
    }

    @Override
    public Iterator<byte[]> iterator() {
        return IntStream.range(0, COUNT).mapToObj(this::make).iterator();
    }

    /** What is done on the event loops that the pieces go through. */
    @FunctionalInterface
    interface RoundTrip {
        void make() throws Exception;
    }

    /** Waits until no more are made although event loops have had their turns; only few must have been made by then. */
    void assertStops(RoundTrip roundTrip) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        int last;
        do {
            assertTrue(System.nanoTime() < deadline, "still making pieces");
            last = made.get();
            for (int i = 0; i < ROUND_TRIPS; i++) {
                roundTrip.make();
            }
        } while (made.get() != last || last == 0);
        assertTrue(last < COUNT / 4, "made " + last);
    }

    void assertAllMade() {
        assertEquals(COUNT, made.get());
    }
}
