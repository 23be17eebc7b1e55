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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The send operations of one event loop, by id. Ids start at 1: native code reports no completion for 0. */
final class SendOperations {
    private final List<SendOperation> all = new ArrayList<>();
    private SendOperation[] idle = new SendOperation[16];
    private int idleCount;

    SendOperation take() {
        if (idleCount > 0) {
            return idle[--idleCount];
        }
        SendOperation operation = new SendOperation(all.size() + 1L);
        all.add(operation);
        return operation;
    }

    /** The operation is done and its sender has seen that. */
    void giveBack(SendOperation operation) {
        if (idleCount == idle.length) {
            idle = Arrays.copyOf(idle, idleCount << 1);
        }
        idle[idleCount++] = operation;
    }

    SendOperation get(long id) {
        return all.get((int) id - 1);
    }

    /** Operations that UCX has not completed, or whose sender has not seen that. */
    int inUse() {
        return all.size() - idleCount;
    }
}
