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

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.SocketChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The peer's process is killed or stops answering: what the survivor sees, and that it keeps nothing. */
class KillTest {
    /** A dead peer must be noticed in this time. */
    private static final long NOTICED_MILLIS = 1000;

    private final ProbedLoops serverLoops = new ProbedLoops(1,
            new UcxIoHandlerConfig().linger(1, TimeUnit.SECONDS));
    private final ProbedLoops clientLoops = new ProbedLoops(1,
            new UcxIoHandlerConfig().linger(1, TimeUnit.SECONDS));
    private final TestPeers peers = new TestPeers(serverLoops.group(), clientLoops.group());

    @AfterEach
    void closePeers() {
        peers.close();
    }

    /** What the connection does when the child is killed. */
    private enum Activity {
        /** Bytes have gone there and back, now it is quiet. */
        IDLE,
        /** This side writes without end to a child that reads. */
        SENDING,
        /** This side writes to a child that does not read. */
        SENDING_BLOCKED,
        /** The child writes without end. */
        RECEIVING,
        /** The child writes without end, this side does not read. */
        RECEIVING_PAUSED,
        /** Both write without end. */
        BOTH
    }

    private static TestProcess start(Activity activity, Object... role) throws IOException {
        List<Object> arguments = new ArrayList<>(List.of(role));
        switch (activity) {
            case IDLE:
                arguments.add("echo");
                break;
            case SENDING:
                arguments.add("sink");
                break;
            case SENDING_BLOCKED:
                arguments.add("paused");
                break;
            default:
                arguments.add("source");
                break;
        }
        return TestProcess.start(arguments.toArray());
    }

    /** The survivor's side of a connection. */
    private static final class Survivor {
        private final ReceivedBytes received = new ReceivedBytes();
        private final Activity activity;
        private final StreamSource source;

        Survivor(Activity activity) {
            this.activity = activity;
            source = new StreamSource(activity == Activity.IDLE ? 100_000
                    : activity == Activity.RECEIVING || activity == Activity.RECEIVING_PAUSED ? 0 : Long.MAX_VALUE);
        }

        ChannelHandler initializer() {
            return new ChannelInitializer<SocketChannel>() {
                @Override
                protected void initChannel(SocketChannel channel) {
                    channel.config().setAutoRead(activity != Activity.RECEIVING_PAUSED);
                    channel.pipeline().addLast(source, received);
                }
            };
        }

