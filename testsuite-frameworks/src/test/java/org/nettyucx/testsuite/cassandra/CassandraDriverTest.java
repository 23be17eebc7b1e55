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
package org.nettyucx.testsuite.cassandra;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.connection.ConnectionInitException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nettyucx.UcxEventLoopGroup;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The Cassandra driver, with a server that only UCX reaches. */
class CassandraDriverTest {
    private static final int TIMEOUT_SECONDS = 30;
    private static final int QUERIES = 2_000;

    private final UcxEventLoopGroup loops = new UcxEventLoopGroup(2);

    @AfterEach
    void endLoops() throws Exception {
        assertTrue(loops.shutdownGracefully(0, TIMEOUT_SECONDS, TimeUnit.SECONDS).await(TIMEOUT_SECONDS,
                TimeUnit.SECONDS));
    }

    private CqlSession connect(CqlSessionBuilder builder, InetSocketAddress address) {
        Duration timeout = Duration.ofSeconds(TIMEOUT_SECONDS);
        return builder.addContactPoint(address).withLocalDatacenter(CassandraServer.DATACENTER)
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        // What comes after it needs a server that knows more.
                        .withString(DefaultDriverOption.PROTOCOL_VERSION, "V4")
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                        .withBoolean(DefaultDriverOption.METADATA_TOKEN_MAP_ENABLED, false)
                        .withInt(DefaultDriverOption.CONNECTION_MAX_REQUESTS, QUERIES)
                        .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, timeout)
                        .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, timeout)
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, timeout).build()).build();
    }

    @Test
    void queries() throws Exception {
        try (CassandraServer server = new CassandraServer();
                CqlSession session = connect(new UcxSessionBuilder(loops), server.address())) {
            List<CompletionStage<AsyncResultSet>> answers = new ArrayList<>();
            for (int i = 0; i < QUERIES; i++) {
                answers.add(session.executeAsync("SELECT " + i));
            }
            for (int i = 0; i < QUERIES; i++) {
                assertEquals("SELECT " + i, answers.get(i).toCompletableFuture()
                        .get(TIMEOUT_SECONDS, TimeUnit.SECONDS).one().getString(0));
            }
            String large = "SELECT " + "0123456789abcdef".repeat(100_000);
            assertEquals(large, session.execute(large).one().getString(0));
        }
    }

    /** The driver says no more over TCP. */
    @Test
    void nobodyListens() throws Exception {
        InetSocketAddress address;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            address = (InetSocketAddress) socket.getLocalSocketAddress();
        }
        for (CqlSessionBuilder builder : List.of(new UcxSessionBuilder(loops), CqlSession.builder())) {
            AllNodesFailedException e = assertThrows(AllNodesFailedException.class, () -> connect(builder, address));
            Throwable cause = e.getAllErrors().values().iterator().next().get(0);
            assertInstanceOf(ConnectionInitException.class, cause);
            assertTrue(cause.getMessage().contains("failed to send request"), cause.getMessage());
        }
    }
}
