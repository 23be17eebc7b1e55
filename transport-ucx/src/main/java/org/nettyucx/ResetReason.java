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

/** Why a connection is reset, as told to the peer. */
enum ResetReason {
    /** A reason of a newer version. */
    UNKNOWN(0, "for a reason that this version does not know"),
    /** SO_LINGER 0, or the channel was closed before it was active. */
    ABORTED(1, "it was aborted"),
    UNREAD_INPUT(2, "it was closed before all received bytes were read"),
    DATA_AFTER_CLOSE(3, "bytes arrived after it was closed"),
    PROTOCOL_ERROR(4, "of a protocol error"),
    LINK_FAILED(5, "UCX lost the link"),
    LINGER_TIMEOUT(6, "the linger time of the closed channel was over");

    private static final ResetReason[] VALUES = values();

    private final int code;
    private final String text;

    ResetReason(int code, String text) {
        this.code = code;
        this.text = text;
    }

    int code() {
        return code;
    }

    String text() {
        return text;
    }

    static ResetReason of(int code) {
        for (ResetReason reason : VALUES) {
            if (reason.code == code) {
                return reason;
            }
        }
        return UNKNOWN;
    }
}
