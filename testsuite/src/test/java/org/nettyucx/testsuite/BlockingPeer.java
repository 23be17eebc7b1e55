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
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;

import java.io.IOException;
import java.net.SocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What {@link java.net.Socket} is to Netty's suite: the other side of a connection, with calls that block. */
final class BlockingPeer extends SimpleChannelInboundHandler<ByteBuf> {
    private static final int EOF = -1;

    private final BlockingQueue<Integer> received = new LinkedBlockingQueue<>();
    private final BlockingQueue<SocketChannel> channel = new LinkedBlockingQueue<>();
    private volatile SocketChannel connected;

    /** A server for one connection, which becomes this peer's. */
    Channel listen(SocketAddress address) throws InterruptedException {
        ServerBootstrap server = UcxSocketTestPermutation.INSTANCE.serverSocket().get(0).newInstance();
        return server.childOption(ChannelOption.ALLOW_HALF_CLOSURE, true).childHandler(this).bind(address).sync()
                .channel();
    }

    void connect(SocketAddress address) throws InterruptedException {
        Bootstrap client = UcxSocketTestPermutation.INSTANCE.clientSocket().get(0).newInstance();
        client.option(ChannelOption.ALLOW_HALF_CLOSURE, true).handler(this).connect(address).sync();
    }

    private SocketChannel channel() throws IOException {
        if (connected == null) {
            connected = poll(channel);
        }
        return connected;
    }

    /** Returns the next byte, or -1 at the end. */
    int read() throws IOException {
        return poll(received);
    }

    void write(int data) throws IOException {
        channel().writeAndFlush(Unpooled.wrappedBuffer(new byte[] {(byte) data})).syncUninterruptibly();
    }

    void shutdownOutput() throws IOException {
        channel().shutdownOutput().syncUninterruptibly();
    }

    void close() throws IOException {
        channel().close().syncUninterruptibly();
    }

    private static <T> T poll(BlockingQueue<T> queue) throws IOException {
        try {
            T value = queue.poll(20, TimeUnit.SECONDS);
            if (value == null) {
                throw new IOException("nothing came");
            }
            return value;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        channel.add((SocketChannel) ctx.channel());
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf msg) {
        while (msg.isReadable()) {
            received.add((int) msg.readUnsignedByte());
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            received.add(EOF);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        received.add(EOF);
    }
}
