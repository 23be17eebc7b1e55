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

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;

import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;

/** Connects, has a few bytes echoed, closes, and again; several at a time. Fails on the first thing that is wrong. */
final class Churn {
    private static final int BYTES = 64;

    private final Bootstrap bootstrap;
    private final InetSocketAddress server;
    private final Promise<Void> done = ImmediateEventExecutor.INSTANCE.newPromise();
    private final AtomicInteger toStart;
    private final AtomicInteger toFinish;

    private Churn(EventLoopGroup group, InetSocketAddress server, int cycles) {
        this.server = server;
        bootstrap = new Bootstrap().group(group).channel(UcxSocketChannel.class);
        toStart = new AtomicInteger(cycles);
        toFinish = new AtomicInteger(cycles);
    }

    /** Returns a promise for the end of so many cycles, that many at a time, to an echo server. */
    static Promise<Void> start(EventLoopGroup group, InetSocketAddress server, int cycles, int atATime) {
        Churn churn = new Churn(group, server, cycles);
        for (int i = 0; i < atATime; i++) {
            churn.next();
        }
        return churn.done;
    }

    private void next() {
        if (done.isDone() || toStart.getAndDecrement() <= 0) {
            return;
        }
        Cycle cycle = new Cycle();
        bootstrap.clone().handler(cycle).connect(server).addListener((ChannelFutureListener) connected -> {
            if (!connected.isSuccess()) {
                done.tryFailure(connected.cause());
                return;
            }
            Channel channel = connected.channel();
            channel.closeFuture().addListener(closed -> {
                if (cycle.received != BYTES) {
                    done.tryFailure(new AssertionError(channel + " was closed after " + cycle.received + " bytes"));
                } else if (toFinish.decrementAndGet() == 0) {
                    done.trySuccess(null);
                } else {
                    next();
                }
            });
        });
    }

    private final class Cycle extends ChannelInboundHandlerAdapter {
        private int received;

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            ctx.writeAndFlush(TestBytes.write(ctx.alloc().directBuffer(BYTES), 0, BYTES)).addListener(written -> {
                if (!written.isSuccess()) {
                    done.tryFailure(written.cause());
                }
            });
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ByteBuf buffer = (ByteBuf) msg;
            byte[] bytes = new byte[buffer.readableBytes()];
            buffer.readBytes(bytes);
            buffer.release();
            for (byte actual : bytes) {
                if (actual != TestBytes.at(received++)) {
                    done.tryFailure(new AssertionError("byte " + (received - 1) + " is wrong"));
                }
            }
            if (received == BYTES) {
                ctx.close();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            done.tryFailure(cause);
            ctx.close();
        }
    }
}
