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
import io.netty.channel.ChannelOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nettyucx.Survivor.Activity;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The peer's process is stopped for a while, as by a debugger or a machine that is moved: nothing happens, at no cost,
 * others are served, and afterwards everything goes on as if nothing had been. Not tried is the one moment of which
 * docs/architecture.md says that others have to wait, too.
 */
class StopTest {
    private static final int TOTAL = 12 << 20;
    private static final int MORE_BYTES = 50_000;
    private static final int BYSTANDER_BYTES = 3_000_000;

    private final ProbedLoops serverLoops = new ProbedLoops(1);
    private final ProbedLoops clientLoops = new ProbedLoops(1);
    private final TestPeers peers = new TestPeers(serverLoops.group(), clientLoops.group());

    @AfterEach
    void closePeers() {
        peers.close();
    }

    @ParameterizedTest
    @EnumSource
    void serverStopped(Activity activity) throws Exception {
        Survivor survivor = new Survivor(activity, TOTAL);
        peers.listen(EchoTest.EchoHandler::new);
        try (TestProcess child = survivor.start("server")) {
            UcxSocketChannel channel = TwoProcessTest.connect(peers, child, survivor.initializer());
            stopped(child, channel, survivor, clientLoops);
        }
    }

    @ParameterizedTest
    @EnumSource
    void clientStopped(Activity activity) throws Exception {
        Survivor survivor = new Survivor(activity, TOTAL);
        AtomicBoolean first = new AtomicBoolean(true);
        peers.listen(() -> first.getAndSet(false) ? survivor.initializer() : new EchoTest.EchoHandler());
        try (TestProcess child = survivor.start("client", peers.address().getPort())) {
            stopped(child, peers.accepted(), survivor, serverLoops);
        }
    }

