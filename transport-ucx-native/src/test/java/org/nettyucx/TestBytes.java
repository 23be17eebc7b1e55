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

/** The content of every test stream: a byte that is a function of its offset, with no short period. */
final class TestBytes {
    private TestBytes() {
    }

    static byte at(long offset) {
        long mixed = (offset >>> 3) * 0x9e3779b97f4a7c15L;
        mixed ^= mixed >>> 29;
        return (byte) (mixed >>> ((offset & 7) << 3));
    }

    /** Appends the bytes of the stream from offset on. */
    static ByteBuf write(ByteBuf buffer, long offset, int length) {
        // In pieces, and not byte by byte: paranoid leak detection records every access to a buffer.
        byte[] piece = new byte[Math.min(length, 64 * 1024)];
        for (int done = 0; done < length; done += piece.length) {
            int count = Math.min(piece.length, length - done);
            for (int i = 0; i < count; i++) {
                piece[i] = at(offset + done + i);
            }
            buffer.writeBytes(piece, 0, count);
        }
        return buffer;
    }
}
