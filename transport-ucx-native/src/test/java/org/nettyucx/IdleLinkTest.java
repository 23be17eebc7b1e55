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
import io.netty.channel.ChannelOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A link without channels goes away, and comes back when it is needed, also when the two happen at once. */
class IdleLinkTest {
    private static TestPeers peers(long clientMillis, long serverMillis) {
        return new TestPeers(
                new UcxEventLoopGroup(1, new UcxIoHandlerConfig().linkIdle(serverMillis, TimeUnit.MILLISECONDS)),
                new UcxEventLoopGroup(1, new UcxIoHandlerConfig().linkIdle(clientMillis, TimeUnit.MILLISECONDS)));
    }

    private static void awaitNoLink(UcxSocketChannel channel) throws Exception {
        UcxIoHandler handler = channel.connection().handler();
        Until.holds("the link is closed", () -> Until.onLoop(channel.eventLoop(), handler::linkCount) == 0);
    }

    /** Writes in channelActive, when the link may just be dying. */
    private static ReceivedBytes writer(int length) {
        return new ReceivedBytes() {
            @Override
            public void channelActive(ChannelHandlerContext ctx) {
                CloseTest.write(ctx.channel(), 0, length);
            }
        };
    }

    @Test
    void idleLinkIsClosedAndMadeAgain() throws Exception {
        try (TestPeers peers = peers(100, 100).listen(EchoTest.EchoHandler::new)) {
            for (int round = 0; round < 5; round++) {
                ReceivedBytes received = writer(100_000);
                UcxSocketChannel channel = peers.connect(received);
                UcxSocketChannel server = peers.accepted();
                received.await(100_000);
                assertEquals(1, Until.onLoop(channel.eventLoop(), channel.connection().handler()::linkCount));
                channel.close().sync();
                awaitNoLink(channel);
                awaitNoLink(server);
                assertEquals(List.of(), received.exceptions());
            }
        }
    }

    /** A channel that does nothing keeps the link. */
    @Test
    void quietChannelKeepsTheLink() throws Exception {
        try (TestPeers peers = peers(1, 1).listen(EchoTest.EchoHandler::new)) {
            ReceivedBytes received = new ReceivedBytes();
            UcxSocketChannel channel = peers.connect(received);
            ReceivedBytes other = writer(10);
            UcxSocketChannel second = peers.connect(other);
            other.await(10);
            second.close().sync();
            // 100 times as long as a link may be idle.
            channel.eventLoop().schedule(() -> { }, 100, TimeUnit.MILLISECONDS).sync();
            assertEquals(1, Until.onLoop(channel.eventLoop(), channel.connection().handler()::linkCount));
            CloseTest.write(channel, 0, 1000);
            received.await(1000);
        }
    }

    /** The pause before the next connect sweeps over the moment at which the link is closed. */
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 60000", "60000, 1", "2, 1"})
    @Timeout(120)
    void idleCloseRacesConnect(long clientMillis, long serverMillis) throws Exception {
        try (TestPeers peers = peers(clientMillis, serverMillis).listen(EchoTest.EchoHandler::new)) {
            for (int round = 0; round < 200; round++) {
                ReceivedBytes received = writer(1 + round * 10);
                UcxSocketChannel channel = peers.connect(received);
                received.await(1 + round * 10);
                assertEquals(List.of(), received.exceptions(), "round " + round);
                channel.close().sync();
                TestPeers.awaitClosed(peers.accepted());
                LockSupport.parkNanos(round * 15_000L);
            }
        }
    }

    /** As above, but the server is the one that writes first. */
    @Test
    @Timeout(120)
    void idleCloseRacesConnectAndServerWrites() throws Exception {
        try (TestPeers peers = peers(1, 1).listen(() -> writer(100))) {
            for (int round = 0; round < 200; round++) {
                ReceivedBytes received = new ReceivedBytes();
                UcxSocketChannel channel = peers.connect(received);
                received.await(100);
                assertEquals(List.of(), received.exceptions(), "round " + round);
                channel.close().sync();
                TestPeers.awaitClosed(peers.accepted());
                LockSupport.parkNanos(round * 15_000L);
            }
        }
    }

    /** A channel that was reset while bytes were on their way; the next one comes at once. */
    @Test
    @Timeout(120)
    void connectAfterReset() throws Exception {
        try (TestPeers peers = peers(60_000, 60_000).listen(EchoTest.EchoHandler::new)) {
            for (int round = 0; round < 200; round++) {
                ReceivedBytes received = writer(500_000);
                UcxSocketChannel channel = peers.connect(received);
                Until.holds("something came", () -> received.count() > 0);
                channel.config().setOption(ChannelOption.SO_LINGER, 0);
                channel.close().sync();
                ReceivedBytes next = writer(1000);
                UcxSocketChannel second = peers.connect(next);
                next.await(1000);
                assertEquals(List.of(), next.exceptions(), "round " + round);
                second.close().sync();
            }
        }
    }
}
