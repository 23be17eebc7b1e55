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
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.SocketException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Channels to a worker address that the test hands over: no TCP and no listener. */
class DirectTest {
    private static final int BYTES = 3_000_000;

    private final ProbedLoops serverLoops = new ProbedLoops(2);
    private final ProbedLoops clientLoops = new ProbedLoops(1);
    private final BlockingQueue<UcxSocketChannel> accepted = new LinkedBlockingQueue<>();
    private Bootstrap bootstrap;
    private UcxServerSocketChannel server;

    @BeforeEach
    void setUp() {
        bootstrap = new Bootstrap().group(clientLoops.group()).channel(UcxSocketChannel.class);
    }

    @AfterEach
    void tearDown() throws Exception {
        serverLoops.group().shutdownGracefully(0, 10, TimeUnit.SECONDS);
        clientLoops.group().shutdownGracefully(0, 10, TimeUnit.SECONDS);
        serverLoops.group().terminationFuture().sync();
        clientLoops.group().terminationFuture().sync();
    }

    private UcxWorkerAddress listen(Supplier<ChannelHandler> handlers) {
        ServerBootstrap serverBootstrap = new ServerBootstrap().group(serverLoops.group())
                .channel(UcxServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(handlers.get());
                        accepted.add((UcxSocketChannel) channel);
                    }
                });
        server = (UcxServerSocketChannel) Until.done(serverBootstrap.bind(UcxWorkerAddress.any())).channel();
        assertTrue(server.isActive());
        assertNull(server.localAddress());
        return UcxWorkerAddress.of(server.workerAddress().toBytes());
    }

    private UcxSocketChannel connect(UcxWorkerAddress address, ChannelHandler handler) {
        return (UcxSocketChannel) Until.done(bootstrap.clone().handler(handler).connect(address)).channel();
    }

    private static void echo(UcxSocketChannel channel, ReceivedBytes received, int bytes) throws Exception {
        channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(bytes), 0, bytes));
        received.await(bytes);
    }

    private static Throwable failure(ChannelFuture future) {
        assertTrue(future.awaitUninterruptibly(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS), "not done: " + future);
        assertFalse(future.isSuccess(), "connected");
        TestPeers.awaitClosed(future.channel());
        return future.cause();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 65_537, BYTES, 32 << 20})
    void echo(int bytes) throws Exception {
        UcxWorkerAddress address = listen(EchoTest.EchoHandler::new);
        for (int i = 0; i < 5; i++) {
            ReceivedBytes received = new ReceivedBytes();
            UcxSocketChannel client = connect(address, received);
            echo(client, received, bytes);
            assertNull(client.remoteAddress());
            assertFalse(client.transports().isEmpty());
            Until.done(client.close());
            TestPeers.awaitClosed(accepted.take());
        }
        serverLoops.awaitIdle(1);
        clientLoops.awaitIdle(0);
    }

    @Test
    void halfClosure() throws Exception {
        ReceivedBytes atServer = new ReceivedBytes();
        UcxWorkerAddress address = listen(() -> atServer);
        bootstrap.option(ChannelOption.ALLOW_HALF_CLOSURE, true);
        ReceivedBytes received = new ReceivedBytes();
        UcxSocketChannel client = connect(address, received);
        UcxSocketChannel peer = accepted.take();
        Until.done(peer.writeAndFlush(TestBytes.write(peer.alloc().directBuffer(BYTES), 0, BYTES)));
        Until.done(peer.close());
        received.await(BYTES);
        Until.holds("the end of the stream", () -> received.userEvents().contains(ChannelInputShutdownEvent.INSTANCE));
        assertTrue(client.isActive());
        assertEquals(0, received.exceptions().size());
        Until.done(client.close());
    }

    @Test
    void reset() throws Exception {
        ReceivedBytes atServer = new ReceivedBytes();
        UcxWorkerAddress address = listen(() -> atServer);
        bootstrap.option(ChannelOption.SO_LINGER, 0);
        UcxSocketChannel client = connect(address, new ReceivedBytes());
        accepted.take();
        Until.done(client.close());
        atServer.awaitInactive();
        assertTrue(atServer.exceptions().get(0).getMessage().contains("Connection reset by peer"));
    }

    @Test
    void manyAtOnce() throws Exception {
        UcxWorkerAddress address = listen(EchoTest.EchoHandler::new);
        ReceivedBytes[] received = new ReceivedBytes[50];
        ChannelFuture[] futures = new ChannelFuture[received.length];
        for (int i = 0; i < received.length; i++) {
            received[i] = new ReceivedBytes();
            futures[i] = bootstrap.clone().handler(received[i]).connect(address);
        }
        for (int i = 0; i < received.length; i++) {
            Until.done(futures[i]);
            echo((UcxSocketChannel) futures[i].channel(), received[i], 100_000);
            futures[i].channel().close();
        }
        serverLoops.awaitIdle(1);
        clientLoops.awaitIdle(0);
    }

    @Test
    void closedServer() {
        UcxWorkerAddress address = listen(EchoTest.EchoHandler::new);
        Until.done(server.close());
        assertNull(server.workerAddress());
        ChannelFuture future = bootstrap.handler(new ReceivedBytes()).option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 300)
                .connect(address);
        assertInstanceOf(ConnectTimeoutException.class, failure(future));
        assertTrue(future.cause().getMessage().contains("did not answer HELLO"), future.cause().toString());
    }

    @Test
    void whatIsNoAddress() {
        assertThrows(IllegalArgumentException.class, () -> UcxWorkerAddress.of(new byte[0]));
        assertThrows(IllegalArgumentException.class, () -> UcxWorkerAddress.of(new byte[100]));
        byte[] otherVersion = listen(EchoTest.EchoHandler::new).toBytes();
        assertEquals(server.workerAddress(), UcxWorkerAddress.of(otherVersion));
        otherVersion[25] |= 0xf;
        assertThrows(IllegalArgumentException.class, () -> UcxWorkerAddress.of(otherVersion));
        assertInstanceOf(IOException.class,
                failure(bootstrap.handler(new ReceivedBytes()).connect(UcxWorkerAddress.any())));
        ServerBootstrap foreign = new ServerBootstrap().group(serverLoops.group()).channel(UcxServerSocketChannel.class)
                .childHandler(new EchoTest.EchoHandler());
        assertInstanceOf(SocketException.class, failure(foreign.bind(server.workerAddress())));
    }

    /** A listener's worker that is replaced has another address. */
    @Test
    void replacedWorker() throws Exception {
        UcxWorkerAddress before = listen(EchoTest.EchoHandler::new);
        Until.onLoop(server.eventLoop(), () -> {
            LoopState.handler(server).replaceWorker("a test wants it");
            return null;
        });
        UcxWorkerAddress after = server.workerAddress();
        assertFalse(before.equals(after));
        ReceivedBytes received = new ReceivedBytes();
        UcxSocketChannel client = connect(after, received);
        echo(client, received, BYTES);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anotherProcess(boolean killed) throws Exception {
        // Over shared memory only its silence shows that the process is dead, after 15 s.
        try (TestProcess process = TestProcess.builder().start(DirectMain.class)) {
            UcxWorkerAddress address = UcxWorkerAddress.of(ByteBufUtil.decodeHexDump(process.await("address")));
            ReceivedBytes received = new ReceivedBytes();
            UcxSocketChannel client = connect(address, received);
            echo(client, received, BYTES);
            if (killed) {
                process.kill();
                received.awaitInactive();
                assertEquals(1, received.exceptions().size(), received.exceptions().toString());
                assertTrue(received.exceptions().get(0).getMessage().contains("Connection reset by peer"),
                        received.exceptions().toString());
                clientLoops.awaitIdle(0);
            } else {
                Until.done(client.close());
                clientLoops.awaitIdle(0);
                process.exit();
            }
        }
    }
}
