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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The bytes between two processes really go over the RDMA device that the environment names, whatever UCX says. Only
 * for a device of the kernel's rdma_rxe that nobody else uses, see tools/rdma-vm.sh.
 */
@EnabledIfEnvironmentVariable(named = RdmaTest.DEVICE, matches = ".+")
class RdmaTest {
    static final String DEVICE = "NETTY_UCX_RDMA_DEVICE";

    /** Of each direction. */
    private static final int PAYLOAD = 16 << 20;
    private static final int CONNECTIONS = 200;
    /** The most that fits into an RDMA packet. */
    private static final int LARGEST_PACKET = 4096;
    /** For the handshake, FIN and FIN_ACK, and what TCP and IP add. */
    private static final long LARGEST_BOOTSTRAP = 16 * 1024;

    private static long packets(String counter) throws IOException {
        return Long.parseLong(Files.readString(Path.of("/sys/class/infiniband", System.getenv(DEVICE),
                "ports/1/hw_counters", counter)).trim());
    }

    /** What all network interfaces, the loopback one too, have sent up to now. */
    private static long networkBytes() throws IOException {
        long bytes = 0;
        for (String line : Files.readAllLines(Path.of("/proc/self/net/dev"))) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                bytes += Long.parseLong(line.substring(colon + 1).trim().split("\\s+")[8]);
            }
        }
        return bytes;
    }

    private static void assertTransports(List<String> transports) {
        String device = '/' + System.getenv(DEVICE) + ":1";
        // UCX's own words: rc_v is rc_verbs with ud_verbs as its helper.
        String wanted = System.getenv("UCX_TLS").startsWith("rc") ? "rc_verbs" : "ud_verbs";
        assertEquals(wanted + device, transports.get(0));
        assertTrue(transports.stream().allMatch(name -> name.endsWith(device)), transports.toString());
    }

    @Test
    void bytesGoOverTheDevice() throws Exception {
        long sentBefore = packets("sent_pkts");
        long receivedBefore = packets("rcvd_pkts");
        long networkBefore = networkBytes();
        long start = System.nanoTime();
        try (TestProcess server = TestProcess.start("server", "echo"); TestPeers peers = new TestPeers()) {
            ReceivedBytes received = new ReceivedBytes();
            UcxSocketChannel channel = TwoProcessTest.connect(peers, server, new StreamSource(PAYLOAD), received);
            start = System.nanoTime();
            received.await(PAYLOAD);
            assertTransports(channel.transports());
            assertTransports(List.of(server.await("active").split(" ")));
            channel.close().syncUninterruptibly();
            server.await("inactive");
            server.exit();
        }
        long millis = (System.nanoTime() - start) / 1_000_000;
        long sent = packets("sent_pkts") - sentBefore;
        long received = packets("rcvd_pkts") - receivedBefore;
        long network = networkBytes() - networkBefore;
        System.out.println("FIGURES " + PAYLOAD + " bytes there and back in " + millis + " ms: " + sent +
                " packets sent, " + received + " received by the device, " + network + " bytes over the network");
        // Both processes use this device: it has sent and received what went there as well as what came back.
        assertTrue(sent >= 2 * PAYLOAD / LARGEST_PACKET, sent + " packets sent");
        assertTrue(received >= 2 * PAYLOAD / LARGEST_PACKET, received + " packets received");
        assertTrue(network < LARGEST_BOOTSTRAP, network + " bytes over the network");
    }

    /** Connects, a few bytes there and back, and the end, again and again. */
    @Test
    void manyConnections() throws Exception {
        ProbedLoops loops = new ProbedLoops(1);
        long packetsBefore = packets("sent_pkts");
        try (TestProcess server = TestProcess.start("server", "echo")) {
            InetSocketAddress address = new InetSocketAddress("127.0.0.1", server.awaitNumber("port"));
            Until.done(Churn.start(loops.group(), address, CONNECTIONS, 8));
            loops.awaitIdle(0);
            assertEquals(1, loops.figures().links());
            loops.group().shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
            server.exit();
        } finally {
            loops.group().shutdownGracefully(0, 0, TimeUnit.SECONDS);
        }
        long packets = packets("sent_pkts") - packetsBefore;
        assertTrue(packets >= 4 * CONNECTIONS, packets + " packets for READY and data of both sides");
    }
}
