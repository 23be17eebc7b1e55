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
package org.nettyucx.example.grpc;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import org.nettyucx.UcxEventLoopGroup;
import org.nettyucx.UcxServerSocketChannel;
import org.nettyucx.UcxSocketChannel;
import org.nettyucx.example.ExampleException;
import org.nettyucx.example.UcxSupport;

/**
 * The transports of Netty that gRPC can run over; all the difference is here.
 */
enum Transport {
    ucx(UcxSocketChannel.class, UcxServerSocketChannel.class) {
        @Override
        EventLoopGroup newGroup(int threads) {
            return new UcxEventLoopGroup(threads);
        }

        @Override
        void requireAvailable() throws ExampleException {
            UcxSupport.requireAvailable();
        }
    },
    epoll(EpollSocketChannel.class, EpollServerSocketChannel.class) {
        @Override
        EventLoopGroup newGroup(int threads) {
            return new MultiThreadIoEventLoopGroup(threads, EpollIoHandler.newFactory());
        }
    },
    nio(NioSocketChannel.class, NioServerSocketChannel.class) {
        @Override
        EventLoopGroup newGroup(int threads) {
            return new MultiThreadIoEventLoopGroup(threads, NioIoHandler.newFactory());
        }
    };

    private final Class<? extends SocketChannel> channelClass;
    private final Class<? extends ServerSocketChannel> serverClass;

    Transport(Class<? extends SocketChannel> channelClass, Class<? extends ServerSocketChannel> serverClass) {
        this.channelClass = channelClass;
        this.serverClass = serverClass;
    }

    abstract EventLoopGroup newGroup(int threads);

    /** Fails where the transport cannot work, with the reason. */
    void requireAvailable() throws ExampleException {
        // Only UCX has requirements that a host need not meet.
    }

    Class<? extends SocketChannel> channelClass() {
        return channelClass;
    }

    Class<? extends ServerSocketChannel> serverClass() {
        return serverClass;
    }
}
