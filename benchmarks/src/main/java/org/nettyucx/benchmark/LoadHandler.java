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
package org.nettyucx.benchmark;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

import java.io.IOException;

/** What all handlers have in common: the end of a connection that was not asked for is a failure. */
abstract class LoadHandler extends ChannelInboundHandlerAdapter {
    final Load load;

    LoadHandler(Load load) {
        this.load = load;
    }

    /** Drops a buffer. */
    static int consume(Object buffer) {
        ByteBuf bytes = (ByteBuf) buffer;
        int length = bytes.readableBytes();
        bytes.release();
        return length;
    }

    void write(ChannelHandlerContext ctx) {
        ctx.write(load.message.retainedDuplicate(), ctx.voidPromise());
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        load.ended(ctx.channel());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        load.failed(cause);
        ctx.close();
    }

    /** On the server's side, where the client ends connections, and not always in a friendly way. */
    abstract static class Server extends LoadHandler {
        Server(Load load) {
            super(load);
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            // The client notices if this is not what it wanted.
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            if (!(cause instanceof IOException)) {
                load.failed(cause);
            }
            ctx.close();
        }
    }
}
