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

import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;

import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;

/** Events of JFR, made only if somebody records them. Not to be touched {@linkplain Counter#isRecorded otherwise}. */
final class JfrEvents {
    private static final EventType CONNECT = EventType.getEventType(ConnectEvent.class);
    private static final EventType ACCEPT = EventType.getEventType(AcceptEvent.class);
    private static final EventType CLOSE = EventType.getEventType(CloseEvent.class);
    private static final EventType STALL = EventType.getEventType(CreditStallEvent.class);

    private static final AtomicBoolean WATCHING = new AtomicBoolean();

    private JfrEvents() {
    }

    static void opened(UcxSocketChannel channel, SocketAddress peer, boolean accepted, long nanos, Throwable failure) {
        if (!(accepted ? ACCEPT : CONNECT).isEnabled()) {
            return;
        }
        OpeningEvent event = accepted ? new AcceptEvent() : new ConnectEvent();
        event.channel = channel.id().asShortText();
        event.local = String.valueOf(channel.localAddress());
        event.remote = String.valueOf(peer);
        event.transports = String.join(", ", channel.transports());
        event.nanos = nanos;
        event.failure = failure == null ? null : failure.toString();
        event.commit();
    }

    static void closed(UcxSocketChannel channel, SocketAddress peer, String reason, UcxChannelCounters counters) {
        if (!CLOSE.isEnabled()) {
            return;
        }
        CloseEvent event = new CloseEvent();
        event.channel = channel.id().asShortText();
        event.remote = String.valueOf(peer);
        event.reason = reason;
        event.sentBytes = counters.sentBytes();
        event.receivedBytes = counters.receivedBytes();
        event.readBytes = counters.readBytes();
        event.creditStalls = counters.creditStalls();
        event.creditStallNanos = counters.creditStallNanos();
        event.commit();
    }

    static void stalled(UcxSocketChannel channel, SocketAddress peer, long nanos) {
        if (!STALL.isEnabled()) {
            return;
        }
        CreditStallEvent event = new CreditStallEvent();
        event.channel = channel.id().asShortText();
        event.remote = String.valueOf(peer);
        event.nanos = nanos;
        event.commit();
    }

    /** Has all loops reported from time to time while somebody records them. */
    static void watchLoops() {
        if (WATCHING.compareAndSet(false, true)) {
            FlightRecorder.addPeriodicEvent(LoopEvent.class, () -> LoopRecorder.snapshots().forEach(loop -> {
                LoopEvent event = new LoopEvent();
                event.loop = loop.thread();
                event.connections = loop.connections();
                event.links = loop.links();
                event.events = loop.events();
                event.spins = loop.spins();
                event.spinsInVain = loop.spinsInVain();
                event.sleeps = loop.sleeps();
                event.busyArms = loop.busyArms();
                event.naps = loop.naps();
                event.commit();
            }));
        }
    }
}
