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
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * What a server makes of peers that are none: nothing. They never become a channel, nothing of them is left, and
 * ordinary clients are served.
 */
class AcceptTest {
    private TestPeers peers;

    @BeforeEach
    void setUp() {
        peers = new TestPeers();
        // A test that forgets to end what it began must not be saved by the default.
        handshakeTimeout(3_600_000);
    }

    @AfterEach
    void tearDown() {
        peers.close();
    }

    private void handshakeTimeout(int millis) {
        peers.serverBootstrap.option(UcxChannelOption.HANDSHAKE_TIMEOUT_MILLIS, millis);
    }

    private void listen() {
        peers.listen(EchoTest.EchoHandler::new);
    }

    private Socket stranger(byte[] bytes) throws IOException {
        Socket socket = new Socket(peers.address().getAddress(), peers.address().getPort());
        socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(TestPeers.TIMEOUT_SECONDS));
        socket.setTcpNoDelay(true);
        socket.getOutputStream().write(bytes);
        return socket;
    }

    /** Reads to the end; a reset is an end, too, since the server does not read what it does not want. */
    private static byte[] readToEnd(Socket socket) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        InputStream in = socket.getInputStream();
        byte[] buffer = new byte[4096];
        try {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                all.write(buffer, 0, read);
            }
        } catch (SocketException reset) {
            // The end.
        }
        return all.toByteArray();
    }

    /** Nothing of a stranger is left, and the server works. */
    private void assertUnharmed() throws Exception {
        LoopState.await(peers.server(), LoopState.REGISTRATIONS_OF_CHANNEL, 0, 0);
        assertFalse(peers.hasAccepted());
        assertServes();
    }

    private void assertServes() throws Exception {
        peers.assertServes();
        assertFalse(peers.hasAccepted());
    }

    // ---- strangers

    private static byte[] handshake(int version, int type, long length, byte[] body) {
        ByteBuf buffer = Unpooled.buffer().writeBytes(ControlCodec.MAGIC).writeShort(version).writeShort(type)
                .writeInt((int) length).writeBytes(body);
        return ScriptedPeer.bytes(buffer);
    }

    /** A HELLO with fields of the caller's choice. */
    private static byte[] hello(int connector, int addressLength, long channel, long window, int segment,
                                byte[] address) {
        ByteBuf body = Unpooled.buffer().writeByte(connector).writeByte(0).writeShort(addressLength).writeInt(0)
                .writeLong(channel).writeLong(window).writeLong(1).writeLong(2).writeInt(0x010d01).writeInt(segment)
                .writeInt(segment).writeBytes(address);
        byte[] bytes = ScriptedPeer.bytes(body);
        return handshake(1, ControlCodec.HELLO, bytes.length, bytes);
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    /** A worker address whose version is right or wrong, and with nothing behind it that UCX should ever see. */
    private static byte[] address(int version) {
        byte[] address = new byte[64];
        address[0] = (byte) (0x30 | version);
        return address;
    }

    static Stream<Arguments> strangers() {
        byte[] clientHello = new byte[200];
        System.arraycopy(new byte[] {0x16, 3, 1, 0, (byte) 195, 1, 0, 0, (byte) 191, 3, 3}, 0, clientHello, 0, 11);
        byte[] ucxHeader = new byte[16];
        ucxHeader[0] = 112;
        List<Arguments> all = new ArrayList<>(List.of(
                Arguments.of("HTTP", "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII)),
                Arguments.of("TLS", clientHello),
                Arguments.of("one random byte", random(1)),
                Arguments.of("random bytes", random(100_000)),
                Arguments.of("zeros", new byte[50_000]),
                Arguments.of("UCX's own connection header", ucxHeader),
                Arguments.of("wrong magic at its end", "NettyUCY".getBytes(StandardCharsets.US_ASCII)),
                Arguments.of("empty HELLO", handshake(1, 1, 0, new byte[0])),
                Arguments.of("short HELLO", handshake(1, 1, 51, new byte[51])),
                Arguments.of("longer than allowed", handshake(1, 1, Hello.MAX_LENGTH + 1, new byte[0])),
                Arguments.of("huge HELLO", handshake(1, 1, 0xffff_ffffL, new byte[0])),
                Arguments.of("negative length", handshake(1, 1, 0x8000_0000L, new byte[100])),
                Arguments.of("type 0", handshake(1, 0, 0, new byte[0])),
                Arguments.of("type 7", handshake(1, 7, 0, new byte[0])),
                Arguments.of("REFUSE", handshake(1, 2, 8, new byte[8])),
                Arguments.of("empty REFUSE", handshake(1, 2, 0, new byte[0])),
                Arguments.of("huge REFUSE", handshake(1, 2, 0xffff_ffffL, new byte[0])),
                Arguments.of("channel 0", hello(1, 64, 0, 65536, 0, address(0))),
                Arguments.of("window 0", hello(1, 64, 1, 0, 0, address(0))),
                Arguments.of("window too small", hello(1, 64, 1, 4095, 0, address(0))),
                Arguments.of("window too large", hello(1, 64, 1, (1L << 30) + 1, 0, address(0))),
                Arguments.of("negative window", hello(1, 64, 1, -1, 0, address(0))),
                Arguments.of("negative segment", hello(1, 64, 1, 65536, -1, address(0))),
                Arguments.of("no address", hello(1, 0, 1, 65536, 0, new byte[0])),
                Arguments.of("tiny address", hello(1, 7, 1, 65536, 0, new byte[7])),
                Arguments.of("address longer than HELLO", hello(1, 65, 1, 65536, 0, address(0))),
                Arguments.of("address too long", hello(1, 16 * 1024 + 1, 1, 65536, 0, new byte[16 * 1024 + 1])),
                Arguments.of("address of 65535 bytes", hello(1, 65_535, 1, 65536, 0, address(0)))));
        for (int version = 2; version < 16; version++) {
            all.add(Arguments.of("address version " + version, hello(1, 64, 1, 65536, 0, address(version))));
        }
        return all.stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("strangers")
    void strangerIsClosedAtOnceWithoutAnAnswer(String name, byte[] bytes) throws Exception {
        listen();
        try (Socket socket = stranger(new byte[0])) {
            try {
                socket.getOutputStream().write(bytes);
            } catch (SocketException e) {
                // It was closed while it was still talking.
            }
            assertArrayEquals(new byte[0], readToEnd(socket));
        }
        assertUnharmed();
    }

    @Test
    void portScan() throws Exception {
        listen();
        for (int i = 0; i < 50; i++) {
            stranger(new byte[0]).close();
        }
        for (int i = 0; i < 50; i++) {
            try (Socket socket = stranger(new byte[0])) {
                socket.setSoLinger(true, 0);
            }
        }
        assertUnharmed();
    }

    /** Cut off at every place that matters. */
    @ParameterizedTest
    @ValueSource(ints = {1, 8, 9, 15, 16, 17, 67, 68, 69, 100})
    void truncatedHelloAndClose(int length) throws Exception {
        listen();
        try (ScriptedPeer peer = ScriptedPeer.connect(peers.address())) {
            peer.tcp(Arrays.copyOf(ScriptedPeer.encoded(peer.hello()), length));
            peer.closeTcp();
        }
        assertUnharmed();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void helloAndCloseAtOnce(boolean reset) throws Exception {
        listen();
        for (int i = 0; i < 20; i++) {
            try (ScriptedPeer peer = ScriptedPeer.connect(peers.address())) {
                peer.tcp(ScriptedPeer.encoded(peer.hello()));
                if (reset) {
                    peer.resetTcp();
                } else {
                    peer.closeTcp();
                }
            }
        }
        assertUnharmed();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 40})
    void silence(int length) throws Exception {
        handshakeTimeout(300);
        listen();
        try (ScriptedPeer peer = ScriptedPeer.connect(peers.address())) {
            peer.tcp(Arrays.copyOf(ScriptedPeer.encoded(peer.hello()), length));
            peer.awaitEnd();
            assertFalse(peer.hasHello() || peer.hasRefusal());
        }
        assertUnharmed();
    }

    /** The time counts from the accept: bytes that trickle in do not prolong it. */
    @Test
    void slowHello() throws Exception {
        handshakeTimeout(300);
        listen();
        try (ScriptedPeer peer = ScriptedPeer.connect(peers.address())) {
            byte[] hello = Arrays.copyOf(ScriptedPeer.encoded(peer.hello()), 60);
            long start = System.nanoTime();
            for (int i = 0; i < hello.length && !peer.isEnded(); i++) {
                int next = i;
                peer.tcp(new byte[] {hello[i]});
                peer.await("100 ms", () -> peer.isEnded() ||
                        System.nanoTime() - start > (next + 1) * 100_000_000L);
            }
            assertTrue(peer.isEnded());
        } catch (IOException e) {
            // Closed by the server while a byte was being sent, which is as good.
        }
        assertUnharmed();
    }

    @Test
    void helloWithoutReady() throws Exception {
        handshakeTimeout(500);
        listen();
        try (ScriptedPeer peer = ScriptedPeer.connect(peers.address())) {
            peer.tcp(ScriptedPeer.encoded(peer.hello())).awaitHello();
            peer.awaitEnd();
        }
        assertUnharmed();
    }

    @Test
    void helloByteByByte() throws Exception {
        listen();
        try (ScriptedPeer peer = ScriptedPeer.connect(peers.address())) {
            for (byte next : ScriptedPeer.encoded(peer.hello())) {
                peer.tcp(new byte[] {next});
            }
            peer.awaitHello();
            peer.ready();
            peer.awaitReady();
            peer.await("child", peers::hasAccepted);
            UcxSocketChannel channel = peers.accepted();
            assertTrue(channel.isActive());
        }
    }

    /** Ports that something on this machine listens to. */
    private static Set<Integer> listeningPorts() throws IOException {
        Set<Integer> ports = new HashSet<>();
        for (String table : new String[] {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
            for (String line : Files.readAllLines(Path.of(table))) {
                String[] fields = line.trim().split("\\s+");
                if ("0A".equals(fields[3])) {
                    ports.add(Integer.parseInt(fields[1].substring(fields[1].indexOf(':') + 1), 16));
                }
            }
        }
        return ports;
    }

    /**
     * The peer's UCX does not answer, as behind a firewall that drops what it does not know: only this peer's handshake
     * waits, and not the event loop.
     */
    @Test
    void addressThatDoesNotAnswer() throws Exception {
        handshakeTimeout(2000);
        listen();
        ReceivedBytes received = new ReceivedBytes();
        UcxSocketChannel bystander = peers.connect(received);
        peers.accepted();
        Set<Integer> others = listeningPorts();
        List<SocketChannel> fillers = new ArrayList<>();
        try (ServerSocketChannel full = ServerSocketChannel.open().bind(new InetSocketAddress(0), 1);
             ScriptedPeer peer = ScriptedPeer.connect(peers.address())) {
            int fullPort = ((InetSocketAddress) full.getLocalAddress()).getPort();
            // More than the backlog takes; the kernel drops further ones.
            for (int i = 0; i < 8; i++) {
                SocketChannel filler = SocketChannel.open();
                filler.configureBlocking(false);
                filler.connect(new InetSocketAddress("127.0.0.1", fullPort));
                fillers.add(filler);
            }
            Hello hello = peer.hello();
            byte[] address = hello.address().clone();
            Set<Integer> ports = listeningPorts();
            ports.removeAll(others);
            ports.remove(fullPort);
            int replaced = 0;
            for (int i = 0; i + 1 < address.length; i++) {
                if (ports.contains((address[i] & 0xff) << 8 | address[i + 1] & 0xff)) {
                    address[i] = (byte) (fullPort >> 8);
                    address[i + 1] = (byte) fullPort;
                    replaced++;
                }
            }
            assertTrue(replaced > 0, "no port of UCX in its address");
            peer.tcp(ScriptedPeer.encoded(new Hello(hello.channel(), hello.window(), hello.worker(), 0, 0,
                    hello.ucxVersion(), hello.sentSegment(), hello.receivedSegment(), address)));
            for (int i = 0; i < 20; i++) {
                bystander.writeAndFlush(TestBytes.write(bystander.alloc().buffer(100), i * 100, 100));
                received.await((i + 1) * 100);
            }
            peer.awaitEnd();
        } finally {
            for (SocketChannel filler : fillers) {
                filler.close();
            }
        }
        assertFalse(peers.hasAccepted());
        assertServes();
    }

    // ---- what is refused by name

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 256, 65_535})
    void otherVersionIsRefused(int version) throws Exception {
        listen();
        try (ScriptedPeer peer = ScriptedPeer.connect(peers.address())) {
            // Of another version only the first 16 bytes are known.
            peer.tcp(handshake(version, ControlCodec.HELLO, 5000, random(5000)));
            RefusedException refusal = peer.awaitRefusal();
            assertEquals(Refusal.VERSION, refusal.refusal());
            assertTrue(refusal.getMessage().contains("it speaks protocol versions 1 to 1"), refusal.getMessage());
            assertTrue(refusal.getMessage().contains("protocol version " + version), refusal.getMessage());
            peer.awaitEnd();
        }
        assertUnharmed();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 255})
    void otherConnectorIsRefused(int connector) throws Exception {
        listen();
        try (ScriptedPeer peer = ScriptedPeer.connect(peers.address())) {
            peer.tcp(hello(connector, 64, 1, 65536, 0, address(0)));
            RefusedException refusal = peer.awaitRefusal();
            assertEquals(Refusal.CONNECTOR, refusal.refusal());
            assertTrue(refusal.getMessage().contains("CONNECTOR"), refusal.getMessage());
            peer.awaitEnd();
        }
        assertUnharmed();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void segmentsThatDoNotFitAreRefused(boolean sent) throws Exception {
        listen();
        try (ScriptedPeer peer = ScriptedPeer.connect(peers.address())) {
            Hello hello = peer.hello();
            peer.tcp(ScriptedPeer.encoded(new Hello(hello.channel(), hello.window(), hello.worker(), 0, 0,
                    hello.ucxVersion(), sent ? 1 << 30 : 1024, sent ? 1 << 30 : 1024, hello.address())));
            RefusedException refusal = peer.awaitRefusal();
            assertEquals(Refusal.TCP_SEGMENTS, refusal.refusal());
            assertTrue(refusal.getMessage().contains("UCX_TCP_TX_SEG_SIZE"), refusal.getMessage());
            peer.awaitEnd();
        }
        assertUnharmed();
    }

    // ---- what follows HELLO in the same segment

    @Test
    void resetBehindHello() throws Exception {
        listen();
        try (ScriptedPeer peer = ScriptedPeer.connect(peers.address())) {
            peer.tcp(ScriptedPeer.encoded(peer.hello()), ScriptedPeer.encodedReset(ResetReason.ABORTED, 0));
            peer.awaitEnd();
        }
        assertUnharmed();
    }

    @Test
    void finAckBehindHello() throws Exception {
        listen();
        try (ScriptedPeer peer = ScriptedPeer.connect(peers.address())) {
            peer.tcp(ScriptedPeer.encoded(peer.hello()), ScriptedPeer.encodedFinAck());
            peer.awaitEnd();
        }
        assertUnharmed();
    }

    @Test
    void largeControlMessageBehindHello() throws Exception {
        listen();
        try (ScriptedPeer peer = ScriptedPeer.connect(peers.address())) {
            peer.tcp(ScriptedPeer.encoded(peer.hello()), ScriptedPeer.encodedControl(200, 1025));
            peer.awaitEnd();
        }
        assertUnharmed();
    }

    @Test
    void secondHelloBehindHello() throws Exception {
        listen();
        try (ScriptedPeer peer = ScriptedPeer.connect(peers.address())) {
            byte[] hello = ScriptedPeer.encoded(peer.hello());
            // As a control message 'N' of a length of two ASCII letters, which is too large.
            peer.tcp(hello, hello);
            peer.awaitEnd();
        }
        assertUnharmed();
    }

    @Test
    void manyBytesBehindHello() throws Exception {
        listen();
        try (ScriptedPeer peer = ScriptedPeer.connect(peers.address())) {
            byte[] unknown = ScriptedPeer.encodedControl(200, 1000);
            peer.tcp(ScriptedPeer.encoded(peer.hello()), unknown, unknown, unknown, unknown, unknown);
            peer.awaitHello();
            peer.ready();
            peer.awaitReady();
            peer.await("child", peers::hasAccepted);
            assertTrue(peers.accepted().isActive());
            peer.tcp(ScriptedPeer.encodedFin(0));
            peer.awaitControl(ControlCodec.FIN_ACK);
        }
    }

    @Test
    void finBehindHello() throws Exception {
        listen();
        try (ScriptedPeer peer = ScriptedPeer.connect(peers.address())) {
            peer.tcp(ScriptedPeer.encoded(peer.hello()), ScriptedPeer.encodedFin(0)).awaitHello();
            peer.ready();
            peer.await("child", peers::hasAccepted);
            TestPeers.awaitClosed(peers.accepted());
            peer.awaitControl(ControlCodec.FIN_ACK);
            peer.awaitControl(ControlCodec.FIN);
        }
    }

    // ---- limits

    @Test
    void silentPeersUseUpTheLimitUntilTheyGo() throws Exception {
        peers.serverBootstrap.option(UcxChannelOption.MAX_PENDING_HANDSHAKES, 2);
        listen();
        Socket first = stranger(new byte[0]);
        Socket second = stranger(new byte[0]);
        LoopState.await(peers.server(), LoopState.REGISTRATIONS_OF_CHANNEL + 2, 0, 0);
        ChannelFuture third = peers.connectLater(new ReceivedBytes());
        assertFalse(third.await(300));
        // Not even accepted.
        LoopState.await(peers.server(), LoopState.REGISTRATIONS_OF_CHANNEL + 2, 0, 0);
        first.close();
        third.sync();
        peers.accepted();
        assertServes();
        second.close();
        third.channel().close().sync();
        LoopState.awaitNoConnections(peers.server(), LoopState.REGISTRATIONS_OF_CHANNEL);
    }

    @Test
    void limitHoldsForManyAtOnce() throws Exception {
        peers.serverBootstrap.option(UcxChannelOption.MAX_PENDING_HANDSHAKES, 3);
        listen();
        List<Socket> strangers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            strangers.add(stranger(new byte[0]));
        }
        for (int i = 20; i > 0; i--) {
            LoopState.await(peers.server(), LoopState.REGISTRATIONS_OF_CHANNEL + Math.min(i, 3), 0, 0);
            strangers.remove(0).close();
        }
        assertUnharmed();
    }

    /** A read() is for a channel: strangers do not use it up. */
    @Test
    void strangersDoNotUseUpRead() throws Exception {
        peers.serverBootstrap.option(ChannelOption.AUTO_READ, false);
        listen();
        peers.server().read();
        try (Socket scan = stranger(new byte[0])) {
            scan.getOutputStream().write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            readToEnd(scan);
        }
        stranger(new byte[0]).close();
        assertServes();
    }

    @Test
    void serverThatDoesNotReadAcceptsNothing() throws Exception {
        peers.serverBootstrap.option(ChannelOption.AUTO_READ, false);
        listen();
        ChannelFuture first = peers.connectLater(new ReceivedBytes());
        ChannelFuture second = peers.connectLater(new ReceivedBytes());
        assertFalse(first.await(200) || second.isDone());
        assertFalse(peers.hasAccepted());
        peers.server().read();
        peers.accepted();
        assertFalse(first.isDone() && second.await(200) && first.isDone() && second.isDone());
        assertFalse(peers.hasAccepted());
        peers.server().config().setAutoRead(true);
        first.sync();
        second.sync();
        peers.accepted();
        assertServes();
        peers.server().eventLoop().submit(() -> peers.server().config().setAutoRead(false)).sync();
        // At most what was being accepted when autoRead was turned off still comes.
        List<ChannelFuture> more = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            more.add(peers.connectLater(new ReceivedBytes()));
        }
        assertFalse(more.get(2).await(200));
        peers.server().config().setAutoRead(true);
        for (ChannelFuture future : more) {
            future.sync();
        }
    }

    /** As on a server that stops reading while it has enough connections: its next client waits, and for long. */
    @Test
    void timeUntilReadDoesNotCount() throws Exception {
        handshakeTimeout(500);
        listen();
        peers.server().eventLoop().submit(() -> peers.server().config().setAutoRead(false)).sync();
        // The TCP server had been told to read before.
        ChannelFuture client = peers.connectLater(new ReceivedBytes());
        Until.holds("it has said HELLO", () ->
                Until.onLoop(peers.server().eventLoop(), () -> peers.server().acceptedCount()) == 1);
        assertFalse(client.await(700));
        peers.server().config().setAutoRead(true);
        Until.done(client);
        peers.accepted();
    }

    // ---- the end of the server

    @Test
    void serverIsClosedWithPendingHandshakes() throws Exception {
        listen();
        Socket silent = stranger(new byte[0]);
        UcxSocketChannel bystander = peers.connect(new ReceivedBytes());
        peers.accepted();
        try (ScriptedPeer half = ScriptedPeer.connect(peers.address());
             ScriptedPeer withoutReady = ScriptedPeer.connect(peers.address())) {
            half.tcp(Arrays.copyOf(ScriptedPeer.encoded(half.hello()), 30));
            withoutReady.tcp(ScriptedPeer.encoded(withoutReady.hello())).awaitHello();
            LoopState.awaitRegistrations(peers.server(), LoopState.REGISTRATIONS_OF_CHANNEL + 2 +
                    2 * LoopState.REGISTRATIONS_OF_CHANNEL);
            UcxIoHandler handler = peers.server().handler();
            peers.server().close().sync();
            assertArrayEquals(new byte[0], readToEnd(silent));
            half.awaitEnd();
            assertFalse(half.hasHello());
            // This one is a child already and not the server's any more.
            withoutReady.ready();
            withoutReady.await("child", peers::hasAccepted);
            peers.accepted();
            withoutReady.closeTcp();
            bystander.close().sync();
            LoopState.await(peers.server().eventLoop(), handler, 0, 0, LoopState.ANY);
        }
        assertThrows(IOException.class, () -> stranger(new byte[0]));
    }

    /** They said HELLO, and more, and wait for a read() that never comes. */
    @Test
    void serverIsClosedWithQueuedChildren() throws Exception {
        peers.serverBootstrap.option(ChannelOption.AUTO_READ, false);
        listen();
        // One read() brings one channel; the others are queued because autoRead is off when they have said HELLO.
        List<ScriptedPeer> queued = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            queued.add(ScriptedPeer.connect(peers.address()));
        }
        peers.server().config().setAutoRead(true);
        LoopState.await(peers.server(), LoopState.REGISTRATIONS_OF_CHANNEL + 5, 0, 0);
        peers.server().eventLoop().submit(() -> peers.server().config().setAutoRead(false)).sync();
        for (ScriptedPeer peer : queued) {
            peer.tcp(ScriptedPeer.encoded(peer.hello()), ScriptedPeer.encodedControl(200, 500),
                    ScriptedPeer.encodedFin(0));
        }
        LoopState.await(peers.server(), LoopState.REGISTRATIONS_OF_CHANNEL, 0, 0);
        peers.server().close().sync();
        for (ScriptedPeer peer : queued) {
            peer.awaitEnd();
            assertFalse(peer.hasHello() || peer.hasRefusal());
            peer.close();
        }
        assertFalse(peers.hasAccepted());
        // Leaked buffers are reported when they were collected and another one is allocated.
        LoopState.reportLeaks();
    }
}
