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
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;

/**
 * Writes the first bytes of the {@linkplain TestBytes test stream} as long as the channel is writable, and goes on when
 * it is again. What comes in is left to the next handler.
 */
final class StreamSource extends ChannelInboundHandlerAdapter {
    private static final int PIECE = 64 * 1024;

    private final long total;
    private final Promise<Void> written = ImmediateEventExecutor.INSTANCE.newPromise();
    private long offset;
    private volatile long accepted;
    private volatile boolean blocked;
    private boolean writing;

    StreamSource(long total) {
        this.total = total;
    }

    /** The promise of the last write. */
    Promise<Void> written() {
        return written;
    }

    /** How many bytes were in writes whose promise has succeeded. */
    long accepted() {
        return accepted;
    }

    /** Whether it waits for the channel to become writable. */
    boolean isBlocked() {
        return blocked;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        ctx.fireChannelActive();
        write(ctx);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        ctx.fireChannelWritabilityChanged();
        write(ctx);
    }

    private void write(ChannelHandlerContext ctx) {
        // A flush changes the writability and would come back here.
        if (writing) {
            return;
        }
        writing = true;
        while (ctx.channel().isWritable() && offset < total) {
            int length = (int) Math.min(PIECE, total - offset);
            ByteBuf buffer = TestBytes.write(ctx.alloc().directBuffer(length), offset, length);
            offset += length;
            long end = offset;
            ctx.writeAndFlush(buffer).addListener(future -> done((ChannelFuture) future, end));
        }
        blocked = offset < total;
        writing = false;
    }

    private void done(ChannelFuture future, long end) {
        if (!future.isSuccess()) {
            written.tryFailure(future.cause());
            return;
        }
        accepted = end;
        if (end == total) {
            written.trySuccess(null);
        }
    }
}
