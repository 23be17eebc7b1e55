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
package org.nettyucx.example.proxy;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import org.nettyucx.UcxEventLoopGroup;
import org.nettyucx.UcxServerSocketChannel;
import org.nettyucx.UcxSocketChannel;

/**
 * What one side of the proxy talks over.
 */
enum Side {
    // Not epoll, which could run on UCX's event loops: of Netty 4.2.17 it fails to write much to a client that has shut
    // down its output.
    tcp(NioServerSocketChannel.class, NioSocketChannel.class) {
        @Override
        EventLoopGroup newLoops(int threads) {
            return new MultiThreadIoEventLoopGroup(threads, NioIoHandler.newFactory());
        }
    },
    ucx(UcxServerSocketChannel.class, UcxSocketChannel.class) {
        @Override
        EventLoopGroup newLoops(int threads) {
            return new UcxEventLoopGroup(threads);
        }
    };

    private final Class<? extends ServerSocketChannel> serverChannel;
    private final Class<? extends SocketChannel> channel;

    Side(Class<? extends ServerSocketChannel> serverChannel, Class<? extends SocketChannel> channel) {
        this.serverChannel = serverChannel;
        this.channel = channel;
    }

    abstract EventLoopGroup newLoops(int threads);

    Class<? extends ServerSocketChannel> serverChannel() {
        return serverChannel;
    }

    Class<? extends SocketChannel> channel() {
        return channel;
    }
}
