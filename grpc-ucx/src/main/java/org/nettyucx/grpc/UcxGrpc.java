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
package org.nettyucx.grpc;

import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import org.nettyucx.UcxServerSocketChannel;
import org.nettyucx.UcxSocketChannel;

import java.net.InetSocketAddress;

/**
 * Turns gRPC's builders for Netty to UCX. All servers and channels of a JVM share their event loops, whose threads are
 * daemons; they end a second after the last server or channel has ended, as gRPC's own do.
 *
 * <p>Both methods throw {@link IllegalStateException} if UCX is not available, with the reason as its cause.
 */
public final class UcxGrpc {
    private UcxGrpc() {
    }

    /** Lets the server listen on UCX. Returns the builder. */
    public static NettyServerBuilder useUcx(NettyServerBuilder builder) {
        Availability.ensure();
        builder.channelType(UcxServerSocketChannel.class);
        SharedLoops.use(builder);
        return builder;
    }

    /** Lets the channel connect by UCX. Returns the builder. */
    public static NettyChannelBuilder useUcx(NettyChannelBuilder builder) {
        Availability.ensure();
        builder.channelType(UcxSocketChannel.class, InetSocketAddress.class);
        SharedLoops.use(builder);
        return builder;
    }
}
