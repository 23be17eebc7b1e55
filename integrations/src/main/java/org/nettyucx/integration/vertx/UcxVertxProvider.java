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
package org.nettyucx.integration.vertx;

import io.netty.util.internal.SystemPropertyUtil;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.spi.VertxServiceProvider;
import io.vertx.core.transport.Transport;
import org.nettyucx.Ucx;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Turns every Vert.x instance that was given no transport to UCX; Vert.x finds it by {@link java.util.ServiceLoader}.
 * {@code -Dorg.nettyucx.vertx.enabled=false} switches it off. Where UCX is not available there is one warning and
 * Vert.x uses TCP; with {@code -Dorg.nettyucx.vertx.required=true} making a Vert.x instance fails.
 */
public final class UcxVertxProvider implements VertxServiceProvider {
    static final String ENABLED = "org.nettyucx.vertx.enabled";
    static final String REQUIRED = "org.nettyucx.vertx.required";

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(UcxVertxProvider.class);
    private static final AtomicBoolean WARNED = new AtomicBoolean();

    @Override
    public void init(VertxBootstrap bootstrap) {
        // Where nothing was chosen Vert.x has set NIO, or what it found for those who prefer a native transport.
        boolean chosen = bootstrap.transport() != Transport.NIO.implementation() &&
                !bootstrap.options().getPreferNativeTransport();
        if (chosen || !SystemPropertyUtil.getBoolean(ENABLED, true)) {
            return;
        }
        Throwable cause = Ucx.unavailabilityCause();
        if (cause == null) {
            bootstrap.transport(new UcxVertxTransport());
        } else if (SystemPropertyUtil.getBoolean(REQUIRED, false)) {
            throw new IllegalStateException("Vert.x cannot use UCX: " + cause.getMessage(), cause);
        } else if (WARNED.compareAndSet(false, true)) {
            logger.warn("Vert.x cannot use UCX and uses TCP instead, over which it cannot talk with peers that use " +
                    "UCX (-D{}=true makes this an error, -D{}=false is to say that you know): {}", REQUIRED, ENABLED,
                    cause.getMessage());
            logger.debug("why Vert.x cannot use UCX", cause);
        }
    }
}
