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
package org.nettyucx.example.proxy;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.util.Map;
import org.nettyucx.example.PeerAddress;
import org.nettyucx.example.Reason;

/**
 * Makes a connection for each one that comes in, and forwards between the two.
 */
final class Proxy {

    private final Map<Side, EventLoopGroup> loops;
    private final Side from;
    private final Side to;
    private final InetSocketAddress server;

    /** Takes connections over one kind of transport and makes them to the server over the other one. */
    Proxy(Map<Side, EventLoopGroup> loops, Side from, Side to, InetSocketAddress server) {
        this.loops = loops;
        this.from = from;
        this.to = to;
        this.server = server;
    }

    ChannelFuture listen(InetSocketAddress address) {
        return new ServerBootstrap()
                .group(loops.get(from))
                .channel(from.serverChannel())
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                // Nothing is read before there is somebody to give it to.
                .childOption(ChannelOption.AUTO_READ, false)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        accepted(channel);
                    }
                })
                .bind(address);
    }

    private void accepted(SocketChannel channel) {
        Forwarder client = new Forwarder(channel);
        SocketChannel connection = new ReflectiveChannelFactory<>(to.channel()).newChannel();
        Forwarder back = new Forwarder(connection);
        client.join(back);
        channel.pipeline().addLast(client);
        new Bootstrap()
                .group(loops.get(to))
                .channelFactory(() -> connection)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .handler(back)
                .connect(server)
                .addListener(connected -> {
                    if (connected.isSuccess()) {
                        channel.config().setAutoRead(true);
                    } else if (channel.isActive()) {
                        System.err.println("cannot connect to " + PeerAddress.of(server) + ": "
                                + Reason.of(connected.cause()));
                        client.reset();
                    }
                });
    }
}
