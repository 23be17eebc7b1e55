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

/** Why a HELLO is answered with REFUSE. */
enum Refusal {
    /** A reason of a newer version. */
    UNKNOWN(0),
    VERSION(1),
    CONNECTOR(2),
    MALFORMED(3),
    TCP_SEGMENTS(4),
    /** The refusing side could not make its link. */
    LINK(5),
    /** The server, or the channel, was closed. */
    CLOSED(6),
    /** Its policy does not allow the transports that the link uses. */
    TRANSPORT(7);

    private static final Refusal[] VALUES = values();

    private final int code;

    Refusal(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    static Refusal of(int code) {
        for (Refusal refusal : VALUES) {
            if (refusal.code == code) {
                return refusal;
            }
        }
        return UNKNOWN;
    }
}
