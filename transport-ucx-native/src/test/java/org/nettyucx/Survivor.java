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

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.SocketChannel;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** The side of a connection whose {@linkplain TestProcessMain peer's process} is about to be killed or stopped. */
final class Survivor {
    /** What the side that closes had written before. Less than a window. */
    static final int CLOSED_BYTES = 500_000;
    static final int ECHOED_BYTES = 100_000;

    /** What the connection does at that moment. */
    enum Activity {
        /** Bytes have gone there and back, now it is quiet. */
        IDLE("echo"),
        /** This side writes to a child that reads. */
        SENDING("sink"),
        /** This side writes to a child that does not read. */
        SENDING_BLOCKED("paused"),
        /** The child writes. */
        RECEIVING("source"),
        /** The child writes, this side does not read. */
        RECEIVING_PAUSED("source"),
        /** Both write. */
        BOTH("source"),
        /** This side has shut down its output, the child writes. */
        HALF_CLOSED("half"),
        /** The child has shut down its output, this side writes. */
        HALF_CLOSED_BY_PEER("half"),
        /** This side has closed the channel, the child has not read anything. */
        CLOSED("paused"),
        /** The child has closed the channel, this side has not read anything. */
        CLOSED_BY_PEER("closing");

        private final String behaviour;

        Activity(String behaviour) {
            this.behaviour = behaviour;
        }

        boolean sends() {
            return this == SENDING || this == SENDING_BLOCKED || this == BOTH || this == HALF_CLOSED_BY_PEER;
        }

        boolean reads() {
            return this != RECEIVING_PAUSED && this != CLOSED_BY_PEER;
        }
    }

    final Activity activity;
    final ReceivedBytes received = new ReceivedBytes();
    final StreamSource source;
    private final long total;

    /** A side that writes so many bytes if it writes without a pause; the child does the same. */
    Survivor(Activity activity, long total) {
        this.activity = activity;
        this.total = total;
        source = new StreamSource(activity.sends() ? total
                : activity == Activity.IDLE || activity == Activity.HALF_CLOSED ? ECHOED_BYTES
                : activity == Activity.CLOSED ? CLOSED_BYTES : 0);
    }

    /** Starts the child: server, or client of a port. */
    TestProcess start(Object... role) throws IOException {
        return start(TestProcess.small(), role);
    }

    TestProcess start(TestProcess.Builder builder, Object... role) throws IOException {
        List<Object> arguments = new ArrayList<>(List.of(role));
        arguments.add(activity.behaviour);
        if (activity == Activity.CLOSED_BY_PEER || activity == Activity.HALF_CLOSED_BY_PEER) {
            arguments.add(CLOSED_BYTES);
        } else if (!activity.behaviour.equals("echo")) {
            arguments.add(total);
        }
        return builder.start(TestProcessMain.class, arguments.toArray());
    }

    ChannelHandler initializer() {
        return new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                channel.config().setAutoRead(activity.reads());
                channel.config().setAllowHalfClosure(activity == Activity.HALF_CLOSED_BY_PEER);
                channel.pipeline().addLast(source, received);
            }
        };
    }

    /** Waits until the connection does what it shall do. */
    void awaitActivity(UcxSocketChannel channel) throws Exception {
        switch (activity) {
            case IDLE:
                received.await(ECHOED_BYTES);
                break;
            case RECEIVING_PAUSED:
                Until.holds(() -> channel.connection().inbound().received() >= 1 << 20,
                        () -> "the window was not filled");
                break;
            case SENDING_BLOCKED:
                Until.holds(() -> isBlocked(channel), () -> "the credit was not used up");
                break;
            case HALF_CLOSED:
                Until.done(source.written());
                Until.done(channel.shutdownOutput());
                awaitTraffic();
                break;
            case HALF_CLOSED_BY_PEER:
                Until.holds(channel::isInputShutdown, () -> "no end of the input");
                assertEquals(CLOSED_BYTES, received.count());
                awaitTraffic();
                break;
            case CLOSED:
                Until.done(source.written());
                Until.done(channel.close());
                break;
            case CLOSED_BY_PEER:
                Until.holds(() -> channel.connection().state().receive() == CloseState.Receive.ENDED,
                        () -> "no end of the input");
                break;
            default:
                awaitTraffic();
                break;
        }
    }

    boolean isBlocked(UcxSocketChannel channel) {
        return source.isBlocked() && channel.connection().sendable() == 0;
    }

    private void awaitTraffic() throws Exception {
        Until.holds(() -> source.accepted() > 4 << 20 || received.count() > 4 << 20,
                () -> "too little traffic: " + source.accepted() + ", " + received.count());
    }
}
