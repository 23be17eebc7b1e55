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

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.SocketChannel;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * {@code both CYCLES}: a server and a client loop in one JVM; {@code client PORT CYCLES}: two loops that connect to a
 * server process. Says what the process holds after a tenth of the cycles and at the end; a client then waits for a
 * line of input each time, so that whoever started it can look at its server.
 */
final class ChurnMain {
    private static final int AT_A_TIME = 16;

    private ChurnMain() {
    }

    public static void main(String[] args) throws Exception {
        TestProcessMain.endOnError();
        boolean both = args[0].equals("both");
        int cycles = Integer.parseInt(args[both ? 1 : 2]);
        ProbedLoops client = new ProbedLoops(both ? 1 : 2);
        ProbedLoops server = both ? new ProbedLoops(1) : null;
        InetSocketAddress address = both ? listen(server) : new InetSocketAddress("127.0.0.1",
                Integer.parseInt(args[1]));
        long start = System.nanoTime();
        Churn.start(client.group(), address, cycles / 10, AT_A_TIME).sync();
        sayFigures(client, server);
        if (!both) {
            System.in.read();
        }
        Churn.start(client.group(), address, cycles - cycles / 10, AT_A_TIME).sync();
        sayFigures(client, server);
        TestProcessMain.say("took " + (System.nanoTime() - start) / 1_000_000 + " ms");
        if (!both) {
            System.in.read();
        }
        client.group().shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        if (both) {
            server.group().shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        }
    }

    static InetSocketAddress listen(ProbedLoops loops) throws InterruptedException {
        return (InetSocketAddress) new ServerBootstrap().group(loops.group()).channel(UcxServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(new EchoTest.EchoHandler(), new ChannelInboundHandlerAdapter() {
                            @Override
                            public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                                // A client that was killed; Netty would complain that nobody cares.
                                TestProcessMain.say("exception " + cause);
                            }
                        });
                    }
                }).bind("127.0.0.1", 0).sync().channel().localAddress();
    }

    private static void sayFigures(ProbedLoops client, ProbedLoops server) throws Exception {
        client.awaitIdle(0);
        if (server != null) {
            server.awaitIdle(1);
        }
        System.gc();
        TestProcessMain.say("figures " + ProcessFigures.now());
        TestProcessMain.say("client " + client.figures());
        if (server != null) {
            TestProcessMain.say("server " + server.figures());
        }
    }
}
