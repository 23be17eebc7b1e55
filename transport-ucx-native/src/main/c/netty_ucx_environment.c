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

#include "netty_ucx_environment.h"

#include <stdlib.h>

#include "netty_ucx_library.h"

static void set_default(const char *name, const char *value) {
    setenv(name, value, 0);
}

void netty_ucx_environment_before_load(void) {
    /* The JVM owns SIGSEGV and friends (safepoints, implicit null checks); UCX before 1.20 takes them when loaded. */
    set_default("UCX_ERROR_SIGNALS", "");
    set_default("UCX_HANDLE_ERRORS", "none");
    /* The default is SIGHUP, which would no longer run the JVM's shutdown hooks. */
    set_default("UCX_DEBUG_SIGNO", "0");
    set_default("UCX_VFS_ENABLE", "n");
    set_default("UCX_WARN_UNUSED_ENV_VARS", "n");
    /* Standard output belongs to the application; UCX's async thread would even block on a full pipe. */
    set_default("UCX_LOG_FILE", "stderr");
    /* No memory hooks: installing them patches libc while other JVM threads run (seen to hang on 1.18.1). Without
     * hooks a registration cache would go stale, so it is off too. */
    set_default("UCX_MEM_EVENTS", "n");
    set_default("UCX_RCACHE_ENABLE", "n");
}

void netty_ucx_environment_after_load(int version) {
    /* Without it UCX silently leaves out shared memory when endpoints handle peer failure, as ours do. */
    set_default("UCX_MM_ERROR_HANDLING", "y");
    /* Or else creating an endpoint blocks the event loop in connect() for as long as the address that a peer sent does
     * not answer, and aborts when the peer dies in the middle of it (tcp_ep.c, seen on 1.13.1). */
    set_default("UCX_TCP_CONN_NB", "y");
    /* What UCX has for a killed process is freed once the queue into its memory had room. That holds 64 messages of up
     * to 8 KiB on 1.13 - less than a window, so it was full and stayed full, and UCX kept it mapped for ever. 256 is
     * the default of 1.18. A sender goes by its own size, so all versions get the same. */
    set_default("UCX_POSIX_FIFO_SIZE", "256");
    set_default("UCX_SYSV_FIFO_SIZE", "256");
    /* One link carries many channels: few large segments are faster than UCX's 8 KiB. Peers compare them in HELLO. */
    set_default("UCX_TCP_TX_SEG_SIZE", "256k");
    set_default("UCX_TCP_RX_SEG_SIZE", "256k");
    /* As every Java server on Linux: a listener may bind again while connections of the one before are in TIME_WAIT. */
    set_default("UCX_TCP_CM_REUSEADDR", "y");
    /* Software RoCE delivers datagrams with a zero checksum of the destination, which UCX accepts only since 1.19. */
    if (version < NETTY_UCX_VERSION(1, 19)) {
        set_default("UCX_UD_VERBS_ETH_DGID_CHECK", "n");
    }
    /* No rendezvous. From 1.16 on UCX crashes when one ends with an error, as when the peer is killed, and there is no
     * registration cache (ucp_request_memh_invalidate: context->rcache is NULL). Measured over shared memory: eager is
     * as fast on 1.18.1, and several times faster on 1.13.1 from 64 KiB to 1 MiB. */
    set_default("UCX_RNDV_THRESH", "inf");
    if (version < NETTY_UCX_VERSION(1, 14)) {
        /* Beside rc UCX opens a ud endpoint for its keepalive and sends its first message there. 1.13 aborts when that
         * is closed before the peer's ud has answered (ucp_request.c: "got REQ message"), as when the peer was killed
         * while it shook hands with us. Our TCP connection tells us that the peer lives. */
        set_default("UCX_KEEPALIVE_INTERVAL", "inf");
    }
}
