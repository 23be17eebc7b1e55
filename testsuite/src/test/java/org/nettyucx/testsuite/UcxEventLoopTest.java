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

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.testsuite.transport.AbstractSingleThreadEventLoopTest;
import org.junit.jupiter.api.BeforeAll;
import org.nettyucx.UcxIoHandler;
import org.nettyucx.UcxServerSocketChannel;
import org.nettyucx.UcxSocketChannel;
import org.nettyucx.UcxWaitStrategy;

import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

class UcxEventLoopTest extends AbstractSingleThreadEventLoopTest {
    /** Some tests give a loop 200 ms to start and end. The first one of a JVM loads UCX's transports and classes. */
    @BeforeAll
    static void startOnce() {
        EventLoopGroup group = UcxSocketTestPermutation.newGroup(1, UcxWaitStrategy.ADAPTIVE);
        group.next().submit(() -> { }).syncUninterruptibly();
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @Override
    protected EventLoopGroup newEventLoopGroup() {
        return UcxSocketTestPermutation.newGroup(1, UcxWaitStrategy.ADAPTIVE);
    }

    @Override
    protected EventLoopGroup newAutoScalingEventLoopGroup() {
        return new MultiThreadIoEventLoopGroup(SCALING_MAX_THREADS, (Executor) null, AUTO_SCALING_CHOOSER_FACTORY,
                UcxIoHandler.newFactory());
    }

    @Override
    protected Channel newChannel() {
        return new UcxSocketChannel();
    }

    @Override
    protected Class<? extends ServerChannel> serverChannelClass() {
        return UcxServerSocketChannel.class;
    }
}
