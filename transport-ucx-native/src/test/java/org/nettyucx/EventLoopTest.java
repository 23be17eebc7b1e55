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
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The event loop: waiting, waking up, timers, and channels of other kinds beside ours. */
class EventLoopTest {
    private static final int CONNECTIONS = 100;

    private static UcxIoHandlerConfig config(UcxWaitStrategy strategy) {
        return new UcxIoHandlerConfig().waitStrategy(strategy);
    }

    @ParameterizedTest
    @EnumSource(UcxWaitStrategy.class)
    void idleConnectionsCostNothing(UcxWaitStrategy strategy) throws Exception {
        ProbedLoops serverLoops = new ProbedLoops(1, config(strategy));
        ProbedLoops clientLoops = new ProbedLoops(1, config(strategy));
        try (TestPeers peers = new TestPeers(serverLoops.group(), clientLoops.group())
                .listen(EchoTest.EchoHandler::new)) {
            for (int i = 0; i < CONNECTIONS; i++) {
                ReceivedBytes received = new ReceivedBytes();
                Channel channel = peers.connect(received);
                channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(100), 0, 100));
                received.await(100);
            }
            long start = System.nanoTime();
            long cpu = serverLoops.cpuNanos() + clientLoops.cpuNanos();
            Thread.sleep(3000);
            cpu = serverLoops.cpuNanos() + clientLoops.cpuNanos() - cpu;
            double share = (double) cpu / (System.nanoTime() - start);
            System.out.printf("FIGURES %s: two idle loops with %d connections used %.2f %% of a CPU%n", strategy,
                    CONNECTIONS, share * 100);
            if (strategy == UcxWaitStrategy.SPIN) {
                assertTrue(share > 0.2, "not spinning");
            } else {
                assertTrue(share < 0.05, "used " + share + " of a CPU");
            }
        }
    }

    /** Messages after pauses of all lengths, so that the loops sleep, spin or are just between the two. */
    @ParameterizedTest
    @EnumSource(UcxWaitStrategy.class)
    void echoWithPauses(UcxWaitStrategy strategy) throws Exception {
        ProbedLoops serverLoops = new ProbedLoops(1, config(strategy));
        ProbedLoops clientLoops = new ProbedLoops(1, config(strategy));
        try (TestPeers peers = new TestPeers(serverLoops.group(), clientLoops.group())
                .listen(EchoTest.EchoHandler::new)) {
            ReceivedBytes received = new ReceivedBytes();
            UcxSocketChannel channel = peers.connect(received);
            int rounds = 600;
            for (int i = 0; i < rounds; i++) {
                channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(100), i * 100L, 100));
                received.await((i + 1) * 100L);
                switch (i % 4) {
                    case 0:
                        break;
                    case 1:
                        TimeUnit.MICROSECONDS.sleep(40);
                        break;
                    case 2:
                        TimeUnit.MILLISECONDS.sleep(1);
                        break;
                    default:
                        TimeUnit.MILLISECONDS.sleep(i % 100 == 3 ? 50 : 2);
                        break;
                }
            }
            channel.close().syncUninterruptibly();
        }
    }

    /** A task given to a sleeping, a spinning or a busy loop is never left lying. */
    @ParameterizedTest
    @EnumSource(UcxWaitStrategy.class)
    void everyHandoffWakesTheLoop(UcxWaitStrategy strategy) throws Exception {
        int rounds = 25_000;
        EventLoopGroup group = new UcxEventLoopGroup(1, config(strategy));
        try {
            EventLoop loop = group.next();
            AtomicLong slowest = new AtomicLong();
            List<Thread> threads = new ArrayList<>();
            AtomicInteger lost = new AtomicInteger();
            for (int t = 0; t < 4; t++) {
                Thread thread = new Thread(() -> {
                    for (int i = 0; i < rounds && lost.get() == 0; i++) {
                        CountDownLatch ran = new CountDownLatch(1);
                        long start = System.nanoTime();
                        loop.execute(ran::countDown);
                        try {
                            if (!ran.await(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                                lost.incrementAndGet();
                            }
                        } catch (InterruptedException e) {
                            lost.incrementAndGet();
                        }
                        slowest.accumulateAndGet(System.nanoTime() - start, Math::max);
                    }
                });
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(0, lost.get());
            System.out.println("FIGURES " + strategy + ": slowest of " + 4 * rounds + " tasks after " +
                    slowest.get() / 1000 + " us");
            // A lost wakeup would show as the time until something else wakes the loop.
            assertTrue(slowest.get() < 2_000_000_000L, "a task waited " + slowest.get() / 1_000_000 + " ms");
        } finally {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    /** The same while messages keep the loop between polling and sleeping. */
    @Test
    void handoffsAmongMessages() throws Exception {
        try (TestPeers peers = new TestPeers().listen(EchoTest.EchoHandler::new)) {
            ReceivedBytes received = new ReceivedBytes();
            UcxSocketChannel channel = peers.connect(received);
            int rounds = 10_000;
            AtomicInteger ran = new AtomicInteger();
            for (int i = 0; i < rounds; i++) {
                if (i % 4 == 0) {
                    channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(8), i * 2L, 8));
                }
                CountDownLatch done = new CountDownLatch(1);
                channel.eventLoop().execute(() -> {
                    ran.incrementAndGet();
                    done.countDown();
                });
                assertTrue(done.await(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS), "a task was lost");
            }
            assertEquals(rounds, ran.get());
            received.await(rounds * 2L);
        }
    }

    @ParameterizedTest
    @EnumSource(UcxWaitStrategy.class)
    void timersOfAnIdleLoop(UcxWaitStrategy strategy) throws Exception {
        EventLoopGroup group = new UcxEventLoopGroup(1, config(strategy));
        try {
            EventLoop loop = group.next();
            for (int millis : new int[] {0, 1, 10, 100, 700}) {
                long start = System.nanoTime();
                ScheduledFuture<Long> fired = loop.schedule(System::nanoTime, millis, TimeUnit.MILLISECONDS);
                assertTrue(fired.await(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS));
                long took = (fired.getNow() - start) / 1_000_000;
                assertTrue(took >= millis && took < millis + 500, millis + " ms took " + took);
            }
            AtomicInteger ticks = new AtomicInteger();
            ScheduledFuture<?> ticker = loop.scheduleAtFixedRate(ticks::incrementAndGet, 5, 5, TimeUnit.MILLISECONDS);
            Until.holds(() -> ticks.get() >= 50, () -> "only " + ticks + " ticks");
            ticker.cancel(false);
        } finally {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    /** A handshake time-out is a deadline of the handler, not a task of the loop, and ends the loop's sleep as well. */
    @ParameterizedTest
    @EnumSource(UcxWaitStrategy.class)
    void deadlinesOfAnIdleLoop(UcxWaitStrategy strategy) throws Exception {
        ProbedLoops loops = new ProbedLoops(1, config(strategy));
        try (TestProcess child = TestProcess.builder().start(HandshakeMain.class, "silent")) {
            int port = child.awaitNumber("port");
            Bootstrap bootstrap = new Bootstrap().group(loops.group()).channel(UcxSocketChannel.class)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 400).handler(new ReceivedBytes());
            long start = System.nanoTime();
            assertFalse(bootstrap.connect("127.0.0.1", port).await().isSuccess());
            long millis = (System.nanoTime() - start) / 1_000_000;
            assertTrue(millis >= 400 && millis < 2000, "timed out after " + millis + " ms");
            loops.awaitIdle(0);
        } finally {
            loops.group().shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    /** Epoll channels and UCX channels on one and the same loop, each under load from the other. */
    @ParameterizedTest
    @EnumSource(UcxWaitStrategy.class)
    void epollChannelsBesideOurs(UcxWaitStrategy strategy) throws Exception {
        ProbedLoops loops = new ProbedLoops(1, config(strategy));
        try (TestPeers peers = new TestPeers(loops.group(), loops.group()).listen(EchoTest.EchoHandler::new)) {
            Channel epollServer = new ServerBootstrap().group(loops.group()).channel(EpollServerSocketChannel.class)
                    .childHandler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel channel) {
                            channel.pipeline().addLast(new EchoTest.EchoHandler());
                        }
                    }).bind("127.0.0.1", 0).syncUninterruptibly().channel();
            int length = 5_000_000;
            ReceivedBytes overEpoll = new ReceivedBytes();
            ReceivedBytes overUcx = new ReceivedBytes();
            Channel epoll = new Bootstrap().group(loops.group()).channel(EpollSocketChannel.class)
                    .handler(source(length, overEpoll)).connect(epollServer.localAddress()).sync().channel();
            Channel ucx = peers.connect(source(length, overUcx));
            overEpoll.await(length);
            overUcx.await(length);
            epoll.close().sync();
            ucx.close().sync();
            epollServer.close().sync();
            loops.awaitIdle(1);
        }
    }

    private static ChannelInitializer<SocketChannel> source(int length, ReceivedBytes received) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                channel.pipeline().addLast(new StreamSource(length), received);
            }
        };
    }

    /** A loop without a thread of its own, driven by this one. */
    @Test
    void manualLoop() throws Exception {
        try (TestPeers peers = new TestPeers().listen(EchoTest.EchoHandler::new)) {
            ManualIoEventLoop loop = new ManualIoEventLoop(Thread.currentThread(), UcxIoHandler.newFactory());
            ReceivedBytes received = new ReceivedBytes();
            Channel channel = new Bootstrap().group(loop).channel(UcxSocketChannel.class)
                    .handler(source(3_000_000, received)).connect(peers.address()).channel();
            runUntil(loop, () -> received.count() == 3_000_000);
            channel.close();
            runUntil(loop, received::isInactive);
            loop.shutdownGracefully(0, 10, TimeUnit.SECONDS);
            runUntil(loop, loop::isTerminated);
        }
    }

    private static void runUntil(ManualIoEventLoop loop, BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TestPeers.TIMEOUT_SECONDS);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline);
            loop.run(TimeUnit.MILLISECONDS.toNanos(10), TimeUnit.MILLISECONDS.toNanos(100));
        }
    }

    @Test
    void registrationsAreCounted() throws Exception {
        ProbedLoops serverLoops = new ProbedLoops(1);
        ProbedLoops clientLoops = new ProbedLoops(1);
        try (TestPeers peers = new TestPeers(serverLoops.group(), clientLoops.group())
                .listen(EchoTest.EchoHandler::new)) {
            serverLoops.awaitIdle(1);
            UcxSocketChannel channel = peers.connect(new ReceivedBytes());
            peers.accepted();
            assertEquals(1, clientLoops.figures().registrations());
            assertEquals(2, serverLoops.figures().registrations());
            channel.close().sync();
            clientLoops.awaitIdle(0);
            serverLoops.awaitIdle(1);
            // A refused and an aborted connection leave nothing either.
            assertFalse(peers.clientBootstrap.clone().handler(new ReceivedBytes()).connect("127.0.0.1", 1).await()
                    .isSuccess());
            peers.connectLater(new ReceivedBytes()).channel().close().sync();
            clientLoops.awaitIdle(0);
            serverLoops.awaitIdle(1);
            peers.server().close().sync();
            serverLoops.awaitIdle(0);
        }
    }

    /** A loop whose thread was taken away, and that gets another one when there is something to do. */
    @Test
    void suspendedLoopGoesOn() throws Exception {
        ProbedLoops loops = new ProbedLoops(1);
        SingleThreadIoEventLoop loop = (SingleThreadIoEventLoop) loops.group().next();
        try (TestPeers peers = new TestPeers(new UcxEventLoopGroup(1), loops.group())
                .listen(EchoTest.EchoHandler::new)) {
            for (int round = 0; round < 3; round++) {
                ReceivedBytes received = new ReceivedBytes();
                Channel channel = peers.connect(received);
                channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(100_000), 0, 100_000));
                received.await(100_000);
                channel.close().sync();
                loops.awaitIdle(0);
                assertTrue(loop.trySuspend());
                Until.holds(loop::isSuspended, () -> "not suspended");
            }
        }
    }
}
