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

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

import java.io.IOException;
import java.util.List;

/**
 * The state of a connection that outlives its channel: the Netty channel closes at once, while the connection lingers
 * in the event loop's handler until its peer has all that was written. Counts the bytes and credits of both directions
 * and does what {@link CloseState} decides. On the event loop only.
 */
final class Connection implements CloseState.Actions {
    private static final InternalLogger logger = InternalLoggerFactory.getInstance(Connection.class);

    /** With no FIN to tell how many bytes are still to come: the last ones have come when none did for so long. */
    private static final int DRAIN_QUIET_MILLIS = 20;
    private static final int DRAIN_LIMIT_MILLIS = 500;
    /** A DATA message has at most so many bytes, and at most half a window. */
    private static final int LARGEST_MESSAGE = 1024 * 1024;
    /** Over tcp a message that does not fit into one of UCX's segments is put together by UCX in memory of its own. */
    private static final int SMALLEST_TCP_MESSAGE = 64 * 1024;
    private static final int TCP_HEADERS = 1024;

    private final UcxSocketChannel channel;
    private Wire wire;
    private final CloseState state = new CloseState(this);
    private final InboundBytes inbound = new InboundBytes();
    private UcxIoHandler handler;
    private ByteBufAllocator allocator;
    private boolean established;
    private boolean ready;
    private boolean borrowing;

    private long id;
    private long window;
    private long consumed;
    private long granted;
    private int rendezvous;

    private long sent;
    private long remoteGranted;
    private long remoteWindow;
    private int largestMessage = LARGEST_MESSAGE;

    private Deadlines.Deadline deadline;
    private long drainStart;
    private long drainSeen;

    Connection(UcxSocketChannel channel, Wire wire) {
        this.channel = channel;
        this.wire = wire;
    }

    // ---- opening

    /** Changes the way to the peer, before {@link #register}. */
    void use(Wire other) {
        wire = other;
    }

    void register(UcxIoHandler handler, EventLoop eventLoop, ChannelPromise promise) {
        this.handler = handler;
        allocator = channel.alloc();
        wire.register(handler, eventLoop, promise);
    }

    /** Makes the connection reachable for the peer's messages. */
    void open(int window) throws UcxException {
        this.window = window;
        granted = window;
        id = handler.worker().openChannel(window);
        handler.connections().put(id, this);
    }

    long id() {
        return id;
    }

    /** The handshake is done in both directions. */
    void opened(long remoteWindow) {
        this.remoteWindow = remoteWindow;
        remoteGranted = remoteWindow;
        List<String> transports = wire.transports();
        if (!transports.isEmpty() && transports.stream().allMatch(name -> name.startsWith("tcp/"))) {
            largestMessage = Math.min(LARGEST_MESSAGE,
                    Math.max(SMALLEST_TCP_MESSAGE, UcxSettings.tcpSentSegment()) - TCP_HEADERS);
        }
        established = true;
        channel.connectionOpened();
    }

    void openFailed(Throwable cause) {
        release();
        channel.connectionFailed(cause);
    }

    // ---- what comes in

    void readyReceived(long value) {
        wire.readyReceived(value);
    }

    void dataReceived(long offset, long address, int length) {
        if (state.isFinished()) {
            return;
        }
        if (!established) {
            protocolViolated("DATA before the handshake was done");
            return;
        }
        if (length == 0) {
            return;
        }
        channel.recorder().received(length);
        if (state.isClosed()) {
            state.receivedAfterClose();
            return;
        }
        boolean added;
        try {
            added = inbound.add(offset, address, length, allocator);
        } catch (Throwable t) {
            receiveFailed(t);
            return;
        }
        if (added) {
            handler.ownLater(this);
            handler.deliverLater(this);
            state.received(inbound.received());
        } else {
            protocolViolated("DATA at offset " + offset + " overlaps what came before, up to " + inbound.received());
        }
    }

