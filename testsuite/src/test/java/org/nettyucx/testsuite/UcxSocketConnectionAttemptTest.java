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
package org.nettyucx.testsuite;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.SocketConnectionAttemptTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

class UcxSocketConnectionAttemptTest extends SocketConnectionAttemptTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
        return UcxSocketTestPermutation.INSTANCE.clientSocket();
    }

    @Override
    protected List<ByteBufAllocator> newAllocators() {
        return UcxSocketTestPermutation.allocators();
    }

    /** The suite's own needs an address in the internet that never answers. */
    @Override
    public void testConnectTimeout(Bootstrap bootstrap) throws Throwable {
        try (ServerSocket silent = newSilentServer()) {
            ChannelFuture future = bootstrap.handler(new ChannelInboundHandlerAdapter())
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 100).connect(silent.getLocalSocketAddress());
            assertTrue(future.await(20, TimeUnit.SECONDS));
            assertInstanceOf(ConnectTimeoutException.class, future.cause());
            future.channel().closeFuture().sync();
        }
    }

    @Test
    @Timeout(30)
    @Override
    public void testConnectCancellation(TestInfo info) throws Throwable {
        run(info, bootstrap -> {
            try (ServerSocket silent = newSilentServer()) {
                ChannelFuture future = bootstrap.handler(new ChannelInboundHandlerAdapter())
                        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 20_000).connect(silent.getLocalSocketAddress());
                assertTrue(future.cancel(true));
                assertTrue(future.channel().closeFuture().await(20, TimeUnit.SECONDS));
                assertTrue(future.isCancelled());
            }
        });
    }

    /** Its kernel takes the connection, and that is all. */
    private static ServerSocket newSilentServer() throws Exception {
        return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }
}
