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

/** How an event loop waits when it has nothing to do. */
public enum UcxWaitStrategy {
    /**
     * Sleep after 5 microseconds without work, which is less than going to sleep and being woken costs. The least CPU
     * time; a wakeup takes tens of microseconds.
     */
    BLOCK,
    /**
     * Poll for a bounded time that is learned from recent traffic, then sleep. Close to {@link #SPIN} while messages
     * follow each other quickly, close to {@link #BLOCK} when they do not. The default.
     */
    ADAPTIVE,
    /** Never sleep: the lowest latency, at the price of a whole core for each event loop. For pinned cores. */
    SPIN
}
