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

import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nettyucx.Survivor.Activity;

import java.io.IOException;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The peer's process is killed, running or stopped: what the survivor sees, and that it keeps nothing. */
class KillTest {
    /** A dead peer must be noticed in this time. */
    private static final long NOTICED_MILLIS = 1000;
    private static final int NEXT_BYTES = 3_000_000;

    private final ProbedLoops serverLoops = new ProbedLoops(1);
    private final ProbedLoops clientLoops = new ProbedLoops(1);
    private final TestPeers peers = new TestPeers(serverLoops.group(), clientLoops.group());

    @AfterEach
    void closePeers() {
        peers.close();
    }

    static Stream<Arguments> deaths() {
        return Stream.of(Activity.values()).flatMap(activity -> Stream.of(Arguments.of(activity, false),
                Arguments.of(activity, true)));
    }

    @ParameterizedTest
    @MethodSource("deaths")
    void serverKilled(Activity activity, boolean stopped) throws Exception {
        Survivor survivor = new Survivor(activity, Long.MAX_VALUE);
        peers.listen(EchoTest.EchoHandler::new);
        try (TestProcess child = survivor.start("server")) {
            UcxSocketChannel channel = TwoProcessTest.connect(peers, child, survivor.initializer());
            killed(child, stopped, channel, survivor, clientLoops, 0);
        }
        clientLoops.awaitIdle(0);
        clientLoops.awaitNoLinks();
        othersAreServed();
    }

    @ParameterizedTest
    @MethodSource("deaths")
    void clientKilled(Activity activity, boolean stopped) throws Exception {
        clientKilled(TestProcess.small(), activity, stopped);
    }

    /** The peer, which may have other settings, has this side receive by rendezvous. */
    @RepeatedTest(5)
    void senderKilledInARendezvous() throws Exception {
        clientKilled(TestProcess.small().environment("UCX_RNDV_THRESH", "1k"), Activity.RECEIVING, false);
    }

    private void clientKilled(TestProcess.Builder builder, Activity activity, boolean stopped) throws Exception {
        Survivor survivor = new Survivor(activity, Long.MAX_VALUE);
        AtomicBoolean first = new AtomicBoolean(true);
        peers.listen(() -> first.getAndSet(false) ? survivor.initializer() : new EchoTest.EchoHandler());
        try (TestProcess child = survivor.start(builder, "client", peers.address().getPort())) {
            killed(child, stopped, peers.accepted(), survivor, serverLoops, 1);
        }
        serverLoops.awaitIdle(1);
        serverLoops.awaitNoLinks();
        othersAreServed();
    }

    /** Kills a process that runs, or one that was stopped before. */
    private static long kill(TestProcess child, boolean stopped) throws Exception {
        if (stopped) {
            child.freeze();
        }
        long start = System.nanoTime();
        child.kill();
        return start;
    }

    private static void killed(TestProcess child, boolean stopped, UcxSocketChannel channel, Survivor survivor,
                               ProbedLoops loops, int registrations) throws Exception {
        Activity activity = survivor.activity;
        ReceivedBytes received = survivor.received;
        survivor.awaitActivity(channel);
        long start = kill(child, stopped);
        if (activity.reads()) {
            received.awaitInactive();
        }
        switch (activity) {
            case CLOSED:
                // The user has heard of the end before; what lingers must not linger on.
                loops.awaitIdle(registrations);
                break;
            case RECEIVING_PAUSED:
            case CLOSED_BY_PEER:
                // What was staged is still to be read; the end is heard of only after it.
                Until.holds(() -> channel.connection().state().isFinished(), () -> "the death was not noticed");
                break;
            default:
                break;
        }
        assertNoticed(activity + (stopped ? ", stopped before" : ""), start);
        if (!activity.reads()) {
            assertTrue(channel.isActive());
            assertTrue(received.exceptions().isEmpty());
            long staged = Until.onLoop(channel.eventLoop(), () -> channel.connection().inbound().received());
            channel.config().setAutoRead(true);
            received.awaitInactive();
            assertEquals(staged, received.count());
        }
        TestPeers.awaitClosed(channel);
        if (activity == Activity.CLOSED_BY_PEER || activity == Activity.HALF_CLOSED_BY_PEER) {
            assertEquals(Survivor.CLOSED_BYTES, received.count());
        }
        if (activity == Activity.CLOSED || activity == Activity.CLOSED_BY_PEER ||
            activity == Activity.HALF_CLOSED_BY_PEER) {
            // The peer's end of the stream, or this side's, was orderly.
            assertEquals(List.of(), received.exceptions());
        } else {
            assertEquals(1, received.exceptions().size(), received.exceptions().toString());
            assertReset(received.exceptions().get(0));
        }
        if (activity.sends()) {
            assertReset(Until.failed(survivor.source.written()));
        }
    }

