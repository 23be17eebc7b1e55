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

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelPromise;

import java.net.ConnectException;
import java.net.SocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.util.List;

/** The connect() of a channel: its promise, which the user may cancel. */
final class ConnectAttempt {
    private final UcxSocketChannel channel;
    private ChannelPromise promise;
    private volatile List<String> transports = List.of();

    ConnectAttempt(UcxSocketChannel channel) {
        this.channel = channel;
    }

    void start(SocketAddress remote, SocketAddress local, ChannelPromise connectPromise) {
        if (promise != null) {
            connectPromise.tryFailure(new ConnectionPendingException());
            return;
        }
        if (channel.remoteAddress() != null || channel.isActive()) {
            connectPromise.tryFailure(new AlreadyConnectedException());
            return;
        }
        promise = connectPromise;
        channel.recorder().opening(remote, false);
        connectPromise.addListener((ChannelFutureListener) future -> {
            if (future.isCancelled()) {
                promise = null;
                close();
            }
        });
        channel.wire().connect(remote, local, channel.config().getConnectTimeoutMillis());
    }

    /** Known from now on: the link does not change its transports while the channel uses it. */
    void opened() {
        transports = channel.wire().transports();
    }

    List<String> transports() {
        return transports;
    }

    void succeeded() {
        ChannelPromise connected = promise;
        promise = null;
        // A listener may close the channel; it was active all the same.
        boolean active = channel.isActive();
        boolean promiseSet = connected != null && connected.trySuccess();
        if (active) {
            channel.pipeline().fireChannelActive();
        }
        if (!promiseSet) {
            close();
        }
    }

    void failed(Throwable cause) {
        ChannelPromise failed = promise;
        promise = null;
        if (failed != null) {
            failed.tryFailure(cause);
        }
        close();
    }

    void closed() {
        ChannelPromise abandoned = promise;
        promise = null;
        if (abandoned != null) {
            channel.recorder().failed(new ClosedChannelException());
            ConnectException closed = new ConnectException("the channel was closed while it was being connected");
            abandoned.tryFailure(new ClosedChannelException().initCause(closed));
        }
    }

    private void close() {
        channel.unsafe().close(channel.unsafe().voidPromise());
    }
}
