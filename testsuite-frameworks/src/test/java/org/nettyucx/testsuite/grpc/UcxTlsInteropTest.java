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
import io.grpc.ServerCredentials;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettySslContextChannelCredentials;
import io.grpc.netty.NettySslContextServerCredentials;
import io.grpc.testing.TlsTesting;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import org.junit.Test;

import java.io.IOException;

/** gRPC's interoperability tests with mutual TLS, which the JDK does. */
public class UcxTlsInteropTest extends UcxInteropTest {
    protected SslProvider provider() {
        return SslProvider.JDK;
    }

    @Override
    protected final ServerCredentials serverCredentials() throws IOException {
        return NettySslContextServerCredentials.create(GrpcSslContexts.configure(SslContextBuilder.forServer(
                TlsTesting.loadCert("server1.pem"), TlsTesting.loadCert("server1.key")), provider())
                .trustManager(TlsTesting.loadCert("ca.pem")).clientAuth(ClientAuth.REQUIRE).build());
    }

    @Override
    protected final ChannelCredentials channelCredentials() throws IOException {
        return NettySslContextChannelCredentials.create(GrpcSslContexts.configure(SslContextBuilder.forClient(),
                provider()).keyManager(TlsTesting.loadCert("client.pem"), TlsTesting.loadCert("client.key"))
                .trustManager(TlsTesting.loadCert("ca.pem")).build());
    }

    @Test
    public void serverKnowsTheClient() {
        assertX500SubjectDn("CN=testclient, O=Internet Widgits Pty Ltd, ST=Some-State, C=AU");
    }
}
