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
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;

/**
 * The only handler of a bootstrap TCP connection: cuts its bytes into messages, checks them and tells a listener. While
 * there is no listener (an accepted connection on its way from one event loop to another) messages wait here.
 */
final class ControlHandler extends ChannelInboundHandlerAdapter {
    /** Who is told. */
    interface Listener {
        void helloReceived(Hello hello);

        /** Not HELLO, or one that cannot be accepted; what follows in the stream is not read. */
        void handshakeFailed(RefusedException cause);

        void finReceived(long total);

        void finAckReceived();

        void resetReceived(ResetReason reason, long total);

        /** The client does not go on with the handshake. */
        void refusedReceived(RefusedException cause);

        /** Something that no peer may send after HELLO; what follows in the stream is not read. */
        void controlViolated(String what);

        /** The peer needs nothing of this side any more. Only over LISTENER. */
        default void doneReceived() {
            // The end of TCP says it.
        }

        /** The TCP connection is over, once: orderly if there is no cause. */
        void ended(Throwable cause);
    }

    private ByteBuf pending = Unpooled.EMPTY_BUFFER;
    private Listener listener;
    private boolean helloSeen;
    private boolean broken;
    private boolean ended;
    private boolean endTold;
    private boolean reading;
    private Throwable endCause;

    ControlHandler(Listener listener) {
        this.listener = listener;
    }

    /** For the messages after HELLO, which wait for {@link #resume}. */
    static ControlHandler afterHello() {
        ControlHandler handler = new ControlHandler(null);
        handler.helloSeen = true;
        return handler;
    }

    /** Leaves all further messages here until {@link #resume}. */
    void pause() {
        listener = null;
    }

    /** Has a listener told of everything from now on, beginning with what waited. On the channel's event loop. */
    void resume(Listener listener) {
        this.listener = listener;
        readMessages();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        received(ctx.alloc(), (ByteBuf) msg);
    }

    /** Takes what came, which may be a part of a message or several; releases it. */
    void received(ByteBufAllocator allocator, ByteBuf in) {
        if (broken || endTold) {
            in.release();
            return;
        }
        if (pending.isReadable()) {
            pending.discardReadBytes();
            pending = pending.maxFastWritableBytes() >= in.readableBytes() ? pending
                    : grow(allocator, pending, in.readableBytes());
            pending.writeBytes(in);
            in.release();
        } else {
            releasePending();
            pending = in;
        }
        readMessages();
    }

    private static ByteBuf grow(ByteBufAllocator allocator, ByteBuf small, int more) {
        ByteBuf large = allocator.ioBuffer(small.readableBytes() + more).writeBytes(small);
        small.release();
        return large;
    }

    private void readMessages() {
        // A listener that closes the channel comes back here through channelInactive.
        if (reading) {
            return;
        }
        reading = true;
        try {
            while (listener != null && !broken && (helloSeen ? readControl() : readHandshake())) {
                // Each call read one message.
            }
            tellEnd();
        } finally {
            reading = false;
            if (broken || endTold || !pending.isReadable()) {
                releasePending();
            }
        }
    }

    /** An idle connection holds no buffer. */
    private void releasePending() {
        ByteBuf released = pending;
        pending = Unpooled.EMPTY_BUFFER;
        released.release();
    }

    private boolean readHandshake() {
        Hello hello;
        try {
            hello = decodeHandshake(pending);
        } catch (RefusedException e) {
            fail(e);
            return false;
        }
        if (hello == null) {
            return false;
        }
        helloSeen = true;
        listener.helloReceived(hello);
        return true;
    }

    /** Reads HELLO; returns {@code null} if not all of it is here. Fails if it is something else, REFUSE among that. */
    static Hello decodeHandshake(ByteBuf in) throws RefusedException {
        int magic = Math.min(in.readableBytes(), ControlCodec.MAGIC.length);
        for (int i = 0; i < magic; i++) {
            if (in.getByte(in.readerIndex() + i) != ControlCodec.MAGIC[i]) {
                throw new RefusedException(Refusal.MALFORMED, ControlCodec.describeStranger(in));
            }
        }
        if (in.readableBytes() < ControlCodec.HANDSHAKE_HEADER_LENGTH) {
            return null;
        }
        int start = in.readerIndex();
        int version = in.getUnsignedShort(start + 8);
        int type = in.getUnsignedShort(start + 10);
        long length = in.getUnsignedInt(start + 12);
        boolean refuse = type == ControlCodec.REFUSE;
        if (version != ControlCodec.VERSION && !refuse) {
            throw new RefusedException(Refusal.VERSION, "protocol version " + version + " is not supported, only " +
                    ControlCodec.VERSION);
        }
        if (type != ControlCodec.HELLO && !refuse) {
            throw new RefusedException(Refusal.MALFORMED, "message type " + type + " where HELLO must be");
        }
        if (length > (refuse ? ControlCodec.MAX_REFUSE_LENGTH : Hello.MAX_LENGTH)) {
            throw new RefusedException(Refusal.MALFORMED, "HELLO of " + length + " bytes");
        }
        if (in.readableBytes() < ControlCodec.HANDSHAKE_HEADER_LENGTH + length) {
            return null;
        }
        in.skipBytes(ControlCodec.HANDSHAKE_HEADER_LENGTH);
        ByteBuf body = in.readSlice((int) length);
        if (refuse) {
            throw ControlCodec.decodeRefuse(body);
        }
        return Hello.decode(body);
    }

    private void fail(RefusedException cause) {
        broken = true;
        listener.handshakeFailed(cause);
    }

    private boolean readControl() {
        ByteBuf in = pending;
        if (in.readableBytes() < ControlCodec.CONTROL_HEADER_LENGTH) {
            return false;
        }
        int type = in.getUnsignedByte(in.readerIndex());
        int length = in.getUnsignedShort(in.readerIndex() + 2);
        if (length > ControlCodec.MAX_CONTROL_LENGTH) {
            violated("control message of " + length + " bytes");
            return false;
        }
        if (in.readableBytes() < ControlCodec.CONTROL_HEADER_LENGTH + length) {
            return false;
        }
        in.skipBytes(ControlCodec.CONTROL_HEADER_LENGTH);
        ByteBuf body = in.readSlice(length);
        switch (type) {
            case ControlCodec.FIN:
                long total = length < 8 ? -1 : body.readLong();
                if (total < 0) {
                    violated("FIN without a number of bytes");
                    return false;
                }
                listener.finReceived(total);
                break;
            case ControlCodec.FIN_ACK:
                listener.finAckReceived();
                break;
            case ControlCodec.RESET:
                listener.resetReceived(length < 2 ? ResetReason.UNKNOWN : ResetReason.of(body.readUnsignedShort()),
                        length < 10 ? -1 : body.readLong());
                break;
            case ControlCodec.DONE:
                listener.doneReceived();
                break;
            case ControlCodec.REFUSED:
                listener.refusedReceived(ControlCodec.decodeRefused(body));
                break;
            default:
                // Of a newer version, which knows that we do not understand it.
                break;
        }
        return true;
    }

    private void violated(String what) {
        broken = true;
        listener.controlViolated(what);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE) {
            end(null);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        end(cause);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end(null);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        release();
    }

    /** Drops what is here; for a channel that is closed while it has no event loop. */
    void release() {
        releasePending();
        broken = true;
    }

    private void end(Throwable cause) {
        if (!ended) {
            ended = true;
            endCause = cause;
        }
        readMessages();
    }

    private void tellEnd() {
        if (ended && !endTold && listener != null) {
            endTold = true;
            listener.ended(endCause);
        }
    }
}
