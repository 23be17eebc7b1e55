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
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Event loops that are server and client at once: nothing may depend on who made its endpoint first. */
class CrossedConnectTest {
    private static final int LENGTH = 10_000;

    /** A channel and what came back of its echo. */
    private record Call(ChannelFuture future, ReceivedBytes received) {
        static Call to(EventLoop from, Channel server) {
            ReceivedBytes received = new ReceivedBytes();
            return new Call(new Bootstrap().group(from).channel(UcxSocketChannel.class).handler(received)
                    .connect(server.localAddress()), received);
        }

        void echo() throws Exception {
            Channel channel = future.sync().channel();
            channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(LENGTH), 0, LENGTH));
        }

        void finish() throws Exception {
            received.await(LENGTH);
            future.channel().close().sync();
            assertEquals(List.of(), received.exceptions());
        }
    }

    private static Channel listen(EventLoop loop) throws Exception {
        return new ServerBootstrap().group(loop).channel(UcxServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(new EchoTest.EchoHandler());
                    }
                }).bind("127.0.0.1", 0).sync().channel();
    }

    private static void echoAll(List<Call> calls) throws Exception {
        for (Call call : calls) {
            call.echo();
        }
        for (Call call : calls) {
            call.finish();
        }
    }

    /** Every loop has at most one link to every other, and no connection is left. */
    private static void assertQuiet(List<Channel> servers) throws Exception {
        for (Channel server : servers) {
            LoopState.awaitNoConnections(server, LoopState.REGISTRATIONS_OF_CHANNEL);
            UcxIoHandler handler = LoopState.handler(server);
            int links = server.eventLoop().submit(handler::linkCount).get();
            assertTrue(links <= servers.size(), links + " links");
        }
    }

    private static List<EventLoop> loops(EventLoopGroup group, int count) {
        List<EventLoop> loops = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            loops.add(group.next());
        }
        return loops;
    }

    private static void shutDown(EventLoopGroup group) {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS);
        assertTrue(group.terminationFuture().awaitUninterruptibly(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS));
    }

    private static void crossed(int loopCount, int callsOfEach, boolean atOnce) throws Exception {
        EventLoopGroup group = new UcxEventLoopGroup(loopCount);
        List<EventLoop> loops = loops(group, loopCount);
        List<Channel> servers = new ArrayList<>();
        for (EventLoop loop : loops) {
            servers.add(listen(loop));
        }
        List<Call> calls = new ArrayList<>();
        CountDownLatch start = new CountDownLatch(atOnce ? 1 : 0);
        for (EventLoop loop : loops) {
            // No loop does anything before all have their orders.
            loop.execute(() -> {
                try {
                    start.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
        }
        for (int i = 0; i < callsOfEach; i++) {
            for (EventLoop loop : loops) {
                for (Channel server : servers) {
                    if (loopCount == 1 || server.eventLoop() != loop) {
                        calls.add(Call.to(loop, server));
                    }
                }
            }
        }
        start.countDown();
        echoAll(calls);
        assertQuiet(servers);
        shutDown(group);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 32})
    void bothWaysAtOnce(int calls) throws Exception {
        for (int round = 0; round < 5; round++) {
            crossed(2, calls, true);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 32})
    void withinOneEventLoop(int calls) throws Exception {
        crossed(1, calls, true);
    }

    @Test
    void allToAll() throws Exception {
        crossed(8, 4, true);
    }

    @Test
    void allToAllIncludingThemselves() throws Exception {
        EventLoopGroup group = new UcxEventLoopGroup(4);
        List<EventLoop> loops = loops(group, 4);
        List<Channel> servers = new ArrayList<>();
        for (EventLoop loop : loops) {
            servers.add(listen(loop));
        }
        List<Call> calls = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            for (EventLoop loop : loops) {
                for (Channel server : servers) {
                    calls.add(Call.to(loop, server));
                }
            }
        }
        echoAll(calls);
        assertQuiet(servers);
        shutDown(group);
    }
}
