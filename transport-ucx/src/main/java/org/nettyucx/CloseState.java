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
import java.net.SocketException;

/**
 * The life of an open connection as a state machine, apart from how its messages travel: two directions, each from open
 * to acknowledged, and the ways in which they break. It decides, {@link Actions} does. Not thread-safe.
 */
final class CloseState {
    /** What follows from an event. */
    interface Actions {
        void sendFin();

        void sendFinAck();

        void sendReset(ResetReason reason);

        /** Every byte that the peer sent is here: the user gets them, then the end of the stream. */
        void inputEnded();

        /** No more will come: the user gets the bytes that are here, then the cause. */
        void inputFailed(IOException cause);

        /** What the user writes from now on, or wrote and was not sent, cannot arrive. */
        void outputFailed(IOException cause);

        /** Bytes may still be on their way inside UCX: {@link #drainExpired} when none came for a while. */
        void startDrain();

        /** {@link #lingerExpired} when the peer has not ended the closed connection in time. */
        void startLinger();

        /** The connection needs nothing of its peer any more. The last action. */
        void finished();
    }

    enum Send { OPEN, FIN_SENT, FIN_ACKED, FAILED }

    enum Receive { OPEN, FIN_RECEIVED, ENDED, FAILED }

    private static final long UNKNOWN = -1;

    private final Actions actions;
    private Send send = Send.OPEN;
    private Receive receive = Receive.OPEN;
    private long received;
    private long expected = UNKNOWN;
    private boolean closed;
    private boolean finished;
    private IOException lost;

    CloseState(Actions actions) {
        this.actions = actions;
    }

    Send send() {
        return send;
    }

    Receive receive() {
        return receive;
    }

    /** The user has closed the channel. */
    boolean isClosed() {
        return closed;
    }

    boolean isFinished() {
        return finished;
    }

    /** Why nothing can be sent any more, or {@code null}. */
    IOException lost() {
        return lost;
    }

    /** Whether the number of bytes that the peer sent is known, so that a drain need not guess. */
    boolean isExpectedKnown() {
        return expected != UNKNOWN;
    }

    /** All that was written before has been given to UCX or failed. */
    void shutdownOutput() {
        if (send == Send.OPEN && !finished) {
            send = Send.FIN_SENT;
            actions.sendFin();
        }
    }

    /** The user closes the channel. */
    void close(boolean unreadInput) {
        if (closed) {
            return;
        }
        closed = true;
        if (finished) {
            return;
        }
        if (lost != null) {
            finish();
        } else if (unreadInput) {
            reset(ResetReason.UNREAD_INPUT);
        } else {
            shutdownOutput();
            if (!finishIfDone()) {
                actions.startLinger();
            }
        }
    }

    /** The user closes the channel and wants nothing more to be delivered. */
    void abort(ResetReason reason) {
        closed = true;
        if (finished) {
            return;
        }
        if (lost != null) {
            finish();
        } else {
            reset(reason);
        }
    }

    /** The peer has broken the protocol: this connection is over, and nothing else. */
    void violated(String what) {
        fail(new IOException("the peer violated the protocol: " + what), ResetReason.PROTOCOL_ERROR);
    }

    /** This side cannot go on. */
    void failed(IOException cause) {
        fail(cause, ResetReason.ABORTED);
    }

    private void fail(IOException cause, ResetReason reason) {
        if (finished) {
            return;
        }
        boolean tellUser = !closed && receive != Receive.ENDED && receive != Receive.FAILED;
        lost = cause;
        receive = receive == Receive.ENDED ? receive : Receive.FAILED;
        if (tellUser) {
            actions.inputFailed(cause);
        } else if (!closed) {
            actions.outputFailed(cause);
        }
        reset(reason);
    }

    void finReceived(long total) {
        if (finished || receive == Receive.FAILED) {
            return;
        }
        if (receive != Receive.OPEN) {
            violated("second FIN");
        } else if (total < received) {
            violated("FIN after " + total + " bytes when " + received + " had arrived");
        } else {
            expected = total;
            receive = Receive.FIN_RECEIVED;
            checkReceived();
        }
    }

    void finAckReceived() {
        if (finished) {
            return;
        }
        if (send == Send.FIN_SENT) {
            send = Send.FIN_ACKED;
            finishIfDone();
        } else if (send == Send.OPEN) {
            violated("FIN_ACK without FIN");
        }
    }

    /** This many bytes of the peer, counted from the first, are here without a hole. */
    void received(long total) {
        received = total;
        if (expected != UNKNOWN && received > expected) {
            violated("bytes after FIN");
        } else {
            checkReceived();
        }
    }

    /** Bytes came for a channel that the user has closed: nobody will ever read them. */
    void receivedAfterClose() {
        if (!finished) {
            reset(ResetReason.DATA_AFTER_CLOSE);
        }
    }

    /** The peer gave up; it had sent this many bytes, or an unknown number (negative). */
    void resetReceived(ResetReason reason, long total) {
        if (expected == UNKNOWN && total >= received) {
            expected = total;
        }
        if (lost != null) {
            // The link had failed before: now it is known how much there is to wait for.
            checkReceived();
            return;
        }
        lose(new SocketException("Connection reset by peer (" + reason.text() + ')'));
    }

    /** The peer is gone without a word. */
    void peerLost(IOException cause) {
        lose(cause);
    }

    /** UCX cannot reach the peer any more, the control messages still can. */
    void linkFailed(IOException cause) {
        if (finished || lost != null) {
            return;
        }
        if (!(send == Send.FIN_ACKED && receive == Receive.ENDED)) {
            actions.sendReset(ResetReason.LINK_FAILED);
        }
        lose(cause);
    }

    private void lose(IOException cause) {
        if (finished || lost != null) {
            return;
        }
        lost = cause;
        if (send != Send.FIN_ACKED) {
            send = Send.FAILED;
        }
        if (closed) {
            finish();
        } else if (receive == Receive.ENDED) {
            // The peer's own end of stream was orderly; only what we send has nowhere to go.
            actions.outputFailed(cause);
            finish();
        } else {
            actions.startDrain();
            checkReceived();
        }
    }

    /** Nothing came for a while, or not enough for too long. */
    void drainExpired() {
        if (!finished && lost != null) {
            receive = Receive.FAILED;
            actions.inputFailed(lost);
            finish();
        }
    }

    void lingerExpired() {
        if (finished) {
            return;
        }
        if (send == Send.FIN_ACKED) {
            // All that was written is in the peer's hands, which just does not close.
            finish();
        } else {
            reset(ResetReason.LINGER_TIMEOUT);
        }
    }

    private void checkReceived() {
        if (expected == UNKNOWN || received != expected || finished) {
            return;
        }
        if (receive == Receive.FIN_RECEIVED) {
            receive = Receive.ENDED;
            if (lost == null) {
                actions.sendFinAck();
            }
            if (!closed) {
                actions.inputEnded();
            }
            if (lost != null) {
                if (!closed) {
                    actions.outputFailed(lost);
                }
                finish();
            } else {
                finishIfDone();
            }
        } else if (receive == Receive.OPEN && lost != null) {
            // All that the peer had sent before it reset the connection.
            drainExpired();
        }
    }

    private boolean finishIfDone() {
        if (receive == Receive.ENDED && send == Send.FIN_ACKED) {
            finish();
        }
        return finished;
    }

    private void reset(ResetReason reason) {
        if (send != Send.FIN_ACKED) {
            send = Send.FAILED;
        }
        actions.sendReset(reason);
        finish();
    }

    private void finish() {
        if (!finished) {
            finished = true;
            actions.finished();
        }
    }
}
