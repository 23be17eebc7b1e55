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

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Keeps UCX from running out of file descriptors, which over tcp it does not survive: when accept() fails in
 * uct_tcp_iface_connect_handler the worker's port is closed for good, or an assertion ends the process (before UCX 1.14
 * that of a peer, too), and ucp_worker_create ends it (ucp_worker_set_am_handlers). So neither side begins a handshake,
 * and no worker is made, unless there are enough. For all threads.
 */
final class Descriptors {
    /** Over tcp UCX has two sockets for a link, its own one and the peer's. */
    private static final int OF_A_LINK = 2;
    /** For everything else in the process. */
    private static final int SPARE = 16;

    /** Handshakes of clients, each of which may need a link. */
    private static final AtomicInteger reserved = new AtomicInteger();

    private Descriptors() {
    }

    /**
     * Whether there are enough for so many handshakes of a server.
     *
     * @param newest the descriptor that was made last: the kernel gives the lowest number that is free
     */
    static boolean sufficeForServer(int newest, int handshakes) {
        return newest + 1 + OF_A_LINK * handshakes + SPARE <= Native.descriptorLimit();
    }

    /** Before a client begins its handshake; {@link #release} follows when that is over. */
    static void reserveForClient() throws IOException {
        int needed = OF_A_LINK * reserved.incrementAndGet() + SPARE;
        boolean success = false;
        try {
            require(needed);
            success = true;
        } finally {
            if (!success) {
                release();
            }
        }
    }

    static void requireForWorker() throws IOException {
        require(SPARE);
    }

    private static void require(int needed) throws IOException {
        int free = Native.freeDescriptors(needed);
        if (free < needed) {
            throw new IOException("too few file descriptors: " + free + " of " + Native.descriptorLimit() +
                    " are left (see ulimit -n)");
        }
    }

    static void release() {
        reserved.decrementAndGet();
    }
}
