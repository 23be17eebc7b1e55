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
import io.netty.channel.EventLoop;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What happens when a worker does not receive any more. UCX comes to that only when a process dies within a window of
 * nanoseconds, so the replacement is asked for here.
 */
class WorkerReplacementTest {
    private static final int BYTES = 3_000_000;

    private static void echo(UcxSocketChannel channel, ReceivedBytes received) throws Exception {
        channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(BYTES), 0, BYTES));
        received.await(BYTES);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void connectionsAreResetAndNewOnesWork(boolean server) throws Exception {
        try (TestPeers peers = new TestPeers().listen(EchoTest.EchoHandler::new)) {
            for (int round = 0; round < 5; round++) {
                ReceivedBytes[] received = new ReceivedBytes[4];
                UcxSocketChannel[] clients = new UcxSocketChannel[received.length];
                UcxSocketChannel accepted = null;
                for (int i = 0; i < received.length; i++) {
                    received[i] = new ReceivedBytes();
                    clients[i] = peers.connect(received[i]);
                    accepted = peers.accepted();
                    echo(clients[i], received[i]);
                }
                EventLoop loop = server ? accepted.eventLoop() : clients[0].eventLoop();
                UcxIoHandler handler = LoopState.handler(server ? accepted : clients[0]);
                WorkerId before = handler.worker().id();
                loop.submit(() -> handler.replaceWorker("a test wants it")).get();
                assertTrue(!before.equals(handler.worker().id()));
                for (int i = 0; i < received.length; i++) {
                    received[i].awaitInactive();
                    assertEquals(BYTES, received[i].count());
                    assertEquals(1, received[i].exceptions().size(), received[i].exceptions().toString());
                    assertInstanceOf(IOException.class, received[i].exceptions().get(0));
                }
                LoopState.awaitNoConnections(accepted, LoopState.REGISTRATIONS_OF_CHANNEL);
                LoopState.awaitNoConnections(clients[0], 0);
            }
        }
    }

    /** While it is not known whether the worker receives, neither side begins a handshake with it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void handshakesWaitForTheProbe(boolean server) throws Exception {
        try (TestPeers peers = new TestPeers().listen(EchoTest.EchoHandler::new)) {
            UcxSocketChannel client = peers.connect(new ReceivedBytes());
            UcxSocketChannel accepted = peers.accepted();
            UcxSocketChannel channel = server ? accepted : client;
            UcxLink link = ((BootstrapWire) channel.wire()).link();
            assumeTrue(UcxLink.areSharedMemory(link.transports()));
            UcxIoHandler handler = LoopState.handler(channel);
            ReceivedBytes received = new ReceivedBytes();
            ChannelFuture connected = channel.eventLoop().submit(() -> {
                handler.deadlines().schedule(WorkerCheck.DELAY_MILLIS,
                        () -> handler.replaceWorker("a test wants it"));
                handler.workerCheck().peerDied(link.transports());
                return peers.connectLater(received);
            }).get();
            Until.done(connected);
            echo((UcxSocketChannel) connected.channel(), received);
        }
    }

    /** A worker that receives is found to receive, as often as it is asked. */
    @Test
    void probe() throws Exception {
        try (TestPeers peers = new TestPeers().listen(EchoTest.EchoHandler::new)) {
            ReceivedBytes received = new ReceivedBytes();
            UcxSocketChannel client = peers.connect(received);
            UcxSocketChannel server = peers.accepted();
            for (int i = 0; i < 10; i++) {
                for (UcxSocketChannel channel : new UcxSocketChannel[] {client, server}) {
                    UcxIoHandler handler = LoopState.handler(channel);
                    assertTrue(channel.eventLoop().submit(() -> ReceiveProbe.reaches(handler)).get());
                }
            }
            echo(client, received);
        }
    }
}