        void awaitActivity(UcxSocketChannel channel) throws InterruptedException {
            switch (activity) {
                case IDLE:
                    received.await(100_000);
                    break;
                case RECEIVING_PAUSED:
                    Conditions.await(() -> channel.connection().inbound().received() >= 1 << 20,
                            () -> "the window was not filled");
                    break;
                case SENDING_BLOCKED:
                    Conditions.await(() -> source.isBlocked() && channel.connection().sendable() == 0,
                            () -> "the credit was not used up");
                    break;
                default:
                    Conditions.await(() -> source.accepted() > 8 << 20 || received.count() > 8 << 20,
                            () -> "too little traffic: " + source.accepted() + ", " + received.count());
                    break;
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Activity.class)
    void serverKilled(Activity activity) throws Exception {
        Survivor survivor = new Survivor(activity);
        try (TestProcess child = start(activity, "server")) {
            UcxSocketChannel channel = TwoProcessTest.connect(peers, child, survivor.initializer());
            killed(child, channel, survivor);
        }
        clientLoops.awaitIdle(0);
        clientLoops.awaitNoLinks();
    }

    @ParameterizedTest
    @EnumSource(Activity.class)
    void clientKilled(Activity activity) throws Exception {
        Survivor survivor = new Survivor(activity);
        AtomicBoolean first = new AtomicBoolean(true);
        peers.listen(() -> first.getAndSet(false) ? survivor.initializer() : new EchoTest.EchoHandler());
        try (TestProcess child = start(activity, "client", peers.address().getPort())) {
            killed(child, peers.accepted(), survivor);
        }
        serverLoops.awaitIdle(1);
        serverLoops.awaitNoLinks();
        serverWorks();
    }

    private static void killed(TestProcess child, UcxSocketChannel channel, Survivor survivor) throws Exception {
        survivor.awaitActivity(channel);
        long start = System.nanoTime();
        child.kill();
        if (survivor.activity == Activity.RECEIVING_PAUSED) {
            // What was staged is still to be read; the end is heard of only after it.
            Conditions.await(() -> channel.connection().state().isFinished(), () -> "the death was not noticed");
            assertNoticed(start);
            assertTrue(channel.isActive());
            assertTrue(survivor.received.exceptions().isEmpty());
            long staged = channel.eventLoop().submit(() -> channel.connection().inbound().received()).get();
            channel.config().setAutoRead(true);
            survivor.received.awaitInactive();
            assertEquals(staged, survivor.received.count());
        } else {
            survivor.received.awaitInactive();
            assertNoticed(start);
        }
        TestPeers.awaitClosed(channel);
        List<Throwable> exceptions = survivor.received.exceptions();
        assertEquals(1, exceptions.size(), exceptions.toString());
        assertInstanceOf(IOException.class, exceptions.get(0));
        assertTrue(exceptions.get(0).getMessage().contains("Connection reset by peer"), exceptions.toString());
        if (survivor.activity.name().startsWith("SENDING") || survivor.activity == Activity.BOTH) {
            assertInstanceOf(IOException.class, survivor.source.written().await().cause());
        }
    }

    private static void assertNoticed(long start) {
        long millis = (System.nanoTime() - start) / 1_000_000;
        System.out.println("noticed after " + millis + " ms");
        assertTrue(millis < NOTICED_MILLIS, "noticed after " + millis + " ms");
    }

    /** The server still serves others. */
    private void serverWorks() throws Exception {
        try (TestProcess next = TestProcess.start("client", peers.address().getPort(), "source", 3_000_000)) {
            next.await("complete");
            peers.accepted().close().syncUninterruptibly();
            next.await("inactive");
            next.exit();
        }
    }

    // ---- in the handshake

    /** A child that only connected by TCP, one that sent a part of HELLO, and one whose HELLO was the last it did. */
    @ParameterizedTest
    @ValueSource(strings = {"connect", "part", "hello"})
    void clientKilledInTheHandshake(String stage) throws Exception {
        peers.listen(EchoTest.EchoHandler::new);
        try (TestProcess child = TestProcess.builder().start(HandshakeMain.class, stage,
                peers.address().getPort())) {
            child.await("sent");
            if (stage.equals("hello")) {
                Conditions.await(() -> serverLoops.figures().links() == 1, () -> "HELLO made no link");
            } else {
                // The TCP server and the accepted TCP connection.
                Conditions.await(() -> serverLoops.figures().registrations() == 2, () -> "nothing was accepted");
            }
            long start = System.nanoTime();
            child.kill();
            serverLoops.awaitIdle(1);
            assertNoticed(start);
            // UCX may be in the middle of its own handshake with the dead process: the link has a grace time.
            serverLoops.awaitNoLinks();
        }
        assertFalse(peers.hasAccepted());
        serverWorks();
    }

    /** A server that accepts, reads and says nothing, and is killed then. */
    @Test
    void serverKilledInTheHandshake() throws Exception {
        try (TestProcess child = TestProcess.builder().start(HandshakeMain.class, "silent")) {
            ChannelFuture connect = peers.clientBootstrap.clone().handler(new ReceivedBytes())
                    .connect("127.0.0.1", child.awaitNumber("port"));
            child.await("accepted");
            assertFalse(connect.isDone());
            long start = System.nanoTime();
            child.kill();
            assertTrue(connect.await(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS));
            assertNoticed(start);
            assertInstanceOf(IOException.class, connect.cause());
        }
        clientLoops.awaitIdle(0);
    }

    // ---- stopped

    /** The peer does not take part for a while: back-pressure, no polling, and everything arrives afterwards. */
    @Test
    void writerToAStoppedProcessSleeps() throws Exception {
        StreamSource source = new StreamSource(20 << 20);
        try (TestProcess child = TestProcess.start("server", "paused")) {
            int port = child.awaitNumber("port");
            UcxSocketChannel channel = connect(port, source, new ReceivedBytes());
            child.await("active");
            child.command("read");
            Conditions.await(() -> source.accepted() > 1 << 20, () -> "nothing was written");
            child.freeze();
            Conditions.await(() -> !channel.isWritable(), () -> "still writable");
            Conditions.await(() -> steady(source), () -> "still writing");
            assertAsleep(clientLoops);
            child.resume();
            assertTrue(source.written().await(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS));
            channel.close().syncUninterruptibly();
            assertEquals((20 << 20) + " []", child.await("inactive"));
            child.exit();
        }
        clientLoops.awaitIdle(0);
    }

    private static boolean steady(StreamSource source) {
        long before = source.accepted();
        try {
            Thread.sleep(300);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return source.accepted() == before;
    }

    private static void assertAsleep(ProbedLoops loops) throws InterruptedException {
        long start = System.nanoTime();
        long cpu = loops.cpuNanos();
        Thread.sleep(2000);
        cpu = loops.cpuNanos() - cpu;
        double share = (double) cpu / (System.nanoTime() - start);
        System.out.printf("the loop used %.1f %% of a CPU%n", share * 100);
        assertTrue(share < 0.1, "the loop used " + share + " of a CPU");
    }

    /** The peer stops for good: a closed channel gives up after its linger time. */
    @Test
    void lingerOfAStoppedPeerIsBounded() throws Exception {
        StreamSource source = new StreamSource(Long.MAX_VALUE);
        try (TestProcess child = TestProcess.start("server", "sink")) {
            UcxSocketChannel channel = connect(child.awaitNumber("port"), source, new ReceivedBytes());
            Conditions.await(() -> source.accepted() > 1 << 20, () -> "nothing was written");
            child.freeze();
            Conditions.await(() -> !channel.isWritable(), () -> "still writable");
            long start = System.nanoTime();
            channel.close().syncUninterruptibly();
            assertTrue(System.nanoTime() - start < 500_000_000, "close() itself must not wait");
            Conditions.await(() -> clientLoops.figures().connections() == 0, () -> "still lingering");
            assertTrue(System.nanoTime() - start < 5_000_000_000L, "the linger time is 1 s");
            assertAsleep(clientLoops);
            // Only now can its death be known: UCX's memory must come back without any channel.
            child.kill();
            clientLoops.awaitIdle(0);
        }
        clientLoops.awaitNoLinks();
    }

    private UcxSocketChannel connect(int port, ChannelHandler... handlers) {
        return (UcxSocketChannel) peers.clientBootstrap.clone().handler(new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                channel.pipeline().addLast(handlers);
            }
        }).connect("127.0.0.1", port).syncUninterruptibly().channel();
    }

    /** A stopped peer does not hold up the event loop's shutdown. */
    @Test
    void shutdownWithAStoppedPeerIsBounded() throws Exception {
        StreamSource source = new StreamSource(Long.MAX_VALUE);
        try (TestProcess child = TestProcess.start("server", "sink")) {
            connect(child.awaitNumber("port"), source, new ReceivedBytes());
            Conditions.await(() -> source.accepted() > 1 << 20, () -> "nothing was written");
            child.freeze();
            Conditions.await(source::isBlocked, () -> "still writable");
            long start = System.nanoTime();
            clientLoops.group().shutdownGracefully(0, 30, TimeUnit.SECONDS).syncUninterruptibly();
            long millis = (System.nanoTime() - start) / 1_000_000;
            System.out.println("shut down in " + millis + " ms");
            assertTrue(millis < 8000, "shut down in " + millis + " ms");
        }
    }
}
