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

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What can be seen of channels and event loops from outside: counters, and events of JFR. */
class ObservabilityTest {
    private static final int WINDOW = 64 * 1024;
    private static final int BYTES = 1_000_000;
    private static final long STALL_NANOS = 3_000_000;

    @TempDir
    private Path directory;
    private final TestPeers peers = new TestPeers();

    @AfterEach
    void tearDown() {
        peers.close();
    }

    private static ByteBuf bytes(UcxSocketChannel channel) {
        return TestBytes.write(channel.alloc().directBuffer(BYTES), 0, BYTES);
    }

    /** Sends BYTES to a peer that does not read at first, for STALL_NANOS at least. */
    private UcxSocketChannel stall() throws Exception {
        ReceivedBytes received = new ReceivedBytes();
        peers.serverBootstrap.childOption(ChannelOption.SO_RCVBUF, WINDOW).childOption(ChannelOption.AUTO_READ, false);
        peers.listen(() -> received);
        UcxSocketChannel client = peers.connect(new ReceivedBytes());
        assertEquals(new UcxChannelCounters(0, 0, 0, 0, 0, 0, 0), client.counters());
        ChannelFuture written = client.writeAndFlush(bytes(client));
        Until.holds("a stall", () -> client.counters().creditStalls() == 1);
        long start = System.nanoTime();
        Until.holds("a while", () -> System.nanoTime() - start > STALL_NANOS);
        assertEquals(WINDOW, client.counters().sentBytes());
        assertEquals(0, client.counters().creditStallNanos());
        peers.accepted().config().setAutoRead(true);
        Until.done(written);
        received.await(BYTES);
        return client;
    }

    @Test
    void channelCounters() throws Exception {
        UcxSocketChannel client = stall();
        UcxChannelCounters sender = client.counters();
        assertEquals(BYTES, sender.sentBytes());
        // At most half a window each.
        assertTrue(sender.sentMessages() >= BYTES / (WINDOW / 2), sender.toString());
        assertTrue(sender.creditStallNanos() > STALL_NANOS, sender.toString());
        assertEquals(0, sender.receivedBytes());
    }

    @Test
    void countersOfTheReceiver() throws Exception {
        ReceivedBytes received = new ReceivedBytes();
        peers.listen(() -> received);
        UcxSocketChannel client = peers.connect(new ReceivedBytes());
        client.writeAndFlush(bytes(client));
        received.await(BYTES);
        UcxSocketChannel server = peers.accepted();
        Until.turn(server);
        UcxChannelCounters counters = server.counters();
        assertEquals(BYTES, counters.receivedBytes());
        assertEquals(BYTES, counters.readBytes());
        assertEquals(client.counters().sentMessages(), counters.receivedMessages());
        assertEquals(0, counters.sentBytes());
        Until.done(client.close());
        assertEquals(BYTES, client.counters().sentBytes());
    }

    @Test
    void loopCounters() throws Exception {
        peers.listen(EchoTest.EchoHandler::new);
        ReceivedBytes received = new ReceivedBytes();
        UcxSocketChannel client = peers.connect(received);
        String thread = Until.onLoop(client.eventLoop(), () -> Thread.currentThread().getName());
        client.writeAndFlush(bytes(client));
        received.await(BYTES);
        // Totals are up to date when the loop has nothing to do.
        Until.holds("one connection and one link", () -> {
            UcxLoopCounters loop = of(thread);
            return loop.connections() == 1 && loop.links() == 1 && loop.events() > 1 && loop.spins() > 0 &&
                    loop.spins() >= loop.spinsInVain() && loop.sleeps() > 0;
        });
        long sleeps = of(thread).sleeps();
        Until.onLoop(client.eventLoop(), () -> null);
        Until.holds("it sleeps again", () -> of(thread).sleeps() > sleeps);
        Until.done(client.close());
        Until.holds("nothing is left", () -> of(thread).connections() == 0);
        Until.done(peers.clientGroup.shutdownGracefully(0, 10, TimeUnit.SECONDS));
        assertTrue(UcxIoHandler.counters().stream().noneMatch(loop -> loop.thread().equals(thread)));
    }

