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
package org.nettyucx.info;

import java.util.List;

/** Kinds of what UCX calls like {@code rc_mlx5/mlx5_0:1}. */
final class Transports {
    private Transports() {
    }

    static boolean isRdma(String transport) {
        return List.of("rc_", "dc_", "ud_", "srd").stream().anyMatch(transport::startsWith);
    }

    static boolean isSharedMemory(String transport) {
        return transport.startsWith("posix/") || transport.startsWith("sysv/") || transport.startsWith("xpmem/");
    }

    static boolean isTcp(String transport) {
        return transport.startsWith("tcp/");
    }

    /** {@code mlx5_0} of {@code rc_mlx5/mlx5_0:1}. */
    static String deviceOf(String transport) {
        String device = transport.substring(transport.indexOf('/') + 1);
        int colon = device.indexOf(':');
        return colon < 0 ? device : device.substring(0, colon);
    }
}
