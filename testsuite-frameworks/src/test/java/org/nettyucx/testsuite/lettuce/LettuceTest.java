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
package org.nettyucx.testsuite.lettuce;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.resource.ClientResources;
import io.netty.channel.Channel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nettyucx.UcxSocketChannel;

import java.net.ConnectException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Lettuce, the Redis client, with a server that only UCX reaches. */
class LettuceTest {
    private static final int TIMEOUT_SECONDS = 30;
    private static final int KEYS = 3_000;

    private final UcxLettuce ucx = new UcxLettuce(2);
    private final ClientResources resources = ucx.resources();

    @AfterEach
    void end() throws Exception {
        assertTrue(resources.shutdown(0, TIMEOUT_SECONDS, TimeUnit.SECONDS).get(TIMEOUT_SECONDS, TimeUnit.SECONDS));
        assertTrue(ucx.shutdown(0, TIMEOUT_SECONDS, TimeUnit.SECONDS).get(TIMEOUT_SECONDS, TimeUnit.SECONDS));
    }

    private RedisClient client(int port) {
        return RedisClient.create(resources, RedisURI.create("localhost", port));
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void pipelineAndLargeValue() throws Exception {
        try (RedisServer server = new RedisServer(); RedisClient client = client(server.port());
                StatefulRedisConnection<String, String> connection = client.connect()) {
            RedisAsyncCommands<String, String> commands = connection.async();
            List<Future<String>> answers = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                commands.set("key" + i, "value" + i);
                answers.add(commands.get("key" + i));
            }
            for (int i = 0; i < KEYS; i++) {
                assertEquals("value" + i, get(answers.get(i)));
            }
            assertNull(get(commands.get("unknown")));
            String large = "0123456789abcdef".repeat(200_000);
            assertEquals("OK", get(commands.set("large", large)));
            assertEquals(large, get(commands.get("large")));
            assertInstanceOf(UcxSocketChannel.class, server.connections().element());
        }
    }

    /** Lettuce connects again by itself. */
    @Test
    void connectionIsLost() throws Exception {
        try (RedisServer server = new RedisServer(); RedisClient client = client(server.port());
                StatefulRedisConnection<String, String> connection = client.connect()) {
            assertEquals("OK", get(connection.async().set("key", "value")));
            Channel first = server.connections().take();
            assertTrue(first.close().await(TIMEOUT_SECONDS, TimeUnit.SECONDS));
            assertNotNull(server.connections().poll(TIMEOUT_SECONDS, TimeUnit.SECONDS));
            assertEquals("value", get(connection.async().get("key")));
        }
    }

    @Test
    void nobodyListens() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        try (RedisClient client = client(port)) {
            Throwable cause = assertThrows(RedisConnectionException.class, client::connect).getCause();
            assertInstanceOf(ConnectException.class, cause);
            assertTrue(cause.getMessage().contains("Connection refused"), cause.getMessage());
        }
    }
}
