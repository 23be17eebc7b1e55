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
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Bytes there and back within one JVM. */
class EchoTest {
    /** Sends back what it gets. */
    static final class EchoHandler extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ctx.write(msg);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.flush();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 1024, 1025, 65_536, 1 << 20, (1 << 20) + 1, 5_000_000, 64 << 20})
    void oneBuffer(int length) throws Exception {
        try (TestPeers peers = new TestPeers().listen(EchoHandler::new)) {
            ReceivedBytes received = new ReceivedBytes();
            UcxSocketChannel channel = peers.connect(received);
            ByteBuf buffer = TestBytes.write(channel.alloc().directBuffer(length), 0, length);
            channel.writeAndFlush(buffer).syncUninterruptibly();
            received.await(length);
            channel.close().syncUninterruptibly();
            TestPeers.awaitClosed(peers.accepted());
        }
    }

    /** The environment of this JVM names the transports to be used; see the module's pom.xml. */
    @Test
    void usesTheTransportsOfTheEnvironment() {
        try (TestPeers peers = new TestPeers().listen(EchoHandler::new)) {
            List<String> transports = peers.connect(new ReceivedBytes()).transports();
            assertFalse(transports.isEmpty());
            if ("tcp".equals(System.getenv("UCX_TLS"))) {
                assertTrue(transports.stream().allMatch(name -> name.startsWith("tcp/")), transports.toString());
            } else if (System.getenv("UCX_TLS") != null && System.getenv("UCX_TLS").contains("posix")) {
                assertTrue(transports.get(0).startsWith("posix/") || transports.get(0).startsWith("sysv/"),
                        transports.toString());
            }
        }
    }
}
