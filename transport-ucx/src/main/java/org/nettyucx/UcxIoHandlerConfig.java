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

import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

import static io.netty.util.internal.ObjectUtil.checkNotNull;
import static io.netty.util.internal.ObjectUtil.checkPositive;
import static io.netty.util.internal.ObjectUtil.checkPositiveOrZero;

/**
 * Settings of the event loops of one group. Mutable, not thread-safe; {@link UcxIoHandler#newFactory} takes a copy.
 * A value that was not set comes from the system property named at its setter, else from its default.
 */
public final class UcxIoHandlerConfig {
    private static final String PREFIX = "org.nettyucx.";

    private UcxWaitStrategy waitStrategy;
    private long maxSpinMicros;
    private long lingerMillis;
    private long shutdownMillis;

    /**
     * Makes a configuration from the system properties and defaults.
     *
     * @throws IllegalArgumentException if a system property has a value that is not allowed
     */
    public UcxIoHandlerConfig() {
        waitStrategy = waitStrategyProperty();
        maxSpinMicros = property("maxSpinMicros", 50, 0);
        lingerMillis = property("lingerMillis", 30_000, 1);
        shutdownMillis = property("shutdownMillis", 2_000, 0);
    }

    private UcxIoHandlerConfig(UcxIoHandlerConfig other) {
        waitStrategy = other.waitStrategy;
        maxSpinMicros = other.maxSpinMicros;
        lingerMillis = other.lingerMillis;
        shutdownMillis = other.shutdownMillis;
    }

    private static UcxWaitStrategy waitStrategyProperty() {
        String value = System.getProperty(PREFIX + "waitStrategy");
        if (value == null) {
            return UcxWaitStrategy.ADAPTIVE;
        }
        for (UcxWaitStrategy strategy : UcxWaitStrategy.values()) {
            if (strategy.name().equals(value.trim().toUpperCase(Locale.ROOT))) {
                return strategy;
            }
        }
        throw new IllegalArgumentException("-D" + PREFIX + "waitStrategy=" + value + ": valid values are " +
                Arrays.toString(UcxWaitStrategy.values()));
    }

    private static long property(String name, long defaultValue, long smallest) {
        String value = System.getProperty(PREFIX + name);
        if (value == null) {
            return defaultValue;
        }
        try {
            long parsed = Long.parseLong(value.trim());
            if (parsed >= smallest) {
                return parsed;
            }
        } catch (NumberFormatException ignored) {
            // Falls through to the exception that names the valid values.
        }
        throw new IllegalArgumentException("-D" + PREFIX + name + "=" + value +
                ": valid values are whole numbers from " + smallest);
    }

    /**
     * How a loop waits for work. System property {@code org.nettyucx.waitStrategy}, default
     * {@link UcxWaitStrategy#ADAPTIVE}.
     */
    public UcxIoHandlerConfig waitStrategy(UcxWaitStrategy waitStrategy) {
        this.waitStrategy = checkNotNull(waitStrategy, "waitStrategy");
        return this;
    }

    /** Returns how a loop waits for work. */
    public UcxWaitStrategy waitStrategy() {
        return waitStrategy;
    }

    /**
     * The longest that {@link UcxWaitStrategy#ADAPTIVE} polls before it sleeps; 0 never polls. System property
     * {@code org.nettyucx.maxSpinMicros} (microseconds), default 50 microseconds.
     *
     * @throws IllegalArgumentException if the duration is negative
     */
    public UcxIoHandlerConfig maxSpin(long duration, TimeUnit unit) {
        maxSpinMicros = unit.toMicros(checkPositiveOrZero(duration, "duration"));
        return this;
    }

    /** Returns the longest time, in microseconds, that an adaptive loop polls before it sleeps. */
    public long maxSpinMicros() {
        return maxSpinMicros;
    }

    /**
     * How long a closed channel goes on in the background until its peer has everything that was written and has closed
     * too. System property {@code org.nettyucx.lingerMillis}, default 30 seconds.
     *
     * @throws IllegalArgumentException if the duration is not positive
     */
    public UcxIoHandlerConfig linger(long duration, TimeUnit unit) {
        lingerMillis = unit.toMillis(checkPositive(duration, "duration"));
        return this;
    }

    /** Returns how many milliseconds a closed channel may go on in the background. */
    public long lingerMillis() {
        return lingerMillis;
    }

    /**
     * How long a loop that shuts down waits for peers to acknowledge what was written before its channels were closed.
     * System property {@code org.nettyucx.shutdownMillis}, default 2 seconds.
     *
     * @throws IllegalArgumentException if the duration is negative
     */
    public UcxIoHandlerConfig shutdown(long duration, TimeUnit unit) {
        shutdownMillis = unit.toMillis(checkPositiveOrZero(duration, "duration"));
        return this;
    }

    /** Returns how many milliseconds a loop that shuts down waits for its peers. */
    public long shutdownMillis() {
        return shutdownMillis;
    }

    UcxIoHandlerConfig copy() {
        return new UcxIoHandlerConfig(this);
    }
}
