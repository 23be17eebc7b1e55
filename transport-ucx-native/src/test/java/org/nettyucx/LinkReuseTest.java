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

import io.netty.channel.ChannelHandlerContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A link without channels stays, and serves the next channel, however the ones before have ended. */
class LinkReuseTest {
    private static int links(UcxSocketChannel channel) {
        return Until.onLoop(channel.eventLoop(), channel.connection().handler()::linkCount);
    }

    /** Writes in channelActive: the first bytes over the link. */
    private static ReceivedBytes writer(int length) {
        return new ReceivedBytes() {
            @Override
            public void channelActive(ChannelHandlerContext ctx) {
                CloseTest.write(ctx.channel(), 0, length);
            }
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100_000, 1_000_000})
    void oneChannelAfterAnother(int length) throws Exception {
        try (TestPeers peers = new TestPeers().listen(EchoTest.EchoHandler::new)) {
            for (int round = 0; round < 50; round++) {
                ReceivedBytes received = writer(length);
                UcxSocketChannel channel = peers.connect(received);
                UcxSocketChannel server = peers.accepted();
                received.await(length);
                channel.close().sync();
                TestPeers.awaitClosed(server);
                assertEquals(List.of(), received.exceptions(), "round " + round);
                assertEquals(1, links(channel));
                assertEquals(1, links(server));
            }
        }
    }

    @Test
    void serverWritesFirst() throws Exception {
        try (TestPeers peers = new TestPeers().listen(() -> writer(300_000))) {
            for (int round = 0; round < 100; round++) {
                ReceivedBytes received = new ReceivedBytes();
                UcxSocketChannel channel = peers.connect(received);
                received.await(300_000);
                assertEquals(List.of(), received.exceptions(), "round " + round);
                channel.close().sync();
            }
        }
    }

    /** A channel that is reset while bytes are on their way; the next one comes at once. */
    @Test
    void connectAfterReset() throws Exception {
        try (TestPeers peers = new TestPeers().listen(EchoTest.EchoHandler::new)) {
            for (int round = 0; round < 100; round++) {
                ReceivedBytes received = writer(500_000);
                UcxSocketChannel channel = peers.connect(received);
                Until.holds("something came", () -> received.count() > 0);
                channel.config().setSoLinger(0);
                channel.close().sync();
                ReceivedBytes next = writer(400_000);
                UcxSocketChannel second = peers.connect(next);
                next.await(400_000);
                assertEquals(List.of(), next.exceptions(), "round " + round);
                second.close().sync();
            }
        }
    }
}
