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

import java.net.SocketAddress;

/** Counts what a channel does, and has JFR told of its life. On the event loop; the counters may be read by others. */
final class ChannelRecorder {
    /** Shorter waits are nothing unusual: they are only counted. */
    private static final long SHORTEST_EVENT_NANOS = 1_000_000;

    private final UcxSocketChannel channel;
    private final Counter sentBytes = new Counter();
    private final Counter sentMessages = new Counter();
    private final Counter receivedBytes = new Counter();
    private final Counter receivedMessages = new Counter();
    private final Counter readBytes = new Counter();
    private final Counter creditStalls = new Counter();
    private final Counter creditStallNanos = new Counter();
    private SocketAddress peer;
    private boolean accepted;
    private boolean opening;
    private boolean opened;
    private boolean stalled;
    /** Of System.nanoTime(). */
    private long start;
    private long stallStart;
    private String reason;

    ChannelRecorder(UcxSocketChannel channel) {
        this.channel = channel;
    }

    UcxChannelCounters snapshot() {
        return new UcxChannelCounters(sentBytes.get(), sentMessages.get(), receivedBytes.get(), receivedMessages.get(),
                readBytes.get(), creditStalls.get(), creditStallNanos.get());
    }

    // ---- its life

    /** It is about to be connected, or to be accepted. */
    void opening(SocketAddress remote, boolean byPeer) {
        peer = remote;
        accepted = byPeer;
        opening = true;
        start = System.nanoTime();
    }

    void opened() {
        opened = true;
        // One that came to UCX's listener was not known before.
        peer = channel.remoteAddress();
        openingEnds(null);
    }

    void failed(Throwable cause) {
        openingEnds(cause);
    }

    private void openingEnds(Throwable cause) {
        if (opening) {
            opening = false;
            if (Counter.isRecorded()) {
                JfrEvents.opened(channel, peer, accepted, System.nanoTime() - start, cause);
            }
        }
    }

    /** Why it will end, if it ends otherwise than by FIN in both directions. The first reason is the one. */
    void ends(String why) {
        if (reason == null) {
            reason = why;
        }
    }

    /** Nothing of it is left. */
    void finished() {
        credited();
        if (opened) {
            opened = false;
            if (Counter.isRecorded()) {
                JfrEvents.closed(channel, peer, reason == null ? "closed by both sides" : reason, snapshot());
            }
        }
    }

    // ---- its bytes

    void sent(int bytes) {
        sentBytes.add(bytes);
        sentMessages.add(1);
    }

    void received(int bytes) {
        receivedBytes.add(bytes);
        receivedMessages.add(1);
    }

    void read(int bytes) {
        readBytes.add(bytes);
    }

    /** A flush must wait for credit. */
    void stalled() {
        if (!stalled) {
            stalled = true;
            stallStart = System.nanoTime();
            creditStalls.add(1);
        }
    }

    /** There is credit again, or there will never be any. */
    void credited() {
        if (stalled) {
            stalled = false;
            long nanos = System.nanoTime() - stallStart;
            creditStallNanos.add(nanos);
            if (Counter.isRecorded() && nanos >= SHORTEST_EVENT_NANOS) {
                JfrEvents.stalled(channel, peer, nanos);
            }
        }
    }
}
