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
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.SocketTestPermutation;
import io.netty.util.concurrent.DefaultThreadFactory;
import org.nettyucx.UcxIoHandler;
import org.nettyucx.UcxIoHandlerConfig;
import org.nettyucx.UcxServerSocketChannel;
import org.nettyucx.UcxSocketChannel;
import org.nettyucx.UcxWaitStrategy;

import java.util.ArrayList;
import java.util.List;

/** With what each test of Netty's suite is run: every wait strategy that idles, every kind of allocator. */
final class UcxSocketTestPermutation extends SocketTestPermutation {
    static final UcxSocketTestPermutation INSTANCE = new UcxSocketTestPermutation();

    private static final ByteBufAllocator ADAPTIVE_ALLOCATOR = new AdaptiveByteBufAllocator();

    private final List<EventLoopGroup> groups = List.of(
            newGroup(NUM_THREADS, UcxWaitStrategy.BLOCK), newGroup(NUM_THREADS, UcxWaitStrategy.ADAPTIVE));

    static EventLoopGroup newGroup(int threads, UcxWaitStrategy waitStrategy) {
        return new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory("testsuite-" + waitStrategy, true),
                UcxIoHandler.newFactory(new UcxIoHandlerConfig().waitStrategy(waitStrategy)));
    }

    static List<ByteBufAllocator> allocators() {
        return List.of(PooledByteBufAllocator.DEFAULT, ADAPTIVE_ALLOCATOR, UnpooledByteBufAllocator.DEFAULT);
    }

    /** Server and client wait alike; a peer does not see how the other waits. */
    @Override
    public List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> socket() {
        List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> combos = new ArrayList<>();
        List<BootstrapFactory<ServerBootstrap>> servers = serverSocket();
        List<BootstrapFactory<Bootstrap>> clients = clientSocket();
        for (int i = 0; i < servers.size(); i++) {
            combos.addAll(combo(List.of(servers.get(i)), List.of(clients.get(i))));
        }
        return combos;
    }

    @Override
    public List<BootstrapFactory<ServerBootstrap>> serverSocket() {
        List<BootstrapFactory<ServerBootstrap>> factories = new ArrayList<>();
        for (EventLoopGroup group : groups) {
            factories.add(() -> new ServerBootstrap().group(group).channel(UcxServerSocketChannel.class));
        }
        return factories;
    }

    @Override
    public List<BootstrapFactory<Bootstrap>> clientSocket() {
        List<BootstrapFactory<Bootstrap>> factories = new ArrayList<>();
        for (EventLoopGroup group : groups) {
            factories.add(() -> new Bootstrap().group(group).channel(UcxSocketChannel.class));
        }
        return factories;
    }
}
