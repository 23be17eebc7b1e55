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

import io.netty.channel.IoHandlerContext;

/** What the epoll handler sees outside of the event loop's own turns: it never sleeps. */
enum PollingContext implements IoHandlerContext {
    INSTANCE;

    @Override
    public boolean canBlock() {
        return false;
    }

    @Override
    public long delayNanos(long currentTimeNanos) {
        return 0;
    }

    @Override
    public long deadlineNanos() {
        return -1;
    }
}
