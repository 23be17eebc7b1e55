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
package org.nettyucx.benchmark;

import java.util.concurrent.atomic.AtomicLong;

/** Counts on one thread what another one reads now and then; costs the counting thread no more than a plain field. */
final class Counter {
    private final AtomicLong value = new AtomicLong();

    void add(long n) {
        value.lazySet(value.getPlain() + n);
    }

    long get() {
        return value.get();
    }
}