    /** Received bytes cannot be kept: there is no memory. */
    private void receiveFailed(Throwable cause) {
        logger.warn("{} received bytes that cannot be kept, it is reset", channel, cause);
        inbound.release();
        state.failed(new IOException("received bytes are lost: " + cause, cause));
    }

    void rendezvousStarted() {
        rendezvous++;
    }

    void rendezvousReceived(int status, long offset, long address, int length) {
        rendezvous--;
        if (status == 0) {
            dataReceived(offset, address, length);
        } else {
            logger.debug("{} rendezvous failed: {}", channel, NativeText.ofStatus(status));
            if (established) {
                state.linkFailed(new UcxException("ucp_am_recv_data_nbx", status));
            }
        }
    }

    void creditReceived(long total) {
        if (!established || state.isFinished()) {
            return;
        }
        if (total > sent + remoteWindow) {
            protocolViolated("CREDIT up to " + total + " when " + sent + " bytes were sent with a window of " +
                    remoteWindow);
        } else if (total > remoteGranted) {
            remoteGranted = total;
            channel.recorder().credited();
            channel.writeMore();
        }
    }

    void finReceived(long total) {
        state.finReceived(total);
    }

    void finAckReceived() {
        state.finAckReceived();
    }

    void resetReceived(ResetReason reason, long total) {
        logger.debug("{} reset by peer: {}", channel, reason);
        channel.recorder().ends("reset by the peer: " + reason.text());
        state.resetReceived(reason, total);
    }

    /** The peer or the way to it is gone; control messages cannot be sent any more. */
    void peerLost(IOException cause) {
        channel.recorder().ends("the peer is gone: " + cause.getMessage());
        state.peerLost(cause);
    }

    /** As {@link #peerLost}, but control messages still can be sent. */
    void linkFailed(IOException cause) {
        channel.recorder().ends("the link failed: " + cause.getMessage());
        state.linkFailed(cause);
    }

    /** The worker that the peer knows does not receive any more. */
    void workerLost(IOException cause) {
        if (established) {
            state.linkFailed(cause);
            state.drainExpired();
        } else {
            wire.failHandshake(ResetReason.LINK_FAILED, cause.getMessage());
        }
    }

    void protocolViolated(String what) {
        logger.debug("{} protocol violation: {}", channel, what);
        if (established) {
            state.violated(what);
        } else {
            wire.failHandshake(ResetReason.PROTOCOL_ERROR, what);
        }
    }

    // ---- what goes out

    /** How many bytes one DATA message may have now; 0 if the peer has granted none. */
    int sendable() {
        int bytes = (int) Math.min(Math.min(remoteGranted - sent, Math.max(1, remoteWindow / 2)), largestMessage);
        if (bytes == 0) {
            channel.recorder().stalled();
        }
        return bytes;
    }

    /** Whether neither side has sent anything yet, as far as this one knows. */
    boolean isUnused() {
        return sent == 0 && inbound.received() == 0 && rendezvous == 0 && state.receive() == CloseState.Receive.OPEN &&
               state.send() == CloseState.Send.OPEN;
    }

    long sent() {
        return sent;
    }

    /** Sends bytes; as {@link Wire#send}. */
    int send(long iov, int iovCount, int bytes, SendOperation operation) {
        int result = wire.send(sent, iov, iovCount, operation);
        if (result >= 0) {
            sent += bytes;
            channel.recorder().sent(bytes);
        }
        return result;
    }

    void sendFailed(int status) {
        wire.sendFailed(status);
    }

    void sendCompleted(SendOperation operation, int status) {
        if (status != 0) {
            wire.sendFailed(status);
        }
        channel.writeCompleted(operation);
    }

    // ---- the user's side

    InboundBytes inbound() {
        return inbound;
    }

    UcxIoHandler handler() {
        return handler;
    }

    CloseState state() {
        return state;
    }

    /** Tells the channel what is new. */
    void deliver() {
        ready = false;
        channel.deliver();
    }

