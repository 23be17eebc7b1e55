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

import io.netty.buffer.ByteBuf;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;

/**
 * WIRE NETTY over an endpoint of the channel's own: the bytes and all control messages, HELLO included, are active
 * messages, the latter exactly as they would go over TCP with the connector BOOTSTRAP.
 */
final class ListenerWire extends EndpointWire implements ControlledWire {
    /** The peer may need what was sent last for so long; then it is of no use any more. */
    private static final int HOLD_MILLIS = 2_000;

    private final ControlHandler controlHandler = new ControlHandler(this);
    private Hello remoteHello;
    private Hello ownHello;
    private boolean doneReceived;

    ListenerWire(UcxSocketChannel channel, UcxListener.Request request, int acceptTimeoutMillis) {
        super(channel, request, acceptTimeoutMillis);
        controlHandler.pause();
    }

    @Override
    UcxWire kind() {
        return UcxWire.NETTY;
    }

    @Override
    boolean sendsClientId() {
        return true;
    }

    @Override
    String describeTimeout() {
        return phase() == Phase.SHAKING_HANDS
                ? " (UCX is connected but the peer did not answer HELLO: does it use WIRE NETTY?)"
                : " (UCX did not get connected: is that a server with CONNECTOR LISTENER?)";
    }

    @Override
    void shakeHands() throws IOException {
        if (isClient()) {
            sendHello();
        }
        controlHandler.resume(this);
    }

    private Hello hello() {
        if (ownHello == null) {
            ownHello = Hello.of(handler().worker(), connection().id(), channel().config().getReceiveBufferSize(), 0, 0);
        }
        return ownHello;
    }

    private void sendHello() {
        sendControl(ControlCodec.hello(channel().alloc(), hello()));
    }

    private void sendControl(ByteBuf message) {
        if (!endpoint().isOpen()) {
            message.release();
            return;
        }
        int status = endpoint().sendControl(message);
        if (status < 0) {
            endpointFailed(status);
        }
    }

    @Override
    public boolean isOpen() {
        return phase() == Phase.OPEN;
    }

    // ---- what comes in

    @Override
    public void controlReceived(long address, int length) {
        controlHandler.received(channel().alloc(), NativeMemory.copy(channel().alloc(), address, length));
    }

    @Override
    public void helloReceived(Hello hello) {
        if (phase() != Phase.SHAKING_HANDS) {
            return;
        }
        try {
            Hello.checkSegments(hello(), hello);
            checkTransports();
        } catch (RefusedException e) {
            refuse(e);
            return;
        }
        remoteHello = hello;
        if (!isClient()) {
            sendHello();
        }
        if (phase() == Phase.SHAKING_HANDS) {
            open(hello.window());
        }
    }

    @Override
    public void handshakeFailed(RefusedException cause) {
        if (phase() != Phase.SHAKING_HANDS) {
            return;
        }
        if (isClient()) {
            fail(cause.failureOf(remoteAddress()), HOLD_MILLIS);
        } else {
            refuse(cause);
        }
    }

    @Override
    void refuse(RefusedException reason) {
        sendControl(isClient() ? ControlCodec.refused(channel().alloc(), reason)
                : ControlCodec.refuse(channel().alloc(), reason));
        fail(isClient() ? reason.failureOf(remoteAddress()) : reason, HOLD_MILLIS);
    }

    /** The client has got HELLO, and does not want this connection: it was open here for a moment. */
    @Override
    public void refusedReceived(RefusedException cause) {
        if (isOpen()) {
            connection().peerLost(cause.failureOf(remoteAddress()));
        } else {
            fail(cause.failureOf(remoteAddress()));
        }
    }

    @Override
    public void failHandshake(ResetReason reason, String what) {
        if (phase() == Phase.SHAKING_HANDS) {
            sendReset(reason, 0);
        }
        fail(new ConnectException("handshake with " + remoteAddress() + " failed: " + what), HOLD_MILLIS);
    }

    @Override
    public void resetReceived(ResetReason reason, long total) {
        if (isOpen()) {
            connection().resetReceived(reason, total);
        } else {
            fail(new SocketException("Connection reset by peer during the handshake (" + reason.text() + ')'));
        }
    }

    @Override
    public void doneReceived() {
        doneReceived = true;
        if (phase() == Phase.ENDING) {
            closeNow();
        }
    }

    @Override
    public void ended(Throwable cause) {
        // The end of an endpoint is reported by UCX.
    }

    // ---- what goes out

    @Override
    public int send(long offset, long iov, int iovCount, SendOperation operation) {
        if (!endpoint().isOpen()) {
            // It has just failed, and not everyone has been told.
            return Native.STATUS_CONNECTION_RESET;
        }
        operation.sentOver(this);
        return Native.send(endpoint().handle(), Native.MESSAGE_DATA, remoteHello.channel(), offset, iov, iovCount,
                operation.id());
    }

    @Override
    public void sendCredit(long total) {
        if (endpoint().isOpen()) {
            int status = Native.send(endpoint().handle(), Native.MESSAGE_CREDIT, remoteHello.channel(), total, 0, 0, 0);
            if (status < 0) {
                endpointFailed(status);
            }
        }
    }

    @Override
    public void sendFin(long total) {
        sendControl(ControlCodec.fin(channel().alloc(), total));
    }

    @Override
    public void sendFinAck() {
        sendControl(ControlCodec.finAck(channel().alloc()));
    }

    @Override
    public void sendReset(ResetReason reason, long total) {
        sendControl(ControlCodec.reset(channel().alloc(), reason, total));
    }

    /** Closing an endpoint loses what is on its way, so it waits until the peer is done with it, too, and says so. */
    @Override
    public void close() {
        if (phase() == Phase.OPEN) {
            sendControl(ControlCodec.done(channel().alloc()));
        }
        end(doneReceived ? 0 : HOLD_MILLIS);
    }

    @Override
    public void abort() {
        if (phase() == Phase.SHAKING_HANDS) {
            sendReset(ResetReason.ABORTED, 0);
            end(HOLD_MILLIS);
        } else {
            super.abort();
        }
    }

    @Override
    void closeNow() {
        super.closeNow();
        controlHandler.release();
    }
}
