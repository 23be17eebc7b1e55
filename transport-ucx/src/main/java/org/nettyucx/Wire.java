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

import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;

/**
 * How a connection reaches its peer: the seam between a channel and the ways to connect it. A wire opens the connection
 * and shakes hands, carries bytes and control messages out, and tells its {@link Connection} what comes in and when the
 * peer is gone. All methods on the event loop unless said otherwise.
 */
interface Wire {
    /** Its TCP connection, or {@code null} if it has none. */
    default Channel tcpConnection() {
        return null;
    }

    /** Takes the wire to the channel's event loop; the promise of an accepted connection waits for the handshake. */
    void register(UcxIoHandler handler, EventLoop eventLoop, ChannelPromise promise);

    /** Whether nothing has begun yet, so that it may still go to another event loop. */
    boolean isNew();

    /** Leaves the event loop, before {@link #connect}. */
    void deregister(Runnable done);

    void bind(SocketAddress local) throws Exception;

    /** Ends in {@link Connection#opened} or {@link Connection#openFailed}. */
    void connect(SocketAddress remote, SocketAddress local, int timeoutMillis);

    /** The peer's messages reach this side; it tells which links are to be used. */
    void readyReceived(long value);

    /** The peer did what it may not do before the handshake is done, or this side cannot go on with it. */
    void failHandshake(ResetReason reason, String what);

    /** Any thread. */
    InetSocketAddress localAddress();

    /** Any thread. */
    InetSocketAddress remoteAddress();

    /** Transports and devices in use, or an empty list while there are none. */
    List<String> transports();

    /**
     * Sends the bytes that iov (address and length pairs) names as the stream's next ones.
     *
     * @return 0: the memory is free again; 1: it is when the operation completes; negative: status, nothing was sent
     */
    int send(long offset, long iov, int iovCount, SendOperation operation);

    /** The user has closed the channel, and the connection waits for the peer. */
    default void lingering() {
        // Control messages tell how it ends.
    }

    /** A send failed with this status. */
    void sendFailed(int status);

    void sendCredit(long total);

    void sendFin(long total);

    void sendFinAck();

    void sendReset(ResetReason reason, long total);

    /** The wire is not needed any more; control messages that were sent still arrive. */
    void close();

    /** Gives everything up. Any thread as long as {@link #register} was not called, later on the event loop. */
    void abort();
}
