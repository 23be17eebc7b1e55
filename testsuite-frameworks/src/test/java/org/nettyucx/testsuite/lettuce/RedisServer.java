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
package org.nettyucx.testsuite.lettuce;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.redis.ArrayRedisMessage;
import io.netty.handler.codec.redis.ErrorRedisMessage;
import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.RedisArrayAggregator;
import io.netty.handler.codec.redis.RedisBulkStringAggregator;
import io.netty.handler.codec.redis.RedisDecoder;
import io.netty.handler.codec.redis.RedisEncoder;
import io.netty.handler.codec.redis.RedisMessage;
import io.netty.handler.codec.redis.SimpleStringRedisMessage;
import org.nettyucx.UcxEventLoopGroup;
import org.nettyucx.UcxServerSocketChannel;
import org.nettyucx.UcxSocketChannel;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Redis over UCX, as far as a client needs it that sets and gets. */
final class RedisServer implements AutoCloseable {
    private static final int MAX_WORDS = 16;

    private final UcxEventLoopGroup loops = new UcxEventLoopGroup(1);
    private final BlockingQueue<Channel> connections = new LinkedBlockingQueue<>();
    /** Used on the only event loop. */
    private final Map<String, byte[]> values = new HashMap<>();
    private final Channel channel;

    RedisServer() throws InterruptedException {
        channel = new ServerBootstrap().group(loops).channel(UcxServerSocketChannel.class)
                .childHandler(new ChannelInitializer<UcxSocketChannel>() {
                    @Override
                    protected void initChannel(UcxSocketChannel connection) {
                        connections.add(connection);
                        connection.pipeline().addLast(new RedisDecoder(), new RedisBulkStringAggregator(),
                                new RedisArrayAggregator(MAX_WORDS, 1), new RedisEncoder(), new Commands());
                    }
                }).bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
    }

    int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    /** Those that were accepted. */
    BlockingQueue<Channel> connections() {
        return connections;
    }

    @Override
    public void close() {
        loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private final class Commands extends SimpleChannelInboundHandler<ArrayRedisMessage> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ArrayRedisMessage message) {
            List<RedisMessage> words = message.children();
            ctx.write(answer(text(words.get(0)).toUpperCase(Locale.ROOT), words));
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.flush();
        }

        private RedisMessage answer(String command, List<RedisMessage> words) {
            switch (command) {
                case "PING":
                    return new SimpleStringRedisMessage("PONG");
                case "SET":
                    values.put(text(words.get(1)), ByteBufUtil.getBytes(((FullBulkStringRedisMessage) words.get(2))
                            .content()));
                    return new SimpleStringRedisMessage("OK");
                case "GET":
                    byte[] value = values.get(text(words.get(1)));
                    return value == null ? FullBulkStringRedisMessage.NULL_INSTANCE
                            : new FullBulkStringRedisMessage(Unpooled.wrappedBuffer(value));
                default:
                    return new ErrorRedisMessage("ERR unknown command '" + command + "'");
            }
        }

        private String text(RedisMessage word) {
            return ((FullBulkStringRedisMessage) word).content().toString(StandardCharsets.UTF_8);
        }
    }
}
