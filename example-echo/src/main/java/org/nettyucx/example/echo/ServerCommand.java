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
package org.nettyucx.example.echo;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.NettyRuntime;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.nettyucx.UcxChannelOption;
import org.nettyucx.UcxEventLoopGroup;
import org.nettyucx.UcxServerSocketChannel;
import org.nettyucx.example.ExampleException;
import org.nettyucx.example.PeerAddress;
import org.nettyucx.example.TwoProcesses;
import org.nettyucx.example.UcxSupport;
import org.nettyucx.example.WholeNumber;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The echo server: a Netty server like any other.
 */
@Command(name = "server", description = "Starts an echo server; ends on SIGTERM or SIGINT (Ctrl-C).")
final class ServerCommand implements Callable<Integer> {

    private static final int STOP_SECONDS = 5;

    @Option(names = "--host", paramLabel = "H", defaultValue = "127.0.0.1",
            description = "Address to listen on (default: ${DEFAULT-VALUE}).")
    private String host;

    @Option(names = "--port", paramLabel = "P", defaultValue = "7777", converter = WholeNumber.ListenPort.class,
            description = "Port to listen on, 0 for any free one (default: ${DEFAULT-VALUE}).")
    private long port;

    @Mixin
    private ConnectionOptions connection;

    @Override
    public Integer call() throws ExampleException, InterruptedException {
        UcxSupport.requireAvailable();

        // All that makes this a UCX server. With NIO the two lines would say MultiThreadIoEventLoopGroup and
        // NioServerSocketChannel; but for the options of --connector and --wire nothing else differs.
        EventLoopGroup group = new UcxEventLoopGroup(connection.limitLoops(NettyRuntime.availableProcessors()));
        Class<? extends ServerSocketChannel> channelClass = UcxServerSocketChannel.class;

        try {
            ServerBootstrap bootstrap = new ServerBootstrap()
                    .group(group)
                    .channel(channelClass)
                    .option(UcxChannelOption.CONNECTOR, connection.connector())
                    .option(UcxChannelOption.WIRE, connection.wire())
                    .childHandler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel channel) {
                            channel.pipeline().addLast(new EchoServerHandler());
                        }
                    });
            ChannelFuture bound = bootstrap.bind(host, (int) port).await();
            if (!bound.isSuccess()) {
                throw new ExampleException("cannot listen on " + PeerAddress.of(host, port), bound.cause());
            }
            Channel server = bound.channel();
            stopOnSignal(server, group);
            System.out.println(TwoProcesses.LISTENING + PeerAddress.of(server.localAddress()));
            server.closeFuture().await();
            return ExitCode.OK;
        } finally {
            stop(group);
        }
    }

    private static void stopOnSignal(Channel server, EventLoopGroup group) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            server.close();
            if (stop(group)) {
                System.out.println("stopped");
            } else {
                System.err.println("event loops did not stop within " + STOP_SECONDS + " s");
            }
        }, "stop-server"));
    }

    private static boolean stop(EventLoopGroup group) {
        return group.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(STOP_SECONDS + 1, TimeUnit.SECONDS);
    }
}
