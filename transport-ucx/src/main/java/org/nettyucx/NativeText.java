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

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Text on its way through {@link Native}: C strings in direct memory. */
final class NativeText {
    private static final int CAPACITY = 16 * 1024;

    private final ByteBuffer buffer;
    private final long address;

    /** Room for text that native code writes. */
    NativeText() {
        this(ByteBuffer.allocateDirect(CAPACITY));
    }

    private NativeText(ByteBuffer buffer) {
        this.buffer = buffer;
        address = Native.directBufferAddress(buffer);
    }

    /** The strings, each ended by NUL, and one NUL more. */
    static NativeText of(String... strings) {
        int size = 1;
        byte[][] encoded = new byte[strings.length][];
        for (int i = 0; i < strings.length; i++) {
            encoded[i] = strings[i].getBytes(StandardCharsets.UTF_8);
            size += encoded[i].length + 1;
        }
        ByteBuffer buffer = ByteBuffer.allocateDirect(size);
        for (byte[] string : encoded) {
            buffer.put(string).put((byte) 0);
        }
        return new NativeText(buffer.put((byte) 0));
    }

    long address() {
        return address;
    }

    int capacity() {
        return buffer.capacity();
    }

    /** The text up to the first NUL. */
    @Override
    public String toString() {
        byte[] bytes = new byte[buffer.capacity()];
        buffer.duplicate().clear().get(bytes);
        int length = 0;
        while (length < bytes.length && bytes[length] != 0) {
            length++;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    /** UCX's words for a status. */
    static String ofStatus(int status) {
        NativeText text = new NativeText();
        Native.statusText(status, text.address(), text.capacity());
        return text.toString();
    }
}
