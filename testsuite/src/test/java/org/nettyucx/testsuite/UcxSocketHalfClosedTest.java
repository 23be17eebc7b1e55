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
package org.nettyucx.testsuite;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.channel.socket.SocketChannel;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.SocketHalfClosedTest;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

class UcxSocketHalfClosedTest extends SocketHalfClosedTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
        return UcxSocketTestPermutation.INSTANCE.socket();
    }

    @Override
    protected List<ByteBufAllocator> newAllocators() {
        return UcxSocketTestPermutation.allocators();
    }

    /**
     * The suite's own blocks its event loop until the peer has reset the connection, and then expects a write to fail,
     * which a socket knows from the kernel. Here the loop first has to hear of it.
     */
    @Override
    public void testAutoCloseFalseDoesShutdownOutput(ServerBootstrap sb, Bootstrap cb) throws Throwable {
        for (boolean allowHalfClosure : new boolean[] {false, true}) {
            sb.childOption(ChannelOption.SO_LINGER, 0);
            cb.option(ChannelOption.ALLOW_HALF_CLOSURE, allowHalfClosure).option(ChannelOption.AUTO_CLOSE, false)
                    .option(ChannelOption.AUTO_READ, false);
            autoCloseFalseDoesShutdownOutput(sb, cb);
        }
    }

    private static void autoCloseFalseDoesShutdownOutput(ServerBootstrap sb, Bootstrap cb) throws Exception {
        Follower follower = new Follower();
        Leader leader = new Leader();
        Channel server = sb.clone().childHandler(follower).bind().sync().channel();
        SocketChannel client = (SocketChannel) cb.clone().handler(leader).connect(server.localAddress()).sync()
                .channel();
        client.writeAndFlush(client.alloc().buffer().writeZero(100)).sync();
        Throwable cause;
        do {
            cause = client.writeAndFlush(client.alloc().buffer().writeZero(1)).await().cause();
        } while (cause == null);
        assertInstanceOf(ChannelOutputShutdownException.class, cause);
        assertEquals(ChannelOutputShutdownEvent.INSTANCE, leader.events.poll(20, TimeUnit.SECONDS));
        assertTrue(client.isOpen());
        assertTrue(client.isOutputShutdown());
        // What the peer had sent can still be read.
        client.read();
        assertEquals(100, leader.events.poll(20, TimeUnit.SECONDS));
        assertEquals("exception", leader.events.poll(20, TimeUnit.SECONDS));
        client.closeFuture().sync();
        server.close().sync();
    }

    /** Echoes 100 bytes and resets the connection. */
    private static final class Follower extends SimpleChannelInboundHandler<ByteBuf> {
        private int count;

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf msg) {
            int before = count;
            count += msg.readableBytes();
            if (before < 100 && count >= 100) {
                ctx.writeAndFlush(ctx.alloc().buffer().writeZero(100)).addListener(written -> ctx.close());
            }
        }
    }

    private static final class Leader extends ChannelInboundHandlerAdapter {
        private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();
        private int count;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ByteBuf buffer = (ByteBuf) msg;
            count += buffer.readableBytes();
            buffer.release();
            if (count == 100) {
                events.add(count);
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            events.add(event);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            events.add("exception");
        }
    }
}