    private static UcxLoopCounters of(String thread) {
        return UcxIoHandler.counters().stream().filter(loop -> loop.thread().equals(thread)).findAny().orElseThrow();
    }

    @Test
    void events() throws Exception {
        InetSocketAddress nobody;
        try (ServerSocket closed = new ServerSocket(0)) {
            nobody = new InetSocketAddress("127.0.0.1", closed.getLocalPort());
        }
        List<RecordedEvent> events;
        String transports;
        try (Recording recording = new Recording()) {
            recording.enable("org.nettyucx.EventLoop").with("period", "everyChunk");
            recording.start();
            UcxSocketChannel client = stall();
            transports = String.join(", ", client.transports());
            Until.failed(peers.clientBootstrap.clone().handler(new ReceivedBytes()).connect(nobody));
            Until.done(client.close());
            LoopState.awaitNoConnections(client, 0);
            recording.stop();
            Path file = directory.resolve("events.jfr");
            recording.dump(file);
            events = RecordingFile.readAllEvents(file);
        }
        RecordedEvent connect = only(events, "Connect", "failure", null);
        assertEquals(transports, connect.getString("transports"));
        assertTrue(connect.getDuration("nanos").toNanos() > 0);
        assertTrue(connect.getString("remote").endsWith(":" + peers.address().getPort()), connect.toString());
        RecordedEvent failed = only(events, "Connect", "remote", nobody.toString());
        assertTrue(failed.getString("failure").contains("Connection refused"), failed.toString());
        RecordedEvent accept = only(events, "Accept", "failure", null);
        assertEquals(connect.getString("local"), accept.getString("remote"));
        RecordedEvent close = only(events, "Close", "channel", connect.getString("channel"));
        assertEquals("closed by both sides", close.getString("reason"));
        assertEquals(BYTES, close.getLong("sentBytes"));
        RecordedEvent stall = events.stream().filter(event -> isOf(event, "CreditStall")).findFirst().orElseThrow();
        assertEquals(connect.getString("channel"), stall.getString("channel"));
        assertTrue(stall.getDuration("nanos").toNanos() > STALL_NANOS, stall.toString());
        assertFalse(events.stream().filter(event -> isOf(event, "EventLoop") && event.getLong("events") > 0 &&
                event.getLong("sleeps") > 0).findAny().isEmpty(), events.toString());
    }

    @Test
    void reasonOfAReset() throws Exception {
        List<RecordedEvent> events;
        try (Recording recording = new Recording()) {
            recording.start();
            peers.listen(ReceivedBytes::new);
            UcxSocketChannel client = peers.connect(new ReceivedBytes());
            client.config().setSoLinger(0);
            Until.done(client.close());
            UcxSocketChannel server = peers.accepted();
            TestPeers.awaitClosed(server);
            LoopState.awaitNoConnections(server, 1);
            recording.stop();
            Path file = directory.resolve("events.jfr");
            recording.dump(file);
            events = RecordingFile.readAllEvents(file);
        }
        only(events, "Close", "reason", "reset: it was aborted");
        only(events, "Close", "reason", "reset by the peer: it was aborted");
    }

    private static boolean isOf(RecordedEvent event, String name) {
        return event.getEventType().getName().equals("org.nettyucx." + name);
    }

    private static RecordedEvent only(List<RecordedEvent> events, String name, String field, String value) {
        List<RecordedEvent> found = events.stream().filter(event -> isOf(event, name) && (value == null
                ? event.getValue(field) == null : value.equals(event.getString(field)))).toList();
        assertEquals(1, found.size(), name + ' ' + field + '=' + value + ": " + found);
        return found.get(0);
    }
}
