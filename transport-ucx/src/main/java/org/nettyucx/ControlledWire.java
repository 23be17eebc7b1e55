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

/** A wire with control messages: what those that follow the handshake mean is the same for all of them. */
interface ControlledWire extends Wire, ControlHandler.Listener {
    Connection connection();

    /** Whether the handshake is done and the connection still needs the wire. */
    boolean isOpen();

    @Override
    default void finReceived(long total) {
        if (isOpen()) {
            connection().finReceived(total);
        } else {
            failHandshake(ResetReason.PROTOCOL_ERROR, "unexpected FIN");
        }
    }

    @Override
    default void finAckReceived() {
        if (isOpen()) {
            connection().finAckReceived();
        } else {
            failHandshake(ResetReason.PROTOCOL_ERROR, "unexpected FIN_ACK");
        }
    }

    @Override
    default void controlViolated(String what) {
        if (isOpen()) {
            connection().protocolViolated(what);
        } else {
            failHandshake(ResetReason.PROTOCOL_ERROR, what);
        }
    }
}
