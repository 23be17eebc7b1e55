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
package org.nettyucx.integration;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** 100 MB that nobody holds as a whole: they are made piece by piece and compared by their hash. */
public final class Body {
    public static final int PIECES = 1600;
    public static final int PIECE_BYTES = 65_536;
    public static final String HASH = hash(PIECES);

    private static final long STANDSTILL_NANOS = 30_000_000_000L;

    private Body() {
    }

    private static String hash(int pieces) {
        Hash hash = new Hash();
        for (int i = 0; i < pieces; i++) {
            hash.add(piece(i));
        }
        return hash.value();
    }

    /**
     * Writes 10 MB of it.
     *
     * @return their hash
     */
    public static String write(Path file) throws IOException {
        try (OutputStream out = Files.newOutputStream(file)) {
            for (int i = 0; i < PIECES / 10; i++) {
                out.write(piece(i));
            }
        }
        return hash(PIECES / 10);
    }

    public static byte[] piece(int number) {
        byte[] bytes = new byte[PIECE_BYTES];
        new SplittableRandom(number).nextBytes(bytes);
        return bytes;
    }

    /** What one side gets of it. */
    public static final class Hash {
        private final MessageDigest digest;
        private long bytes;

        public Hash() {
            try {
                digest = MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }

        public void add(byte[] piece) {
            digest.update(piece);
            bytes += piece.length;
        }

        /** Can be called once. */
        public String value() {
            return bytes + " bytes, " + HexFormat.of().formatHex(digest.digest());
        }
    }

    /** One that is done on the event loop that makes pieces. */
    @FunctionalInterface
    public interface RoundTrip {
        void make() throws Exception;
    }

    /**
     * Waits until no more pieces are made although their event loop has had its turns.
     *
     * @return how many were made
     */
    public static int awaitStandstill(AtomicInteger made, RoundTrip roundTrip) throws Exception {
        long deadline = System.nanoTime() + STANDSTILL_NANOS;
        int last;
        do {
            assertTrue(System.nanoTime() < deadline, "still making pieces");
            last = made.get();
            for (int i = 0; i < 20; i++) {
                roundTrip.make();
            }
        } while (made.get() != last || last == 0);
        return last;
    }
}
