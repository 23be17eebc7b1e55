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
import io.netty.buffer.ByteBufUtil;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The messages of the TCP connection as bytes, big endian; see docs/wire-protocol.md. */
final class ControlCodec {
    /** Read by UCX's connection manager as a length it is impossibly large, so UCX just waits for more. */
    static final byte[] MAGIC = "NettyUCX".getBytes(StandardCharsets.US_ASCII);
    static final int VERSION = 1;
    static final int HANDSHAKE_HEADER_LENGTH = 16;
    static final int CONTROL_HEADER_LENGTH = 4;
    static final int MAX_CONTROL_LENGTH = 1024;
    static final int MAX_REFUSE_LENGTH = 8 + 4096;

    static final int HELLO = 1;
    static final int REFUSE = 2;

    static final int FIN = 1;
    static final int FIN_ACK = 2;
    static final int RESET = 3;
    static final int DONE = 4;
    static final int REFUSED = 5;
    static final int PING = 6;

    private ControlCodec() {
    }

    static ByteBuf hello(ByteBufAllocator allocator, Hello hello) {
        ByteBuf out = handshakeHeader(allocator, HELLO, hello.length());
        hello.encode(out);
        return out;
    }

    static ByteBuf refuse(ByteBufAllocator allocator, RefusedException reason) {
        byte[] text = text(reason, MAX_REFUSE_LENGTH - 8);
        return handshakeHeader(allocator, REFUSE, 8 + text.length)
                .writeShort(reason.refusal().code()).writeShort(VERSION).writeShort(VERSION).writeShort(text.length)
                .writeBytes(text);
    }

    private static ByteBuf handshakeHeader(ByteBufAllocator allocator, int type, int length) {
        return allocator.ioBuffer(HANDSHAKE_HEADER_LENGTH + length)
                .writeBytes(MAGIC).writeShort(VERSION).writeShort(type).writeInt(length);
    }

    /** Reads the body of a REFUSE. */
    static RefusedException decodeRefuse(ByteBuf in) {
        if (in.readableBytes() < 8) {
            return new RefusedException(Refusal.UNKNOWN, "the peer refused the connection");
        }
        Refusal refusal = Refusal.of(in.readUnsignedShort());
        int oldest = in.readUnsignedShort();
        int newest = in.readUnsignedShort();
        int length = Math.min(in.readUnsignedShort(), in.readableBytes());
        String text = in.readCharSequence(length, StandardCharsets.UTF_8).toString();
        return new RefusedException(refusal, "the peer refused the connection (" + refusal + "): " + text +
                (refusal == Refusal.VERSION ? "; it speaks protocol versions " + oldest + " to " + newest +
                 ", this side speaks " + VERSION : ""));
    }

    static ByteBuf fin(ByteBufAllocator allocator, long total) {
        return control(allocator, FIN, 8).writeLong(total);
    }

    static ByteBuf finAck(ByteBufAllocator allocator) {
        return control(allocator, FIN_ACK, 0);
    }

    static ByteBuf reset(ByteBufAllocator allocator, ResetReason reason, long total) {
        return control(allocator, RESET, 10).writeShort(reason.code()).writeLong(total);
    }

    static ByteBuf ping(ByteBufAllocator allocator) {
        return control(allocator, PING, 0);
    }

    static ByteBuf done(ByteBufAllocator allocator) {
        return control(allocator, DONE, 0);
    }

    /** What a client says instead of READY. */
    static ByteBuf refused(ByteBufAllocator allocator, RefusedException reason) {
        byte[] text = text(reason, MAX_CONTROL_LENGTH - 2);
        return control(allocator, REFUSED, 2 + text.length).writeShort(reason.refusal().code()).writeBytes(text);
    }

    /** Reads the body of a REFUSED. */
    static RefusedException decodeRefused(ByteBuf in) {
        Refusal refusal = in.readableBytes() < 2 ? Refusal.UNKNOWN : Refusal.of(in.readUnsignedShort());
        return new RefusedException(refusal, "the peer refused the connection (" + refusal + "): " +
                in.readCharSequence(in.readableBytes(), StandardCharsets.UTF_8));
    }

    private static byte[] text(RefusedException reason, int limit) {
        byte[] text = String.valueOf(reason.getMessage()).getBytes(StandardCharsets.UTF_8);
        return text.length <= limit ? text : Arrays.copyOf(text, limit);
    }

    private static ByteBuf control(ByteBufAllocator allocator, int type, int length) {
        return allocator.ioBuffer(CONTROL_HEADER_LENGTH + length).writeByte(type).writeByte(0).writeShort(length);
    }

    /** Returns what a peer that does not begin with {@link #MAGIC} looks like. */
    static String describeStranger(ByteBuf in) {
        int length = in.readableBytes();
        int start = in.readerIndex();
        String hint = "";
        if (length >= 3 && in.getByte(start) == 0x16 && in.getByte(start + 1) == 3) {
            hint = " (it looks like TLS)";
        } else if (length >= 8 && in.getLongLE(start) > 0 && in.getLongLE(start) < 1 << 16) {
            hint = " (it looks like UCX's own connection manager: this side uses CONNECTOR BOOTSTRAP)";
        } else if (length >= 4 && isPrintable(in, start, 4)) {
            hint = " (it looks like a text protocol: \"" + in.toString(start, Math.min(length, 16),
                    StandardCharsets.ISO_8859_1).replaceAll("\\P{Print}", "?") + "\")";
        }
        return "no netty-ucx peer: the first bytes are " + ByteBufUtil.hexDump(in, start, Math.min(length, 16)) + hint;
    }

    private static boolean isPrintable(ByteBuf in, int start, int length) {
        for (int i = start; i < start + length; i++) {
            if (in.getByte(i) < ' ' || in.getByte(i) == 0x7f) {
                return false;
            }
        }
        return true;
    }
}
