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

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Server;
import io.grpc.ServerTransportFilter;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.netty.channel.EventLoopGroup;
import io.netty.util.NettyRuntime;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.nettyucx.example.ExampleException;
import org.nettyucx.example.PeerAddress;
import org.nettyucx.example.TwoProcesses;
import org.nettyucx.example.WholeNumber;
import org.nettyucx.example.grpc.proto.StoreGrpc;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The server: a gRPC server like any other.
 */
@Command(name = "server", description = "Starts a gRPC server; ends on SIGTERM or SIGINT (Ctrl-C).")
final class ServerCommand implements Callable<Integer> {

    private static final int STOP_SECONDS = 5;

    @Option(names = "--host", paramLabel = "H", defaultValue = "127.0.0.1",
            description = "Address to listen on (default: ${DEFAULT-VALUE}).")
    private String host;

    @Option(names = "--port", paramLabel = "P", defaultValue = "7778", converter = WholeNumber.ListenPort.class,
            description = "Port to listen on, 0 for any free one (default: ${DEFAULT-VALUE}).")
    private long port;

    @Mixin
    private ConnectionOptions connection;

    @Override
    public Integer call() throws ExampleException, InterruptedException {
        connection.transport().requireAvailable();
        EventLoopGroup group = connection.transport().newGroup(NettyRuntime.availableProcessors());
        try {
            HealthStatusManager health = new HealthStatusManager();
            Server server = NettyServerBuilder
                    .forAddress(new InetSocketAddress(host, (int) port), connection.serverCredentials())
                    // All that makes this a UCX server, if the transport is UCX.
                    .bossEventLoopGroup(group)
                    .workerEventLoopGroup(group)
                    .channelType(connection.transport().serverClass())
                    // Nothing blocks here, so the event loops can do the work.
                    .directExecutor()
                    .addService(new StoreService())
                    .addService(health.getHealthService())
                    .addTransportFilter(new ConnectionPrinter())
                    .build();
            try {
                server.start();
            } catch (IOException e) {
                throw new ExampleException("cannot listen on " + PeerAddress.of(host, port), e);
            }
            health.setStatus(StoreGrpc.SERVICE_NAME, ServingStatus.SERVING);
            stopOnSignal(server, health, group);
            System.out.println(TwoProcesses.LISTENING + PeerAddress.of(server.getListenSockets().get(0)));
            server.awaitTermination();
            return ExitCode.OK;
        } finally {
            stop(group);
        }
    }

    private static void stopOnSignal(Server server, HealthStatusManager health, EventLoopGroup group) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            health.enterTerminalState();
            server.shutdown();
            try {
                if (!server.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
                    server.shutdownNow();
                }
            } catch (InterruptedException e) {
                server.shutdownNow();
            }
            if (stop(group)) {
                System.out.println("stopped");
            } else {
                System.err.println("event loops did not stop within " + STOP_SECONDS + " s");
            }
        }, "stop-server"));
    }

    private static boolean stop(EventLoopGroup group) {
        return group.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(STOP_SECONDS + 1, TimeUnit.SECONDS);
    }

    /** Says who has connected. */
    private static final class ConnectionPrinter extends ServerTransportFilter {

        @Override
        public Attributes transportReady(Attributes attributes) {
            System.out.println("connection from " + PeerAddress.of(attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR))
                    + security(attributes.get(Grpc.TRANSPORT_ATTR_SSL_SESSION)));
            return attributes;
        }

        private static String security(SSLSession session) {
            if (session == null) {
                return ", plaintext";
            }
            try {
                return ", " + session.getProtocol() + ' ' + session.getCipherSuite() + ", "
                        + session.getPeerPrincipal();
            } catch (SSLPeerUnverifiedException e) {
                // There is no TLS connection without a certificate.
                throw new IllegalStateException(e);
            }
        }
    }
}
