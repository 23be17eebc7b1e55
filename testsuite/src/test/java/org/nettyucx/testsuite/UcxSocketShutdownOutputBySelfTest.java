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
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.AbstractClientSocketTest;
import io.netty.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The cases of the suite's SocketShutdownOutputBySelfTest, whose peer is a java.net.ServerSocket. */
@Timeout(30)
class UcxSocketShutdownOutputBySelfTest extends AbstractClientSocketTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
        return UcxSocketTestPermutation.INSTANCE.clientSocket();
    }

    @Override
    protected List<ByteBufAllocator> newAllocators() {
        return UcxSocketTestPermutation.allocators();
    }

    @Test
    void shutdownOutput(TestInfo info) throws Throwable {
        run(info, bootstrap -> withPeer(bootstrap, (client, peer, handler) -> {
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {1})).sync();
            assertEquals(1, peer.read());
            assertState(client, false);
            client.shutdownOutput().sync();
            assertEquals(-1, peer.read());
            assertState(client, true);
            peer.write(2);
            assertEquals(2, handler.received.poll(20, TimeUnit.SECONDS));
        }));
    }

    @Test
    void shutdownAfterClose(TestInfo info) throws Throwable {
        run(info, bootstrap -> withPeer(bootstrap, (client, peer, handler) -> {
            client.close().sync();
            assertInstanceOf(ClosedChannelException.class, client.shutdownInput().await().cause());
            assertInstanceOf(ClosedChannelException.class, client.shutdownOutput().await().cause());
            assertInstanceOf(ClosedChannelException.class, client.shutdown().await().cause());
        }));
    }

    /** Disabled in the suite, as sockets differ in it. */
    @Test
    void writeAfterShutdownOutput(TestInfo info) throws Throwable {
        run(info, bootstrap -> {
            bootstrap.option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(2, 4));
            withPeer(bootstrap, (client, peer, handler) -> {
                Future<?> write = client.write(Unpooled.wrappedBuffer(new byte[] {1, 2, 3, 4, 5, 6}));
                client.flush();
                write.sync();
                for (int i = 1; i <= 6; i++) {
                    assertEquals(i, peer.read());
                }
                client.shutdownOutput().sync();
                assertEquals(-1, peer.read());
                assertState(client, true);
                // Writing has made the channel unwritable and writable again; that is not what this is about.
                client.eventLoop().submit(handler.writability::clear).sync();
                assertInstanceOf(ClosedChannelException.class,
                        client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {7, 8, 9, 10, 11, 12})).await().cause());
                client.eventLoop().submit(() -> assertTrue(handler.writability.isEmpty())).sync();
            });
        });
    }

    @Test
    void shutdownWithLinger(TestInfo info) throws Throwable {
        run(info, bootstrap -> {
            bootstrap.option(ChannelOption.SO_LINGER, 1);
            withPeer(bootstrap, (client, peer, handler) -> client.shutdownOutput().sync());
            withPeer(bootstrap, (client, peer, handler) -> client.shutdown().sync());
        });
    }

    private interface Case {
        void run(SocketChannel client, BlockingPeer peer, Handler handler) throws Exception;
    }

    private void withPeer(Bootstrap bootstrap, Case test) throws Exception {
        BlockingPeer peer = new BlockingPeer();
        Channel server = peer.listen(newSocketAddress());
        Handler handler = new Handler();
        SocketChannel client = (SocketChannel) bootstrap.clone().handler(handler).connect(server.localAddress()).sync()
                .channel();
        assertState(client, false);
        test.run(client, peer, handler);
        client.close().sync();
        peer.close();
        server.close().sync();
    }

    private static void assertState(SocketChannel client, boolean outputShutdown) {
        assertTrue(client.isOpen());
        assertTrue(client.isActive());
        assertFalse(client.isInputShutdown());
        assertEquals(outputShutdown, client.isOutputShutdown());
    }

    private static final class Handler extends SimpleChannelInboundHandler<ByteBuf> {
        private final BlockingQueue<Integer> received = new LinkedBlockingQueue<>();
        private final BlockingQueue<Boolean> writability = new LinkedBlockingQueue<>();

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf msg) {
            while (msg.isReadable()) {
                received.add((int) msg.readByte());
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            writability.add(ctx.channel().isWritable());
        }
    }
}
