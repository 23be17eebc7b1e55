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

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.nettyucx.UcxChannelOption;
import org.nettyucx.UcxEventLoopGroup;
import org.nettyucx.UcxSocketChannel;
import org.nettyucx.example.ExampleException;
import org.nettyucx.example.PeerAddress;
import org.nettyucx.example.UcxSupport;
import org.nettyucx.example.WholeNumber;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The echo client: a Netty client like any other.
 */
@Command(name = "client", description = "Sends messages to an echo server and verifies what comes back.")
final class ClientCommand implements Callable<Integer> {

    private static final int STOP_SECONDS = 10;

    @Option(names = "--host", paramLabel = "H", defaultValue = "127.0.0.1",
            description = "Host of the server (default: ${DEFAULT-VALUE}).")
    private String host;

    @Option(names = "--port", paramLabel = "P", defaultValue = "7777", converter = WholeNumber.ConnectPort.class,
            description = "Port of the server (default: ${DEFAULT-VALUE}).")
    private long port;

    @Mixin
    private ConnectionOptions connection;

    @Mixin
    private Workload workload;

    @Override
    public Integer call() throws ExampleException, InterruptedException {
        workload.validate();
        UcxSupport.requireAvailable();

        // All that makes this a UCX client. With NIO the two lines would say MultiThreadIoEventLoopGroup and
        // NioSocketChannel; but for the options of --connector and --wire nothing else differs.
        EventLoopGroup group = new UcxEventLoopGroup(1);
        Class<? extends SocketChannel> channelClass = UcxSocketChannel.class;

        String transports;
        EchoResult result;
        try {
            VerifyingClientHandler handler =
                    new VerifyingClientHandler(workload.count(), workload.bytes(), workload.inFlight());
            Bootstrap bootstrap = new Bootstrap()
                    .group(group)
                    .channel(channelClass)
                    .option(UcxChannelOption.CONNECTOR, connection.connector())
                    .option(UcxChannelOption.WIRE, connection.wire())
                    .handler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel channel) {
                            channel.pipeline().addLast(handler);
                        }
                    });
            ChannelFuture connected = bootstrap.connect(host, (int) port).await();
            if (!connected.isSuccess()) {
                throw new ExampleException("cannot connect to " + PeerAddress.of(host, port), connected.cause());
            }
            Channel channel = connected.channel();
            result = get(handler.result());
            transports = get(channel.eventLoop().submit(() -> UcxSupport.transports(channel)));
            if (!channel.close().await(STOP_SECONDS, TimeUnit.SECONDS)) {
                throw new ExampleException("the channel did not close within " + STOP_SECONDS + " s");
            }
        } finally {
            group.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS).await(STOP_SECONDS + 1, TimeUnit.SECONDS);
        }
        report(result, transports);
        return ExitCode.OK;
    }

    private static <T> T get(Future<T> future) throws ExampleException, InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ExampleException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    private void report(EchoResult result, String transports) {
        double seconds = Math.max(result.nanos(), 1) / 1e9;
        System.out.printf(Locale.ROOT, "%d messages of %d bytes in %.3f s: %.1f MB/s each way, %.0f messages/s%n",
                result.messages(), workload.bytes(), seconds, result.bytes() / 1e6 / seconds,
                result.messages() / seconds);
        System.out.println(Echo.VERDICT.ok(result.messages() + " messages, " + result.bytes()
                + " bytes, 0 mismatches, over " + transports));
    }
}
