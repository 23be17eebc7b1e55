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

import io.netty.util.internal.SystemPropertyUtil;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import org.nettyucx.Ucx;

import java.util.concurrent.atomic.AtomicBoolean;

/** Whether gRPC can and shall use UCX. */
final class Availability {
    /** {@code false}: gRPC's own providers are used, as if we were not on the class path. */
    static final String ENABLED = "org.nettyucx.grpc.enabled";
    /** {@code true}: where UCX is not available, building a server or channel fails. */
    static final String REQUIRED = "org.nettyucx.grpc.required";

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(Availability.class);
    private static final AtomicBoolean WARNED = new AtomicBoolean();

    private Availability() {
    }

    /** Whether our providers come before gRPC's own. If not, although they should, there is a warning, once. */
    static boolean isChosen() {
        if (!SystemPropertyUtil.getBoolean(ENABLED, true)) {
            return false;
        }
        Throwable cause = unavailabilityCause();
        if (cause == null || SystemPropertyUtil.getBoolean(REQUIRED, false)) {
            return true;
        }
        if (WARNED.compareAndSet(false, true)) {
            logger.warn("gRPC cannot use UCX and uses TCP instead, over which it cannot talk with peers that use UCX " +
                    "(-D{}=true makes this an error, -D{}=false is to say that you know): {}", REQUIRED, ENABLED,
                    cause.getMessage());
            logger.debug("why gRPC cannot use UCX", cause);
        }
        return false;
    }

    /**
     * Does nothing if gRPC can use UCX.
     *
     * @throws IllegalStateException if it cannot, with the reason as its cause
     */
    static void ensure() {
        Throwable cause = unavailabilityCause();
        if (cause != null) {
            throw new IllegalStateException("gRPC cannot use UCX: " + cause.getMessage(), cause);
        }
    }

    private static Throwable unavailabilityCause() {
        try {
            Throwable cause = Ucx.unavailabilityCause();
            return cause != null ? cause : SharedLoops.unavailabilityCause();
        } catch (LinkageError e) {
            // Another Netty than ours is on the class path, such as 4.1.
            return e;
        }
    }
}
