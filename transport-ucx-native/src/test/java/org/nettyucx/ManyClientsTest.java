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
package org.nettyucx;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * One server process and many client processes, every third of which is killed while it sends and receives: the others
 * get their bytes, and nothing is left in the server.
 */
@Tag("once")
class ManyClientsTest {
    private static final int AT_A_TIME = 4;
    private static final int BYTES = 1 << 20;
    private static final String SHARED_MEMORY = "tcp,posix,sysv,cma,self";

    @Test
    @Timeout(240)
    void overSharedMemory() throws Exception {
        run(SHARED_MEMORY, 60);
    }

    @Test
    @Timeout(240)
    void overTcp() throws Exception {
        run("tcp", 30);
    }

    @Test
    @Tag("nightly")
    @Timeout(1200)
    void fiveHundredOverSharedMemory() throws Exception {
        run(SHARED_MEMORY, 500);
    }

    private static TestProcess.Builder builder(String transports) {
        return TestProcess.builder().environment("UCX_TLS", transports)
                .jvm("-Dio.netty.leakDetection.level=disabled");
    }

    private static void run(String transports, int clients) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(AT_A_TIME);
        try (TestProcess server = builder(transports).jvm("-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch")
                .start(ChurnServerMain.class)) {
            int port = server.awaitNumber("port");
            long start = System.nanoTime();
            // The first few bring the pools to their sizes.
            runClients(executor, transports, port, AT_A_TIME * 3);
            ProcessFigures before = settled(server);
            System.out.println("FIGURES " + transports + ", begin: " + before);
            runClients(executor, transports, port, clients - AT_A_TIME * 3);
            ProcessFigures after = settled(server);
            System.out.println("FIGURES " + transports + ", end: " + after + ", " + clients + " clients in " +
                    (System.nanoTime() - start) / 1_000_000_000 + " s");
            assertTrue(after.descriptors() - before.descriptors() <= 4, before + " became " + after);
            assertTrue(after.mappings() - before.mappings() <= 32, before + " became " + after);
            assertTrue(after.residentKb() - before.residentKb() <= 16 * 1024, before + " became " + after);
            server.exit();
        } finally {
            executor.shutdownNow();
        }
    }

    /** Waits until the server holds nothing of its clients any more. */
    private static ProcessFigures settled(TestProcess server) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TestPeers.TIMEOUT_SECONDS);
        for (;;) {
            server.command("figures");
            String line = server.await("figures");
            if (line.endsWith(" 0 connections, 0 links, 0 operations, 1 registrations")) {
                return ProcessFigures.parse(line);
            }
            assertTrue(System.nanoTime() < deadline, line);
            Thread.sleep(50);
        }
    }

    private static void runClients(ExecutorService executor, String transports, int port, int count)
            throws Exception {
        List<Future<?>> results = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            boolean killed = i % 3 == 1;
            results.add(executor.submit(() -> {
                runClient(transports, port, killed);
                return null;
            }));
        }
        for (Future<?> result : results) {
            result.get();
        }
    }

    private static void runClient(String transports, int port, boolean killed) throws Exception {
        try (TestProcess client = builder(transports).jvm("-Xmx32m").start(TestProcessMain.class, "client", port,
                "source", killed ? Long.MAX_VALUE : BYTES)) {
            client.await("receiving");
            if (killed) {
                client.kill();
            } else {
                client.await("complete");
                client.command("close");
                assertEquals(BYTES + " []", client.await("inactive"));
                client.exit();
            }
        }
    }
}
