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
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A process that has no file descriptors left, which UCX would not survive: it serves those that it has, refuses others
 * or lets them wait, does not spin, and recovers.
 */
class FewDescriptorsTest {
    /** Beyond what the server has when nobody is connected, which depends on its class path. */
    private static final int DESCRIPTORS = 48;
    private static final int CONNECTS = 200;
    private static final int CONNECT_MILLIS = 4_000;
    private static final int BYTES = 200_000;
    private static final int NEW_LOOPS = 8;

    private static long limit;

    @BeforeAll
    static void measure() throws Exception {
        try (TestProcess server = TestProcess.builder().start(FewDescriptorsMain.class, "server")) {
            server.await("port");
            limit = descriptors(server) + DESCRIPTORS;
        }
    }

    private static TestProcess start(Object... arguments) throws IOException {
        return TestProcess.builder().after("ulimit -n " + limit).start(FewDescriptorsMain.class, arguments);
    }

    /** An echo client and what it has got. */
    private static final class Client {
        private final ReceivedBytes received = new ReceivedBytes();
        private final ChannelFuture connected;
        private int sent;

        Client(EventLoopGroup group, int port) {
            connected = new Bootstrap().group(group).channel(UcxSocketChannel.class).handler(received)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS).connect("127.0.0.1", port);
        }

        void echo() throws InterruptedException {
            Channel channel = Until.done(connected).channel();
            channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(BYTES), sent, BYTES));
            sent += BYTES;
            received.await(sent);
        }

        void close() {
            Until.done(connected.channel().close());
        }
    }

    private static long descriptors(TestProcess server) {
        return ProcessFigures.of(server.pid()).descriptors();
    }

    private static void shutDown(EventLoopGroup group) {
        Until.done(group.shutdownGracefully(0, 10, TimeUnit.SECONDS));
    }

    /** The workers of so many client loops, each of which also needs a link. */
    @ParameterizedTest
    @ValueSource(ints = {1, 20})
    void moreConnectsThanDescriptors(int loops) throws Exception {
        EventLoopGroup first = new UcxEventLoopGroup(1);
        EventLoopGroup crowd = new UcxEventLoopGroup(loops);
        EventLoopGroup later = new UcxEventLoopGroup(NEW_LOOPS);
        try (TestProcess server = start("server")) {
            int port = server.awaitNumber("port");
            long alone = descriptors(server);
            Client served = new Client(first, port);
            served.echo();
            long withOne = descriptors(server);

            long start = System.nanoTime();
            Duration cpu = server.cpu();
            Map<Client, Throwable> clients = new LinkedHashMap<>();
            for (int i = 0; i < CONNECTS; i++) {
                clients.put(new Client(crowd, port), null);
            }
            Map<String, Integer> failures = new TreeMap<>();
            for (Client client : clients.keySet()) {
                assertTrue(client.connected.await(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS), "connect() waits");
                if (!client.connected.isSuccess()) {
                    assertInstanceOf(IOException.class, client.connected.cause());
                    failures.merge(client.connected.cause().toString().replaceAll("[0-9]{4,}", "N"), 1, Integer::sum);
                }
            }
            clients.keySet().removeIf(client -> !client.connected.isSuccess());
            cpu = server.cpu().minus(cpu);
            long millis = (System.nanoTime() - start) / 1_000_000;
            System.out.println("FIGURES descriptors of the server: " + alone + " alone, " + withOne +
                    " with a client, " + descriptors(server) +
                    " of " + limit + " with " + clients.size() + " more of " + CONNECTS +
                    " (by " + loops + " loops) in " + millis + " ms, CPU " + cpu.toMillis() + " ms; " + failures);
            assertTrue(!clients.isEmpty() && clients.size() < CONNECTS, clients.size() + " were served");
            assertTrue(cpu.toMillis() < millis / 2, "CPU used: " + cpu + " in " + millis + " ms");

            served.echo();
            for (Client client : clients.keySet()) {
                client.echo();
            }
            for (Client client : clients.keySet()) {
                client.close();
            }
            shutDown(crowd);
            Until.holds(() -> descriptors(server) <= withOne + ProcessFigures.DESCRIPTORS_OF_PROBE,
                    () -> "not given back: " + descriptors(server));
            served.echo();
            for (int i = 0; i < NEW_LOOPS; i++) {
                Client client = new Client(later, port);
                client.echo();
                client.close();
            }
            served.close();
            server.command("exit");
            server.awaitExit();
        } finally {
            shutDown(first);
            shutDown(crowd);
            shutDown(later);
        }
    }

    /** Not even accept() works any more. */
    @Test
    void noDescriptorAtAll() throws Exception {
        assumeTrue(Native.version() < (1 << 16 | 14 << 8), "UCX 1.18 gives up links when it finds no descriptor");
        EventLoopGroup first = new UcxEventLoopGroup(1);
        EventLoopGroup others = new UcxEventLoopGroup(2);
        try (TestProcess server = start("server")) {
            int port = server.awaitNumber("port");
            Client served = new Client(first, port);
            served.echo();
            server.command("fill");
            server.await("filled");
            assertEquals(limit, descriptors(server));

            long start = System.nanoTime();
            Duration cpu = server.cpu();
            ArrayList<Client> clients = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                clients.add(new Client(others, port));
            }
            for (Client client : clients) {
                assertInstanceOf(IOException.class, Until.failed(client.connected));
            }
            cpu = server.cpu().minus(cpu);
            long millis = (System.nanoTime() - start) / 1_000_000;
            System.out.println("FIGURES no descriptor left for " + millis + " ms: CPU " + cpu.toMillis() + " ms");
            assertTrue(cpu.toMillis() < millis / 2, "CPU used: " + cpu + " in " + millis + " ms");

            served.echo();
            Client waiting = new Client(others, port);
            server.command("release");
            waiting.echo();
            waiting.close();
            served.close();
            server.command("exit");
            server.awaitExit();
        } finally {
            shutDown(first);
            shutDown(others);
        }
    }

    /** UCX 1.13 ends the process when it finds too few for a worker. */
    @ParameterizedTest
    @ValueSource(ints = {0, 3, 6, 9, 12, 15})
    void loopWithoutDescriptors(int left) throws Exception {
        try (TestProcess process = start("loop", left)) {
            String failure = process.await("failed");
            assertTrue(failure.contains("too few file descriptors: "), failure);
            process.awaitExit();
        }
    }

    /** Each of the server's loops needs a link of the client, which has one loop. */
    @Test
    void clientWithTooManyConnects() throws Exception {
        UcxEventLoopGroup clientGroup = new UcxEventLoopGroup(1);
        UcxEventLoopGroup serverGroup = new UcxEventLoopGroup(16);
        try (TestPeers peers = new TestPeers(serverGroup, clientGroup).listen(EchoTest.EchoHandler::new);
             TestProcess client = start("client", peers.address().getPort(), CONNECTS)) {
            int connected = client.awaitNumber("connected");
            String failure = client.await("failed");
            System.out.println("FIGURES of " + CONNECTS + " connects of a client " + connected + " succeeded");
            assertTrue(connected > 0 && connected < CONNECTS, connected + " were connected");
            assertTrue(failure.contains("file descriptors") || failure.contains("Too many open files"), failure);
            client.awaitExit();
        }
    }
}
