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

import java.net.ConnectException;
import java.net.SocketAddress;

/** A handshake that one of the two sides does not want to go on with. */
final class RefusedException extends ConnectException {
    private static final long serialVersionUID = 1L;

    private final Refusal refusal;

    RefusedException(Refusal refusal, String message) {
        super(message);
        this.refusal = refusal;
    }

    Refusal refusal() {
        return refusal;
    }

    /** What it is for the user of a channel. */
    ConnectException failureOf(SocketAddress peer) {
        return (ConnectException) new ConnectException("handshake with " + peer + " failed: " + getMessage())
                .initCause(this);
    }
}
