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

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What a list of allowed transports means, without UCX: which words it may have, and what is said of a refusal. */
class AllowedTransportsTextTest {
    private static final List<String> AVAILABLE = List.of("tcp/lo", "rc_verbs/rxe0:1", "posix/memory");

    @AfterEach
    void clearProperty() {
        System.clearProperty(AllowedTransports.PROPERTY);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "rdma; rc_verbs/rxe0:1 ud_verbs/rxe0:1 dc_mlx5/mlx5_0:1; tcp/lo posix/memory self/memory",
        "shm; posix/memory sysv/memory cma/memory self/memory; tcp/eth0 rc_mlx5/mlx5_0:1",
        "tcp; tcp/eth0 tcp/lo; posix/memory rc_verbs/rxe0:1",
        "' RDMA , posix,tcp'; rc_verbs/rxe0:1 posix/memory tcp/lo; sysv/memory cma/memory",
        "rc_verbs; rc_verbs/rxe0:1; ud_verbs/rxe0:1",
        "all; tcp/lo posix/memory new_one/device; ''"})
    void classesAndNames(String list, String allowed, String refused) {
        AllowedTransports transports = AllowedTransports.of(list);
        for (String transport : allowed.split(" ")) {
            assertEquals(List.of(), transports.refusedOf(List.of(transport)));
        }
        for (String transport : refused.isEmpty() ? new String[0] : refused.split(" ")) {
            assertEquals(List.of(transport), transports.refusedOf(List.of("tcp/x", transport)).stream()
                    .filter(name -> !name.equals("tcp/x")).toList());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "rmda", "tcp,", "tcp;shm", "rc_verbs/rxe0:1", "^tcp"})
    void otherWords(String list) {
        String message = assertThrows(IllegalArgumentException.class, () -> AllowedTransports.of(list)).getMessage();
        assertTrue(message.contains('"' + list + '"'), message);
        assertTrue(message.contains("all, rdma, shm, tcp and UCX's transports rc_verbs, "), message);
        System.setProperty(AllowedTransports.PROPERTY, list);
        message = assertThrows(IllegalArgumentException.class, AllowedTransports::ofProperty).getMessage();
        assertTrue(message.startsWith("-Dorg.nettyucx.allowedTransports: "), message);
    }

    @Test
    void reasons() {
        AllowedTransports rdma = AllowedTransports.of("rdma");
        assertEquals("the connection would use tcp/lo, but allowed are only rdma; available to UCX are tcp/lo (UCX " +
                     "finds none of the allowed ones on this machine with UCX_TLS=tcp, UCX_NET_DEVICES=lo)",
                rdma.describe(List.of("tcp/lo"), List.of("tcp/lo"), List.of("tcp/lo"), "tcp", "lo"));
        assertTrue(rdma.describe(List.of("tcp/lo"), List.of("tcp/lo"), AVAILABLE, null, null)
                .endsWith("(the peer has none of the allowed ones, or is out of their reach)"));
        assertTrue(rdma.describe(List.of("rc_verbs/rxe0:1", "tcp/lo"), List.of("tcp/lo"), AVAILABLE, null, null)
                .endsWith("(it uses others beside the allowed ones: leave them out with UCX_TLS on both sides)"));
        assertTrue(rdma.describe(List.of(), List.of(), List.of(), null, "mlx5_0:1")
                .startsWith("the connection would use unknown transports"));
    }
}
