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

/** Whom peers that know the event loop's worker by its address name by a number: a server, or a control channel. */
interface DirectReceiver {
    /** Bytes came from the control channel of this number; they are there until this returns. */
    void received(long sender, long address, int length);

    /** The event loop's worker is another one. */
    default void workerChanged() {
        // The connection of a control channel is lost, and is told so.
    }
}
