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
package org.nettyucx.info;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import org.nettyucx.UcxEventLoopGroup;
import org.nettyucx.UcxServerSocketChannel;
import org.nettyucx.UcxSocketChannel;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** Makes a connection from one event loop of this JVM to another one. */
final class ConnectionCheck implements Check {
    private static final String TOPIC = "Connection";
    private static final int TIMEOUT_MILLIS = 10_000;

    @Override
    public List<Finding> look(Machine machine) throws Exception {
        if (!machine.isUcxAvailable()) {
            return List.of();
        }
        EventLoopGroup serverGroup = new UcxEventLoopGroup(1);
        EventLoopGroup clientGroup = new UcxEventLoopGroup(1);
        try {
            Channel server = new ServerBootstrap().group(serverGroup).channel(UcxServerSocketChannel.class)
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            // Connecting is all.
                        }
                    }).bind("127.0.0.1", 0).sync().channel();
            ChannelFuture connect = new Bootstrap().group(clientGroup).channel(UcxSocketChannel.class)
                    .handler(new ChannelInboundHandlerAdapter())
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, TIMEOUT_MILLIS)
                    .connect(server.localAddress()).await();
            if (!connect.isSuccess()) {
                return List.of(Finding.fail(TOPIC, "two event loops of this JVM cannot connect: " +
                        connect.cause().getMessage(), "see the lines that are not OK"));
            }
            String transports = String.join(", ", ((UcxSocketChannel) connect.channel()).transports());
            connect.channel().close().await(TIMEOUT_MILLIS);
            return List.of(Finding.ok(TOPIC, "between two event loops of this JVM works, over " + transports));
        } finally {
            clientGroup.shutdownGracefully(0, 1, TimeUnit.SECONDS).await(TIMEOUT_MILLIS);
            serverGroup.shutdownGracefully(0, 1, TimeUnit.SECONDS).await(TIMEOUT_MILLIS);
        }
    }
}
