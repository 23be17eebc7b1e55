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

import io.grpc.ChannelCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.ManagedChannelProvider;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyChannelProvider;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Collection;
import java.util.Set;

/** Makes builders of channels that connect by UCX; gRPC finds it by {@link java.util.ServiceLoader}. */
public final class UcxManagedChannelProvider extends ManagedChannelProvider {
    private final NettyChannelProvider netty = new NettyChannelProvider();

    @Override
    protected boolean isAvailable() {
        return Availability.isChosen();
    }

    @Override
    protected int priority() {
        return UcxServerProvider.PRIORITY;
    }

    @Override
    protected ManagedChannelBuilder<?> builderForAddress(String name, int port) {
        return UcxGrpc.useUcx(netty.builderForAddress(name, port));
    }

    @Override
    protected ManagedChannelBuilder<?> builderForTarget(String target) {
        return UcxGrpc.useUcx(netty.builderForTarget(target));
    }

    @Override
    protected NewChannelBuilderResult newChannelBuilder(String target, ChannelCredentials credentials) {
        return useUcx(netty.newChannelBuilder(target, credentials));
    }

    @Override
    protected NewChannelBuilderResult newChannelBuilder(String target, ChannelCredentials credentials,
            NameResolverRegistry resolvers, NameResolverProvider resolver) {
        return useUcx(netty.newChannelBuilder(target, credentials, resolvers, resolver));
    }

    private static NewChannelBuilderResult useUcx(NewChannelBuilderResult result) {
        if (result.getChannelBuilder() != null) {
            UcxGrpc.useUcx((NettyChannelBuilder) result.getChannelBuilder());
        }
        return result;
    }

    /** Others, such as Unix domain sockets, are left to gRPC's own providers. */
    @Override
    protected Collection<Class<? extends SocketAddress>> getSupportedSocketAddressTypes() {
        return Set.of(InetSocketAddress.class);
    }
}
