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

import jdk.jfr.FlightRecorder;

import java.util.concurrent.atomic.AtomicLong;

/** A number that one thread changes and any may read; a read may be a little late. Costs what a plain field does. */
final class Counter {
    private static final boolean JFR = PlatformDependent.isJfrEnabled();

    private final AtomicLong value = new AtomicLong();

    /**
     * Whether somebody may be recording events of JFR. Without that its classes, which take a quarter of a second to be
     * loaded, are left alone; and a JVM may be without them.
     */
    static boolean isRecorded() {
        return JFR && FlightRecorder.isInitialized();
    }

    void add(long amount) {
        value.setOpaque(value.getPlain() + amount);
    }

    void set(long now) {
        value.setOpaque(now);
    }

    long get() {
        return value.getOpaque();
    }
}
