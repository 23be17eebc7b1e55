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

import io.netty.channel.epoll.Epoll;
import io.netty.util.internal.SystemPropertyUtil;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

import java.util.List;

/**
 * Tells whether this JVM can use UCX, and if not, why. The first use of this class loads the native library, opens
 * {@code libucp.so.0} and proves with one context and one worker that UCX works; the context is kept for the life of
 * the JVM. All methods may be called by any thread.
 */
public final class Ucx {
    private static final InternalLogger logger = InternalLoggerFactory.getInstance(Ucx.class);
    private static final Throwable UNAVAILABILITY_CAUSE;

    static {
        Throwable cause = null;
        try {
            prove();
            logger.debug("UCX {} is available", UcxContext.version());
        } catch (Throwable t) {
            cause = t;
            if (logger.isTraceEnabled()) {
                logger.debug("UCX is not available", cause);
            } else {
                logger.debug("UCX is not available: {}", cause.getMessage());
            }
        }
        UNAVAILABILITY_CAUSE = cause;
    }

    private Ucx() {
    }

    private static void prove() throws Exception {
        for (String property : new String[] {"org.nettyucx.noNative", "io.netty.transport.noNative"}) {
            if (SystemPropertyUtil.getBoolean(property, false)) {
                throw new UnsupportedOperationException(
                        "Native transport was explicitly disabled with -D" + property + "=true");
            }
        }
        if (!Epoll.isAvailable()) {
            throw (Error) new UnsatisfiedLinkError("the UCX transport needs Netty's epoll transport: add " +
                    "netty-transport-native-epoll with the classifier of this platform to the class path")
                    .initCause(Epoll.unavailabilityCause());
        }
        try {
            Native.ensureLoaded();
        } catch (LinkageError e) {
            throw (Error) new UnsatisfiedLinkError("the native library of the UCX transport cannot be loaded: add " +
                    "netty-transport-native-ucx with the classifier of this platform (linux-x86_64, linux-aarch_64) " +
                    "to the class path: " + e.getMessage()).initCause(e);
        }
        UcxContext.ensureCreated();
        Native.workerDestroy(UcxContext.newWorker(false));
    }

    /** Returns {@code true} if the UCX transport can be used. */
    public static boolean isAvailable() {
        return UNAVAILABILITY_CAUSE == null;
    }

    /**
     * Does nothing if the UCX transport can be used.
     *
     * @throws UnsatisfiedLinkError if it cannot, with the reason as its cause
     */
    public static void ensureAvailability() {
        if (UNAVAILABILITY_CAUSE != null) {
            throw (Error) new UnsatisfiedLinkError("the UCX transport is not available: " +
                    UNAVAILABILITY_CAUSE.getMessage()).initCause(UNAVAILABILITY_CAUSE);
        }
    }

    /** Returns why UCX cannot be used and what to do about it, or {@code null} if it can be used. */
    public static Throwable unavailabilityCause() {
        return UNAVAILABILITY_CAUSE;
    }

    /**
     * Returns the version of the UCX library in use, like {@code 1.13.1}.
     *
     * @throws UnsatisfiedLinkError if UCX is not available
     */
    public static String version() {
        ensureAvailability();
        return UcxContext.version();
    }

    /**
     * Returns the transports and devices that UCX found on this machine and may use, like {@code tcp/lo} and
     * {@code posix/memory}. What a connection really uses is {@link UcxSocketChannel#transports()}.
     *
     * @throws UnsatisfiedLinkError if UCX is not available
     */
    public static List<String> transports() {
        ensureAvailability();
        return UcxContext.transports();
    }
}