    /** The memory that received bytes lie in is about to be reused: what was not read is copied. */
    void own() {
        borrowing = false;
        try {
            inbound.own(allocator);
        } catch (Throwable t) {
            receiveFailed(t);
        }
    }

    boolean markBorrowing() {
        boolean first = !borrowing;
        borrowing = true;
        return first;
    }

    boolean markReady() {
        boolean first = !ready;
        ready = true;
        return first;
    }

    /** The user has taken this many bytes, or does not want them. */
    void consumed(int bytes) {
        consumed += bytes;
        channel.recorder().read(bytes);
        if (established && !state.isFinished() && state.lost() == null &&
            state.receive() == CloseState.Receive.OPEN && consumed + window - granted >= window / 2) {
            granted = consumed + window;
            handler.worker().grant(id, granted);
            wire.sendCredit(granted);
        }
    }

    void shutdownOutput() {
        state.shutdownOutput();
    }

    /** The channel is closed. */
    void close(boolean abort) {
        boolean unread = inbound.readableBytes() > 0;
        inbound.release();
        if (!established) {
            release();
            wire.abort();
        } else if (abort) {
            state.abort(ResetReason.ABORTED);
        } else {
            state.close(unread);
        }
    }

    /** Whether everything that was written is known to have arrived, or to be lost. */
    boolean isSettled() {
        return state.isFinished() || state.send() == CloseState.Send.FIN_ACKED;
    }

    /** The event loop ends: gives the connection up. */
    void forceFinish() {
        if (!state.isFinished()) {
            if (isSettled()) {
                state.lingerExpired();
            } else {
                state.abort(ResetReason.ABORTED);
            }
        }
    }

    // ---- CloseState.Actions

    @Override
    public void sendFin() {
        wire.sendFin(sent);
    }

    @Override
    public void sendFinAck() {
        wire.sendFinAck();
    }

    @Override
    public void sendReset(ResetReason reason) {
        logger.debug("{} reset: {}", channel, reason);
        channel.recorder().ends("reset: " + reason.text());
        wire.sendReset(reason, sent);
    }

    @Override
    public void inputEnded() {
        channel.inputEnded();
        handler.deliverLater(this);
    }

    @Override
    public void inputFailed(IOException cause) {
        channel.inputFailed(cause);
        handler.deliverLater(this);
    }

    @Override
    public void outputFailed(IOException cause) {
        channel.outputFailed(cause);
        handler.deliverLater(this);
    }

    @Override
    public void startLinger() {
        wire.lingering();
        replaceDeadline(channel.lingerMillis(handler.config()), state::lingerExpired);
    }

    @Override
    public void startDrain() {
        drainStart = System.nanoTime();
        drainSeen = inbound.received();
        replaceDeadline(DRAIN_QUIET_MILLIS, this::drain);
    }

    private void drain() {
        deadline = null;
        boolean quiet = drainSeen == inbound.received() && rendezvous == 0 && !state.isExpectedKnown();
        if (quiet || System.nanoTime() - drainStart >= DRAIN_LIMIT_MILLIS * 1_000_000L) {
            state.drainExpired();
        } else {
            drainSeen = inbound.received();
            replaceDeadline(DRAIN_QUIET_MILLIS, this::drain);
        }
    }

    @Override
    public void finished() {
        channel.recorder().finished();
        release();
        wire.close();
    }

    private void replaceDeadline(long millis, Runnable action) {
        handler.deadlines().cancel(deadline);
        deadline = handler.deadlines().schedule(millis, action);
    }

    /** The peer cannot reach the connection any more. */
    private void release() {
        if (handler != null) {
            handler.deadlines().cancel(deadline);
            deadline = null;
            if (id != 0) {
                handler.worker().closeChannel(id);
                handler.connections().remove(id);
                id = 0;
            }
        }
    }

    @Override
    public String toString() {
        return channel.toString();
    }
}
