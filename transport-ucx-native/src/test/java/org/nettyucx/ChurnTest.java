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

import io.netty.util.internal.PlatformDependent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Many short connections: none fails, and nothing is left of them. */
@Timeout(180)
class ChurnTest {
    private static final int LOOPS = 8;
    private static final int CYCLES_OF_A_LOOP = 2000;
    /** A heap of a fixed size, all of it resident from the start: what grows then is native memory. */
    private static final String[] FIXED_HEAP = {
        "-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch", "-Dio.netty.leakDetection.level=disabled"};
    private static final int RESIDENT_SLACK_KB = 8 * 1024;

    /** Every loop is a server's and a client's, so that there are links from each to each, and to itself. */
    @Test
    void eightLoops() throws Exception {
        ProbedLoops loops = new ProbedLoops(LOOPS);
        try (TestPeers peers = new TestPeers(loops.group(), loops.group()).listen(EchoTest.EchoHandler::new)) {
            Churn.start(loops.group(), peers.address(), LOOPS * CYCLES_OF_A_LOOP / 10, LOOPS * 4).sync();
            loops.awaitIdle(1);
            ProcessFigures before = ProcessFigures.now();
            long direct = PlatformDependent.usedDirectMemory();
            System.out.println("FIGURES eight loops, 10 %: " + before + ", " + loops.figures() + ", direct " + direct);
            Churn.start(loops.group(), peers.address(), LOOPS * CYCLES_OF_A_LOOP * 9 / 10, LOOPS * 4).sync();
            loops.awaitIdle(1);
            ProcessFigures after = ProcessFigures.now();
            long directAfter = PlatformDependent.usedDirectMemory();
            System.out.println("FIGURES eight loops, end: " + after + ", " + loops.figures() + ", direct " +
                    directAfter);
            assertFlat(before, after, Integer.MAX_VALUE);
            assertTrue(directAfter - direct <= 16 << 20, "direct memory grew to " + directAfter);
            assertTrue(loops.figures().links() <= LOOPS * LOOPS, "a link for each pair of loops at most");
        }
    }

    @Test
    void hundredThousandBetweenTwoLoops() throws Exception {
        int cycles = 100_000;
        try (TestProcess child = TestProcess.builder().jvm(FIXED_HEAP).start(ChurnMain.class, "both", cycles)) {
            ProcessFigures before = figures("two loops, 10 %", child);
            assertEquals("0 connections, 1 links, 0 operations, 0 registrations", child.await("client"));
            assertEquals("0 connections, 1 links, 0 operations, 1 registrations", child.await("server"));
            ProcessFigures after = figures("two loops, end", child);
            assertEquals("0 connections, 1 links, 0 operations, 0 registrations", child.await("client"));
            assertEquals("0 connections, 1 links, 0 operations, 1 registrations", child.await("server"));
            System.out.println("FIGURES two loops: " + cycles + " cycles took " + child.await("took"));
            assertFlat(before, after, RESIDENT_SLACK_KB);
            child.awaitExit();
            child.assertQuiet();
        }
    }

    @Test
    void twoProcesses() throws Exception {
        try (TestProcess server = TestProcess.builder().jvm(FIXED_HEAP).start(ChurnServerMain.class);
             TestProcess client = TestProcess.builder().jvm(FIXED_HEAP).start(ChurnMain.class, "client",
                     server.await("port"), 20_000)) {
            ProcessFigures clientBefore = figures("client process, 10 %", client);
            ProcessFigures serverBefore = figuresOf(server, 4);
            client.command("");
            ProcessFigures clientAfter = figures("client process, end", client);
            ProcessFigures serverAfter = figuresOf(server, 4);
            System.out.println("FIGURES two processes: " + client.await("took"));
            assertFlat(clientBefore, clientAfter, RESIDENT_SLACK_KB);
            assertFlat(serverBefore, serverAfter, RESIDENT_SLACK_KB);
            client.command("");
            client.awaitExit();
            client.assertQuiet();
            ProcessFigures serverAlone = figuresOf(server, 0);
            assertTrue(serverAlone.descriptors() <= serverBefore.descriptors() + ProcessFigures.DESCRIPTORS_OF_PROBE,
                    serverBefore + " became " + serverAlone);
            server.exit();
        }
    }

    /** The server may hear of the last connection's end a little later than its client, and of the client's end. */
    private static ProcessFigures figuresOf(TestProcess server, int links) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TestPeers.TIMEOUT_SECONDS);
        for (;;) {
            server.command("figures");
            String line = server.await("figures");
            if (line.endsWith(" 0 connections, " + links + " links, 0 operations, 1 registrations")) {
                System.out.println("FIGURES server process: " + line);
                return ProcessFigures.parse(line);
            }
            assertTrue(System.nanoTime() < deadline, line);
        }
    }

    private static ProcessFigures figures(String what, TestProcess child) throws Exception {
        // The cycles may take longer than one wait.
        String line = child.await("figures", 150);
        System.out.println("FIGURES " + what + ": " + line);
        return ProcessFigures.parse(line);
    }

    private static void assertFlat(ProcessFigures before, ProcessFigures after, int residentSlackKb) {
        assertTrue(after.residentKb() - before.residentKb() <= residentSlackKb, before + " became " + after);
        assertTrue(after.descriptors() - before.descriptors() <= 4, before + " became " + after);
        // The JVM itself maps arenas and thread stacks now and then.
        assertTrue(after.mappings() - before.mappings() <= 32, before + " became " + after);
    }
}
