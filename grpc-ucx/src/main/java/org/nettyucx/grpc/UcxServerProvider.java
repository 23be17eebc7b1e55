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

import io.grpc.ServerBuilder;
import io.grpc.ServerCredentials;
import io.grpc.ServerProvider;
import io.grpc.netty.NettyServerBuilder;

/** Makes builders of servers that listen on UCX; gRPC finds it by {@link java.util.ServiceLoader}. */
public final class UcxServerProvider extends ServerProvider {
    /** gRPC's own providers for Netty have 5. */
    static final int PRIORITY = 8;

    @Override
    protected boolean isAvailable() {
        return Availability.isChosen();
    }

    @Override
    protected int priority() {
        return PRIORITY;
    }

    @Override
    protected ServerBuilder<?> builderForPort(int port) {
        return UcxGrpc.useUcx(NettyServerBuilder.forPort(port));
    }

    @Override
    protected NewServerBuilderResult newServerBuilderForPort(int port, ServerCredentials credentials) {
        // First of all, so that it is no failure of the credentials.
        Availability.ensure();
        NettyServerBuilder builder;
        try {
            builder = NettyServerBuilder.forPort(port, credentials);
        } catch (IllegalArgumentException e) {
            // Credentials that are not understood; gRPC asks the next provider, and shows the text if none can.
            return NewServerBuilderResult.error(e.getMessage());
        }
        return NewServerBuilderResult.serverBuilder(UcxGrpc.useUcx(builder));
    }
}
