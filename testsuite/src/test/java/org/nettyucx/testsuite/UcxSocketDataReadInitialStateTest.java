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
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.SocketDataReadInitialStateTest;
import io.netty.util.ReferenceCountUtil;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

class UcxSocketDataReadInitialStateTest extends SocketDataReadInitialStateTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
        return UcxSocketTestPermutation.INSTANCE.socket();
    }

    @Override
    protected List<ByteBufAllocator> newAllocators() {
        return UcxSocketTestPermutation.allocators();
    }

    /** As the suite's own, except that a client is not connected before its server has accepted it. */
    @Override
    public void testAutoReadOffNoDataReadUntilReadCalled(ServerBootstrap sb, Bootstrap cb) throws Throwable {
        sb.option(ChannelOption.AUTO_READ, false).childOption(ChannelOption.AUTO_READ, false);
        cb.option(ChannelOption.AUTO_READ, false);
        BlockingQueue<Channel> children = new LinkedBlockingQueue<>();
        BlockingQueue<Object> readByServer = new LinkedBlockingQueue<>();
        BlockingQueue<Object> readByClient = new LinkedBlockingQueue<>();
        sb.childHandler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel child) {
                children.add(child);
                child.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext ctx, Object msg) {
                        ctx.writeAndFlush(msg);
                        readByServer.add("read");
                    }
                });
            }
        });
        Channel server = sb.bind().sync().channel();
        ChannelFuture connect = cb.handler(new ReleasingHandler(readByClient)).connect(server.localAddress());
        Channel client = connect.channel();
        ChannelFuture write = client.writeAndFlush(client.alloc().buffer().writeZero(1));
        // Shows nothing when it is over too early, as the pauses below.
        assertFalse(connect.await(100));
        assertTrue(children.isEmpty());
        server.read();
        Channel child = children.poll(20, TimeUnit.SECONDS);
        assertNotNull(child);
        connect.sync();
        write.await();
        client.writeAndFlush(client.alloc().buffer().writeZero(1)).sync();
        assertEquals(null, readByServer.poll(100, TimeUnit.MILLISECONDS));
        child.read();
        assertNotNull(readByServer.poll(20, TimeUnit.SECONDS));
        assertEquals(null, readByClient.poll(100, TimeUnit.MILLISECONDS));
        client.read();
        assertNotNull(readByClient.poll(20, TimeUnit.SECONDS));
        server.close().sync();
        client.close().sync();
    }

    private static final class ReleasingHandler extends ChannelInboundHandlerAdapter {
        private final BlockingQueue<Object> read;

        ReleasingHandler(BlockingQueue<Object> read) {
            this.read = read;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ReferenceCountUtil.release(msg);
            read.add("read");
        }
    }
}
