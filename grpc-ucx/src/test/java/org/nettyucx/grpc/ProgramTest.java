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

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Programs that know nothing of us, with and without UCX, and with the system properties. */
class ProgramTest {
    private static final String NO_UCX = "-Dorg.nettyucx.libucp=libnope.so.0";
    private static final List<String> UCX = List.of("channel ucx", "server ucx", "answer 42");
    private static final List<String> HTTP2 = List.of("channel http2", "server http2", "answer 42");

    private static void assertReport(List<String> expected, String... jvmOptions) throws Exception {
        try (Program program = Program.start(List.of(jvmOptions), "report")) {
            assertEquals(expected, program.awaitEnd());
            assertEquals("", program.errors());
        }
    }

    @Test
    void usesUcx() throws Exception {
        assertReport(UCX);
    }

    @Test
    @Tag("once")
    void usesUcxWhenRequired() throws Exception {
        assertReport(UCX, "-Dorg.nettyucx.grpc.required=true");
    }

    @Test
    @Tag("once")
    void switchedOff() throws Exception {
        assertReport(HTTP2, "-Dorg.nettyucx.grpc.enabled=false");
    }

    @Test
    @Tag("once")
    void switchedOffAlthoughRequired() throws Exception {
        assertReport(HTTP2, "-Dorg.nettyucx.grpc.enabled=false", "-Dorg.nettyucx.grpc.required=true", NO_UCX);
    }

    @Test
    @Tag("once")
    void fallsBackWithOneWarning() throws Exception {
        try (Program program = Program.start(List.of(NO_UCX), "report")) {
            assertEquals(HTTP2, program.awaitEnd());
            String errors = program.errors();
            assertEquals(1, errors.lines().filter(line -> line.startsWith("WARNING: ")).count(), errors);
            assertTrue(errors.contains("WARNING: gRPC cannot use UCX") && errors.contains("libnope.so.0"), errors);
        }
    }

    @Test
    @Tag("once")
    void failsWhereItIsRequired() throws Exception {
        try (Program program = Program.start(List.of(NO_UCX, "-Dorg.nettyucx.grpc.required=true"), "report")) {
            List<String> lines = program.awaitEnd();
            assertEquals(2, lines.size(), lines.toString());
            assertTrue(lines.get(0).startsWith("channel failed: gRPC cannot use UCX: ") &&
                       lines.get(0).contains("libnope.so.0"), lines.get(0));
            assertTrue(lines.get(1).startsWith("server failed: gRPC cannot use UCX: ") &&
                       lines.get(1).contains("libnope.so.0"), lines.get(1));
            assertEquals("", program.errors());
        }
    }

    /** A graceful shutdown has delivered all answers, although the event loops end with the JVM. */
    @ParameterizedTest
    @ValueSource(ints = {10, 50_000, 3_000_000})
    void lastAnswerOfAProgramThatEnds(int bytes) throws Exception {
        try (Program program = Program.start(List.of(), "serve-once", Integer.toString(bytes))) {
            int port = Integer.parseInt(program.readLine().split(" ")[1]);
            ManagedChannel channel = ManagedChannelBuilder.forAddress("localhost", port).usePlaintext().build();
            try {
                assertEquals(bytes, BytesService.call(channel, new byte[0]).length);
            } finally {
                channel.shutdownNow();
            }
            assertEquals(List.of(), program.awaitEnd());
            assertEquals("", program.errors());
        }
    }
}