    private static void assertReset(Throwable cause) {
        assertInstanceOf(IOException.class, cause);
        assertTrue(cause.getMessage().contains("Connection reset by peer"), cause.toString());
    }

    private static void assertNoticed(String what, long start) {
        long millis = (System.nanoTime() - start) / 1_000_000;
        System.out.println("FIGURES " + what + ": death noticed after " + millis + " ms");
        assertTrue(millis < NOTICED_MILLIS, "noticed after " + millis + " ms");
    }

    /** The survivor's loop still serves others. */
    private void othersAreServed() throws Exception {
        ReceivedBytes received = new ReceivedBytes();
        UcxSocketChannel channel = peers.connect(received);
        channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(NEXT_BYTES), 0, NEXT_BYTES));
        received.await(NEXT_BYTES);
        Until.done(channel.close());
        serverLoops.awaitIdle(1);
        clientLoops.awaitIdle(0);
    }

    // ---- in the handshake

    /** A child that only connected by TCP, one that sent a part of HELLO, and one whose HELLO was the last it did. */
    @ParameterizedTest
    @CsvSource({"connect,false", "part,false", "hello,false", "connect,true", "part,true", "hello,true"})
    void clientKilledInTheHandshake(String stage, boolean stopped) throws Exception {
        peers.listen(EchoTest.EchoHandler::new);
        try (TestProcess child = TestProcess.builder().start(HandshakeMain.class, stage,
                peers.address().getPort())) {
            child.await("waiting");
            if (stage.equals("hello")) {
                Until.holds(() -> serverLoops.figures().links() == 1, () -> "HELLO made no link");
            } else {
                // The TCP server and the accepted TCP connection.
                Until.holds(() -> serverLoops.figures().registrations() == 2, () -> "nothing was accepted");
            }
            long start = kill(child, stopped);
            serverLoops.awaitIdle(1);
            assertNoticed("handshake of a client, " + stage, start);
            // UCX may be in the middle of its own handshake with the dead process: the link has a grace time.
            serverLoops.awaitNoLinks();
        }
        assertFalse(peers.hasAccepted());
        othersAreServed();
    }

    /** The client is gone before its HELLO is read: nobody ever answers UCX's first message. */
    @Test
    void clientKilledBeforeItsHelloIsRead() throws Exception {
        peers.listen(EchoTest.EchoHandler::new);
        byte[] hello;
        try (TestProcess child = TestProcess.builder().start(HandshakeMain.class, "print", peers.address().getPort())) {
            hello = ByteBufUtil.decodeHexDump(child.await("hello"));
            child.kill();
        }
        serverLoops.awaitIdle(1);
        try (Socket socket = new Socket(peers.address().getAddress(), peers.address().getPort())) {
            socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(TestPeers.TIMEOUT_SECONDS));
            socket.getOutputStream().write(hello);
            // The link is made by the time of the answer; over tcp it fails soon.
            assertEquals(ControlCodec.MAGIC[0], socket.getInputStream().read());
        }
        serverLoops.awaitIdle(1);
        serverLoops.awaitNoLinks();
        assertFalse(peers.hasAccepted());
        othersAreServed();
    }

    /** A server that accepts, reads and says nothing, and one that answers HELLO; then it is killed. */
    @ParameterizedTest
    @CsvSource({"silent,false", "answer,false", "silent,true", "answer,true"})
    void serverKilledInTheHandshake(String stage, boolean stopped) throws Exception {
        peers.listen(EchoTest.EchoHandler::new);
        try (TestProcess child = TestProcess.builder().start(HandshakeMain.class, stage)) {
            ChannelFuture connect = peers.clientBootstrap.clone().handler(new ReceivedBytes())
                    .connect("127.0.0.1", child.awaitNumber("port"));
            child.await("waiting");
            if (stage.equals("answer")) {
                Until.holds(() -> clientLoops.figures().links() == 1, () -> "HELLO made no link");
            }
            assertFalse(connect.isDone());
            long start = kill(child, stopped);
            assertInstanceOf(IOException.class, Until.failed(connect));
            assertNoticed("handshake of a server, " + stage, start);
        }
        clientLoops.awaitIdle(0);
        clientLoops.awaitNoLinks();
        othersAreServed();
    }
}
