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

import java.io.IOException;

/**
 * WIRE RAW over an endpoint of the channel's own: UCX's stream and nothing else. Reading stops at the window, further
 * bytes stay in UCX, which has no bound and drops them when the peer goes away.
 */
final class RawWire extends EndpointWire {
    /** There is no credit: more than anybody sends. */
    private static final long UNLIMITED = 1L << 60;
    /** A closed endpoint takes from its peer what that has not read; so it stays open until the peer had some time. */
    private static final int HOLD_MILLIS = 100;

    private boolean ending;
    private boolean sent;
    private boolean lingering;

    RawWire(UcxSocketChannel channel, UcxListener.Request request, int acceptTimeoutMillis) {
        super(channel, request, acceptTimeoutMillis);
    }

    @Override
    UcxWire kind() {
        return UcxWire.RAW;
    }

    @Override
    boolean sendsClientId() {
        return false;
    }

    @Override
    String describeTimeout() {
        return " (UCX did not get connected: does a UCX listener accept there?)";
    }

    @Override
    void shakeHands() throws IOException {
        checkTransports();
        int status = Native.streamReceive(endpoint().handle(), connection().id(),
                channel().config().getReceiveBufferSize());
        if (status < 0) {
            throw new UcxException("ucp_stream_recv_nbx", status);
        }
        open(UNLIMITED);
    }

    @Override
    public void failHandshake(ResetReason reason, String what) {
        fail(new IOException("handshake with " + remoteAddress() + " failed: " + what));
    }

    @Override
    public void controlReceived(long address, int length) {
        // Its worker knows no active messages.
    }

    @Override
    public int send(long offset, long iov, int iovCount, SendOperation operation) {
        if (!endpoint().isOpen()) {
            // It has just failed, and not everyone has been told.
            return Native.STATUS_CONNECTION_RESET;
        }
        operation.sentOver(this);
        return Native.streamSend(endpoint().handle(), iov, iovCount, operation.id());
    }

    /** Not told to the peer: UCX may fetch so many bytes. */
    @Override
    public void sendCredit(long total) {
        if (endpoint().isOpen()) {
            Native.streamGrant(endpoint().handle(), total);
        }
    }

    /** The peer cannot be told; but the end has come when all bytes have left UCX. */
    @Override
    public void sendFin(long total) {
        ending = true;
        if (!endpoint().isOpen()) {
            return;
        }
        try {
            endpoint().flush();
        } catch (UcxException e) {
            endpointFailed(e.status());
        }
    }

    @Override
    public void endpointFlushed(int status) {
        if (phase() != Phase.OPEN || !ending) {
            super.endpointFlushed(status);
        } else if (status != 0) {
            endpointFailed(status);
        } else {
            sent = true;
            connection().finAckReceived();
            finishLingering();
        }
    }

    @Override
    public void lingering() {
        lingering = true;
        finishLingering();
    }

    private void finishLingering() {
        if (sent && lingering) {
            handler().deadlines().schedule(HOLD_MILLIS, () -> {
                if (phase() == Phase.OPEN) {
                    // The peer's direction ends with the channel.
                    connection().finReceived(connection().inbound().received());
                }
            });
        }
    }

    @Override
    public void sendFinAck() {
        // There is nobody who waits for it.
    }

    @Override
    public void sendReset(ResetReason reason, long total) {
        // Closing the endpoint is all that the peer can be told.
    }

    @Override
    public void close() {
        closeNow();
    }
}
