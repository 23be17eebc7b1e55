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
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.SocketChannelNotYetConnectedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class UcxSocketChannelNotYetConnectedTest extends SocketChannelNotYetConnectedTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
        return UcxSocketTestPermutation.INSTANCE.clientSocket();
    }

    @Override
    protected List<ByteBufAllocator> newAllocators() {
        return UcxSocketTestPermutation.allocators();
    }

    /** The suite's own has a server of NIO, which is no UCX peer. */
    @Test
    @Timeout(30)
    @Override
    public void readMustBePendingUntilChannelIsActive(TestInfo info) throws Throwable {
        ServerBootstrap server = UcxSocketTestPermutation.INSTANCE.serverSocket().get(0).newInstance();
        Channel serverChannel = server.childHandler(new GreetingHandler()).bind(newSocketAddress()).sync().channel();
        run(info, bootstrap -> {
            AtomicBoolean activeWhenAdded = new AtomicBoolean();
            CountDownLatch read = new CountDownLatch(1);
            Channel channel = bootstrap.handler(new ByteToMessageDecoder() {
                @Override
                public void handlerAdded(ChannelHandlerContext ctx) {
                    activeWhenAdded.set(ctx.channel().isActive());
                    ctx.read();
                }

                @Override
                protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
                    if (in.readableBytes() >= Integer.BYTES) {
                        assertEquals(42, in.readInt());
                        read.countDown();
                    }
                }
            }).connect(serverChannel.localAddress()).sync().channel();
            assertTrue(read.await(20, TimeUnit.SECONDS));
            assertFalse(activeWhenAdded.get());
            channel.close().sync();
        });
        serverChannel.close().sync();
    }

    @ChannelHandler.Sharable
    private static final class GreetingHandler extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            ctx.writeAndFlush(Unpooled.copyInt(42));
        }
    }
}
