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
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * One side of connections in a process of its own: {@code server BEHAVIOUR...} or {@code client PORT BEHAVIOUR...}.
 * Behaviours: {@code echo}; {@code sink} (reads and checks what comes), {@code slow} (a sink that takes its time),
 * {@code paused} (a sink that reads nothing before the command {@code read}); {@code source N} (writes N bytes and
 * checks what comes back), {@code closing N} (a source that closes when its last write succeeded), {@code half N} (a
 * source that shuts down its output then, and goes on reading and writing when the peer does so).
 */
final class TestProcessMain {
    private static final Set<Channel> CHANNELS = ConcurrentHashMap.newKeySet();

    private final String behaviour;
    private final long total;

    private TestProcessMain(String behaviour, long total) {
        this.behaviour = behaviour;
        this.total = total;
    }

    public static void main(String[] args) throws Exception {
        endOnError();
        boolean server = args[0].equals("server");
        int next = server ? 1 : 2;
        TestProcessMain main = new TestProcessMain(args[next],
                args.length > next + 1 ? Long.parseLong(args[next + 1]) : Long.MAX_VALUE);
        ProbedLoops loops = new ProbedLoops(1);
        if (server) {
            Channel channel = new ServerBootstrap().group(loops.group()).channel(UcxServerSocketChannel.class)
                    .option(UcxChannelOption.CONNECTOR, TestPeers.CONNECTOR)
                    .childOption(ChannelOption.AUTO_READ, main.readsAtOnce()).childHandler(main.initializer())
                    .bind("127.0.0.1", 0).sync().channel();
            say("port " + ((UcxServerSocketChannel) channel).localAddress().getPort());
        } else {
            new Bootstrap().group(loops.group()).channel(UcxSocketChannel.class)
                    .option(UcxChannelOption.CONNECTOR, TestPeers.CONNECTOR)
                    .option(ChannelOption.AUTO_READ, main.readsAtOnce()).handler(main.initializer())
                    .connect("127.0.0.1", Integer.parseInt(args[1])).sync();
        }
        takeCommands(loops);
    }

    /** What goes wrong is not to be waited for: the loops' threads would keep the JVM alive. */
    static void endOnError() {
        Thread.setDefaultUncaughtExceptionHandler((thread, cause) -> {
            cause.printStackTrace();
            Runtime.getRuntime().halt(2);
        });
    }

    static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    static void takeCommands(ProbedLoops loops) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            switch (line) {
                case "read":
                    CHANNELS.forEach(channel -> channel.config().setAutoRead(true));
                    break;
                case "close":
                    CHANNELS.forEach(Channel::close);
                    break;
                case "figures":
                    System.gc();
                    say("figures " + ProcessFigures.now() + ' ' + loops.figures());
                    break;
                case "exit":
                    loops.group().shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
                    System.exit(0);
                    break;
                default:
                    throw new IllegalArgumentException(line);
            }
        }
        // Whoever started us is gone.
        Runtime.getRuntime().halt(1);
    }

    private boolean readsAtOnce() {
        return !behaviour.equals("slow") && !behaviour.equals("paused");
    }

    private ChannelInitializer<SocketChannel> initializer() {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                CHANNELS.add(channel);
                channel.closeFuture().addListener(closed -> CHANNELS.remove(channel));
                switch (behaviour) {
                    case "echo":
                        channel.pipeline().addLast(new EchoTest.EchoHandler(), new Reporter(0));
                        break;
                    case "sink":
                    case "paused":
                        channel.pipeline().addLast(new Reporter(total));
                        break;
                    case "slow":
                        channel.pipeline().addLast(new SlowReporter());
                        break;
                    case "source":
                    case "closing":
                    case "half":
                        channel.config().setAllowHalfClosure(behaviour.equals("half"));
                        StreamSource source = new StreamSource(total);
                        source.written().addListener(written -> {
                            if (written.isSuccess() && behaviour.equals("closing")) {
                                channel.close();
                            } else if (written.isSuccess() && behaviour.equals("half")) {
                                channel.shutdownOutput();
                            }
                            say(written.isSuccess() ? "written" : "failed " + written.cause());
                        });
                        channel.pipeline().addLast(source, new Reporter(total));
                        break;
                    default:
                        throw new IllegalArgumentException(behaviour);
                }
            }
        };
    }

    /** Says what becomes of the channel. */
    static class Reporter extends ReceivedBytes {
        private final long total;
        private boolean received;

        Reporter(long total) {
            this.total = total;
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            say("active " + String.join(" ", ((UcxSocketChannel) ctx.channel()).transports()));
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            super.channelRead(ctx, msg);
            if (!received) {
                received = true;
                say("receiving");
            }
            if (count() == total) {
                say("complete");
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            super.userEventTriggered(ctx, event);
            if (event == ChannelInputShutdownEvent.INSTANCE) {
                say("shutdown");
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            super.channelInactive(ctx);
            say("inactive " + count() + ' ' + exceptions());
        }
    }

    /** Reads on only after a while. */
    static final class SlowReporter extends Reporter {
        SlowReporter() {
            super(Long.MAX_VALUE);
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            super.channelActive(ctx);
            ctx.read();
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.executor().schedule(ctx::read, 2, TimeUnit.MILLISECONDS);
        }
    }
}