    private void stopped(TestProcess child, UcxSocketChannel channel, Survivor survivor, ProbedLoops loops)
            throws Exception {
        boolean open = survivor.activity != Activity.CLOSED;
        survivor.awaitActivity(channel);
        child.freeze();
        while (!loops.receive()) {
            // It was stopped in the middle of a write to the worker's queue in shared memory, which waits for it.
            child.resume();
            child.freeze();
        }
        if (survivor.activity == Activity.IDLE) {
            channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(MORE_BYTES), Survivor.ECHOED_BYTES,
                    MORE_BYTES));
        }
        Until.steady("the number of bytes",
                () -> survivor.source.accepted() + channel.connection().inbound().received());
        System.out.println("FIGURES " + survivor.activity + ", peer stopped after " + survivor.source.accepted() +
                " bytes out, " + channel.connection().inbound().received() + " in");
        loops.assertAsleep();
        assertEquals(open, channel.isActive());
        assertEquals(1, survivor.activity == Activity.CLOSED ? loops.figures().connections() : 1);
        bystanderIsServed();
        child.resume();
        finish(child, channel, survivor);
        assertEquals(List.of(), survivor.received.exceptions());
        serverLoops.awaitIdle(1);
        clientLoops.awaitIdle(0);
        child.exit();
    }

    /** Brings the connection to the end that it would have had anyway. */
    private static void finish(TestProcess child, UcxSocketChannel channel, Survivor survivor) throws Exception {
        ReceivedBytes received = survivor.received;
        switch (survivor.activity) {
            case IDLE:
                received.await(Survivor.ECHOED_BYTES + MORE_BYTES);
                // Its echo handler keeps the bytes from the one that counts.
                assertEnd(child, channel, 0);
                break;
            case SENDING_BLOCKED:
                child.command("read");
                Until.done(survivor.source.written());
                assertEnd(child, channel, TOTAL);
                break;
            case SENDING:
                Until.done(survivor.source.written());
                assertEnd(child, channel, TOTAL);
                break;
            case RECEIVING:
            case RECEIVING_PAUSED:
                channel.config().setAutoRead(true);
                received.await(TOTAL);
                assertEnd(child, channel, 0);
                break;
            case BOTH:
                received.await(TOTAL);
                Until.done(survivor.source.written());
                assertEnd(child, channel, TOTAL);
                break;
            case HALF_CLOSED:
                received.awaitInactive();
                assertEquals(TOTAL, received.count());
                child.command("close");
                assertEquals(Survivor.ECHOED_BYTES + " []", child.await("inactive"));
                break;
            case HALF_CLOSED_BY_PEER:
                Until.done(survivor.source.written());
                Until.done(channel.shutdownOutput());
                child.await("shutdown");
                child.command("close");
                assertEnd(child, channel, TOTAL);
                break;
            case CLOSED:
                child.command("read");
                assertEquals(Survivor.CLOSED_BYTES + " []", child.await("inactive"));
                break;
            default:
                channel.config().setAutoRead(true);
                received.awaitInactive();
                assertEquals(Survivor.CLOSED_BYTES, received.count());
                assertEquals("0 []", child.await("inactive"));
                break;
        }
    }

    /** Closes the channel; the child, which has got so many bytes, must see no more than that. */
    private static void assertEnd(TestProcess child, UcxSocketChannel channel, int childReceived) throws Exception {
        Until.done(channel.close());
        assertEquals(childReceived + " []", child.await("inactive"));
    }

    /** Both of this JVM's loops do something, one of which belongs to the stopped peer's other side. */
    private void bystanderIsServed() throws Exception {
        ReceivedBytes received = new ReceivedBytes();
        UcxSocketChannel channel = peers.connect(received);
        channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(BYSTANDER_BYTES), 0, BYSTANDER_BYTES));
        received.await(BYSTANDER_BYTES);
        Until.done(channel.close());
    }

    // ---- in the handshake

    @ParameterizedTest
    @ValueSource(strings = {"connect", "part", "hello"})
    void clientStoppedInTheHandshake(String stage) throws Exception {
        peers.listen(EchoTest.EchoHandler::new);
        try (TestProcess child = TestProcess.builder().start(HandshakeMain.class, stage,
                peers.address().getPort())) {
            child.await("waiting");
            child.freeze();
            if (stage.equals("hello")) {
                Until.holds(() -> serverLoops.figures().links() == 1, () -> "HELLO made no link");
            } else {
                Until.holds(() -> serverLoops.figures().registrations() == 2, () -> "nothing was accepted");
            }
            serverLoops.assertAsleep();
            bystanderIsServed();
            peers.drainAccepted();
            child.resume();
            child.command("go");
            child.await("done");
            Until.done(peers.accepted().close());
        }
        serverLoops.awaitIdle(1);
    }

    /** A server that is stopped before or after it has answered HELLO, for longer than READY should take. */
    @ParameterizedTest
    @ValueSource(strings = {"silent", "answer"})
    void serverStoppedInTheHandshake(String stage) throws Exception {
        peers.listen(EchoTest.EchoHandler::new);
        try (TestProcess child = TestProcess.builder().start(HandshakeMain.class, stage)) {
            StreamSource source = new StreamSource(HandshakeMain.BYTES);
            ChannelFuture connect = peers.clientBootstrap.clone().handler(source)
                    .connect("127.0.0.1", child.awaitNumber("port"));
            child.await("waiting");
            child.freeze();
            if (stage.equals("answer")) {
                // The second one is made because READY is late.
                Until.holds(() -> clientLoops.figures().links() == 2, () -> "no second link");
            }
            clientLoops.assertAsleep();
            assertFalse(connect.isDone());
            bystanderIsServed();
            child.resume();
            child.command("go");
            Until.done(connect);
            Until.done(source.written());
            child.await("done");
            Until.done(connect.channel().close());
        }
        clientLoops.awaitIdle(0);
    }

    // ---- for good

    /** A closed channel gives up after its linger time. */
    @Test
    void lingerIsBounded() throws Exception {
        StreamSource source = new StreamSource(Long.MAX_VALUE);
        peers.clientBootstrap.option(ChannelOption.SO_LINGER, 1);
        try (TestProcess child = TestProcess.start("server", "sink")) {
            UcxSocketChannel channel = TwoProcessTest.connect(peers, child, source, new ReceivedBytes());
            Until.holds(() -> source.accepted() > 1 << 20, () -> "nothing was written");
            child.freeze();
            Until.holds(() -> !channel.isWritable(), () -> "still writable");
            long start = System.nanoTime();
            channel.close().syncUninterruptibly();
            assertTrue(System.nanoTime() - start < 500_000_000, "close() itself must not wait");
            Until.holds(() -> clientLoops.figures().connections() == 0, () -> "still lingering");
            assertTrue(System.nanoTime() - start < 5_000_000_000L, "the linger time is 1 s");
            clientLoops.assertAsleep();
            // Only now can its death be known: UCX's memory must come back without any channel.
            child.kill();
            clientLoops.awaitIdle(0);
        }
        clientLoops.awaitNoLinks();
    }

    /** The event loop's shutdown is not held up. */
    @Test
    void shutdownIsBounded() throws Exception {
        StreamSource source = new StreamSource(Long.MAX_VALUE);
        try (TestProcess child = TestProcess.start("server", "sink")) {
            TwoProcessTest.connect(peers, child, source, new ReceivedBytes());
            Until.holds(() -> source.accepted() > 1 << 20, () -> "nothing was written");
            child.freeze();
            Until.holds(source::isBlocked, () -> "still writable");
            long start = System.nanoTime();
            clientLoops.group().shutdownGracefully(0, 30, TimeUnit.SECONDS).syncUninterruptibly();
            long millis = (System.nanoTime() - start) / 1_000_000;
            System.out.println("FIGURES shut down in " + millis + " ms while a peer was stopped");
            assertTrue(millis < 8000, "shut down in " + millis + " ms");
        }
    }
}
