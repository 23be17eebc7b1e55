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
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

import java.util.concurrent.TimeUnit;

/** A JVM that ends while its event loops are busy: {@code exit}, {@code return} or {@code hook}. */
final class ExitMain {
    private ExitMain() {
    }

    public static void main(String[] args) throws Exception {
        TestProcessMain.endOnError();
        EventLoopGroup group = new UcxEventLoopGroup(2, new DefaultThreadFactory("loop", true));
        ReceivedBytes received = new ReceivedBytes();
        new Bootstrap().group(group).channel(UcxSocketChannel.class).handler(new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                channel.pipeline().addLast(new StreamSource(Long.MAX_VALUE), received);
            }
        }).connect(new ServerBootstrap().group(group).channel(UcxServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(new EchoTest.EchoHandler());
                    }
                }).bind("127.0.0.1", 0).sync().channel().localAddress()).sync();
        Until.holds(() -> received.count() > 1 << 20, () -> "no traffic");
        switch (args[0]) {
            case "exit":
                System.exit(0);
                break;
            case "hook":
                Runtime.getRuntime().addShutdownHook(new Thread(() -> group.shutdownGracefully(0, 5, TimeUnit.SECONDS)
                        .syncUninterruptibly()));
                System.exit(0);
                break;
            default:
                // The loops' threads are daemons.
                break;
        }
    }
}
