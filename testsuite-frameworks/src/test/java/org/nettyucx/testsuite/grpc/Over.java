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
package org.nettyucx.testsuite.grpc;

import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import org.nettyucx.grpc.UcxGrpc;

/** What gRPC runs over: tests run over both see to it that its users find no difference. */
enum Over {
    UCX,
    /** gRPC's default, by Netty's epoll. */
    TCP;

    static final String HOST = "127.0.0.1";

    NettyServerBuilder server(int port) {
        NettyServerBuilder builder = NettyServerBuilder.forPort(port);
        return this == UCX ? UcxGrpc.useUcx(builder) : builder;
    }

    NettyChannelBuilder channel(int port) {
        // Not localhost, which may be two addresses: gRPC's error is about the last one.
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(HOST, port).usePlaintext();
        return this == UCX ? UcxGrpc.useUcx(builder) : builder;
    }
}
