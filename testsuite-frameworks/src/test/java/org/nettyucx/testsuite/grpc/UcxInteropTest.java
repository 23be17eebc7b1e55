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

import io.grpc.ChannelCredentials;
import io.grpc.ForwardingServerBuilder;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerCredentials;
import io.grpc.netty.InternalNettyChannelBuilder;
import io.grpc.netty.InternalNettyServerBuilder;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.testing.integration.AbstractInteropTest;
import org.nettyucx.grpc.UcxGrpc;

import java.io.IOException;
import java.io.UncheckedIOException;

/** gRPC's interoperability tests, without TLS. */
public class UcxInteropTest extends AbstractInteropTest {
    /** The one in the certificates of gRPC's tests. */
    private static final String SERVER_NAME = "foo.test.google.fr";

    private Server server;

    protected ServerCredentials serverCredentials() throws IOException {
        return InsecureServerCredentials.create();
    }

    protected ChannelCredentials channelCredentials() throws IOException {
        return InsecureChannelCredentials.create();
    }

    /** A builder that tells us of the server; only tests in gRPC's own package can ask for its port. */
    private final class ServerTelling extends ForwardingServerBuilder<ServerTelling> {
        private final NettyServerBuilder builder;

        ServerTelling(NettyServerBuilder builder) {
            this.builder = builder;
        }

        @Override
        protected ServerBuilder<?> delegate() {
            return builder;
        }

        @Override
        public Server build() {
            server = super.build();
            return server;
        }
    }

    @Override
    protected final ServerBuilder<?> getServerBuilder() {
        try {
            NettyServerBuilder builder = UcxGrpc.useUcx(NettyServerBuilder.forPort(0, serverCredentials()))
                    .flowControlWindow(TEST_FLOW_CONTROL_WINDOW).maxInboundMessageSize(MAX_MESSAGE_SIZE);
            // The tests have their own.
            InternalNettyServerBuilder.setStatsEnabled(builder, false);
            return new ServerTelling(builder).addStreamTracerFactory(createCustomCensusTracerFactory());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected final ManagedChannelBuilder<?> createChannelBuilder() {
        try {
            NettyChannelBuilder builder = UcxGrpc.useUcx(NettyChannelBuilder.forAddress("localhost", server.getPort(),
                    channelCredentials())).overrideAuthority(SERVER_NAME).flowControlWindow(TEST_FLOW_CONTROL_WINDOW)
                    .maxInboundMessageSize(MAX_MESSAGE_SIZE);
            InternalNettyChannelBuilder.setStatsEnabled(builder, false);
            return builder.intercept(createCensusStatsClientInterceptor());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
