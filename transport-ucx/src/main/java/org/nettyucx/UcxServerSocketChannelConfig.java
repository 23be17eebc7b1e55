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
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.ServerSocketChannelConfig;

import java.util.Map;

import static io.netty.channel.ChannelOption.SO_BACKLOG;
import static io.netty.channel.ChannelOption.SO_RCVBUF;
import static io.netty.channel.ChannelOption.SO_REUSEADDR;
import static io.netty.util.internal.ObjectUtil.checkPositive;

/**
 * The configuration of a {@link UcxServerSocketChannel}. {@code SO_BACKLOG}, {@code SO_REUSEADDR} and epoll's
 * {@code SO_REUSEPORT} act on the TCP server socket behind it; {@code SO_RCVBUF} is stored and has no effect (set it as
 * a child option). Options of Netty's other transports are understood, or stored without effect. Thread-safe.
 */
public final class UcxServerSocketChannelConfig extends DefaultChannelConfig implements ServerSocketChannelConfig {
    private static final Map<ChannelOption<?>, Object> TCP_OPTIONS = Map.of(SO_BACKLOG, 0, SO_REUSEADDR, true,
            EpollChannelOption.SO_REUSEPORT, false);

    private final TcpOptions tcp;
    private final ConnectionOptions connection;
    private final ForeignOptions foreignOptions = new ForeignOptions();
    private volatile int receiveBufferSize = UcxSocketChannelConfig.DEFAULT_RECEIVE_BUFFER_SIZE;
    private volatile int handshakeTimeoutMillis = 10_000;
    private volatile int maxPendingHandshakes = 1024;

    UcxServerSocketChannelConfig(UcxServerSocketChannel channel, Channel tcp,
                                 AllowedTransports allowedTransports) {
        super(channel, new ServerChannelRecvByteBufAllocator());
        this.tcp = new TcpOptions(TCP_OPTIONS, tcp);
        connection = new ConnectionOptions(channel, UcxConnector.BOOTSTRAP, UcxWire.NETTY, allowedTransports);
    }

    /** The TCP server will not be used. */
    void detachTcp() {
        tcp.detach();
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        Map<ChannelOption<?>, Object> options = getOptions(super.getOptions(), SO_RCVBUF,
                UcxChannelOption.HANDSHAKE_TIMEOUT_MILLIS, UcxChannelOption.MAX_PENDING_HANDSHAKES);
        tcp.addTo(options);
        connection.addTo(options);
        foreignOptions.addTo(options);
        return options;
    }

    @SuppressWarnings("unchecked")
    @Override
    public <T> T getOption(ChannelOption<T> foreignOrOwn) {
        ChannelOption<T> option = ForeignOptions.own(foreignOrOwn);
        if (tcp.contains(option)) {
            return tcp.get(option);
        }
        if (connection.contains(option)) {
            return connection.get(option);
        }
        if (option == SO_RCVBUF) {
            return (T) Integer.valueOf(receiveBufferSize);
        }
        if (option == UcxChannelOption.HANDSHAKE_TIMEOUT_MILLIS) {
            return (T) Integer.valueOf(handshakeTimeoutMillis);
        }
        if (option == UcxChannelOption.MAX_PENDING_HANDSHAKES) {
            return (T) Integer.valueOf(maxPendingHandshakes);
        }
        T value = super.getOption(option);
        return value == null ? foreignOptions.get(foreignOrOwn) : value;
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> foreignOrOwn, T value) {
        validate(foreignOrOwn, value);
        ChannelOption<T> option = ForeignOptions.own(foreignOrOwn, value);
        if (tcp.contains(option)) {
            return tcp.set(option, value);
        }
        if (connection.contains(option)) {
            connection.set(option, value);
        } else if (option == SO_RCVBUF) {
            setReceiveBufferSize((Integer) value);
        } else if (option == UcxChannelOption.HANDSHAKE_TIMEOUT_MILLIS) {
            setHandshakeTimeoutMillis((Integer) value);
        } else if (option == UcxChannelOption.MAX_PENDING_HANDSHAKES) {
            setMaxPendingHandshakes((Integer) value);
        } else {
            return super.setOption(option, value) || foreignOptions.keep(foreignOrOwn, value);
        }
        return true;
    }

    /** Returns how long an accepted TCP connection may take to become a channel. */
    public int getHandshakeTimeoutMillis() {
        return handshakeTimeoutMillis;
    }

    /**
     * Sets how many milliseconds an accepted TCP connection may take from its acceptance until it is an active channel,
     * not counting how long it waits for the server's {@code read()}; then it is closed. Default 10,000.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public UcxServerSocketChannelConfig setHandshakeTimeoutMillis(int handshakeTimeoutMillis) {
        this.handshakeTimeoutMillis = checkPositive(handshakeTimeoutMillis, "handshakeTimeoutMillis");
        return this;
    }

    /** Returns how many accepted TCP connections may wait for their HELLO at once. */
    public int getMaxPendingHandshakes() {
        return maxPendingHandshakes;
    }

    /**
     * Sets how many accepted TCP connections may wait for their HELLO at once; while there are so many, further ones
     * stay in the kernel's backlog. Default 1,024.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public UcxServerSocketChannelConfig setMaxPendingHandshakes(int maxPendingHandshakes) {
        this.maxPendingHandshakes = checkPositive(maxPendingHandshakes, "maxPendingHandshakes");
        return this;
    }

    /** Returns how connections come to the server. */
    public UcxConnector getConnector() {
        return connection.connector();
    }

    /**
     * Sets how connections come to the server, before it is registered; default {@link UcxConnector#BOOTSTRAP}.
     *
     * @throws IllegalStateException if it is another one, and the server is registered
     */
    public UcxServerSocketChannelConfig setConnector(UcxConnector connector) {
        connection.setConnector(connector);
        return this;
    }

    /** Returns what goes over the endpoints of accepted channels with {@link UcxConnector#LISTENER}. */
    public UcxWire getWire() {
        return connection.wire();
    }

    /**
     * Sets what goes over the endpoints of accepted channels with {@link UcxConnector#LISTENER}, before the server is
     * registered; default {@link UcxWire#NETTY}.
     *
     * @throws IllegalStateException if it is another one, and the server is registered
     */
    public UcxServerSocketChannelConfig setWire(UcxWire wire) {
        connection.setWire(wire);
        return this;
    }

    /** Returns the transports that accepted connections may use. */
    public String getAllowedTransports() {
        return connection.allowedTransports().toString();
    }

    /**
     * Sets the transports that accepted connections may use unless it is set for them, as a child option; see
     * {@link UcxSocketChannelConfig#setAllowedTransports}.
     *
     * @throws IllegalArgumentException if a word of the list is neither a class nor the name of a transport
     */
    public UcxServerSocketChannelConfig setAllowedTransports(String allowedTransports) {
        connection.setAllowedTransports(allowedTransports);
        return this;
    }

    AllowedTransports allowedTransports() {
        return connection.allowedTransports();
    }

    @Override
    public int getBacklog() {
        return tcp.get(SO_BACKLOG);
    }

    @Override
    public UcxServerSocketChannelConfig setBacklog(int backlog) {
        tcp.set(SO_BACKLOG, backlog);
        return this;
    }

    @Override
    public boolean isReuseAddress() {
        return tcp.get(SO_REUSEADDR);
    }

    @Override
    public UcxServerSocketChannelConfig setReuseAddress(boolean reuseAddress) {
        tcp.set(SO_REUSEADDR, reuseAddress);
        return this;
    }

    @Override
    public int getReceiveBufferSize() {
        return receiveBufferSize;
    }

    /** Stored, no effect; the window of accepted channels is their own {@code SO_RCVBUF}. */
    @Override
    public UcxServerSocketChannelConfig setReceiveBufferSize(int receiveBufferSize) {
        this.receiveBufferSize = receiveBufferSize;
        return this;
    }

    /** No effect. */
    @Override
    public UcxServerSocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    @Override
    public UcxServerSocketChannelConfig setConnectTimeoutMillis(int connectTimeoutMillis) {
        super.setConnectTimeoutMillis(connectTimeoutMillis);
        return this;
    }

    @Override
    @Deprecated
    public UcxServerSocketChannelConfig setMaxMessagesPerRead(int maxMessagesPerRead) {
        super.setMaxMessagesPerRead(maxMessagesPerRead);
        return this;
    }

    @Override
    public UcxServerSocketChannelConfig setWriteSpinCount(int writeSpinCount) {
        super.setWriteSpinCount(writeSpinCount);
        return this;
    }

    @Override
    public UcxServerSocketChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public UcxServerSocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public UcxServerSocketChannelConfig setAutoRead(boolean autoRead) {
        super.setAutoRead(autoRead);
        return this;
    }

    @Override
    protected void autoReadCleared() {
        ((UcxServerSocketChannel) channel).autoReadCleared();
    }

    @Override
    public UcxServerSocketChannelConfig setAutoClose(boolean autoClose) {
        super.setAutoClose(autoClose);
        return this;
    }

    @Override
    @Deprecated
    public UcxServerSocketChannelConfig setWriteBufferHighWaterMark(int writeBufferHighWaterMark) {
        super.setWriteBufferHighWaterMark(writeBufferHighWaterMark);
        return this;
    }

    @Override
    @Deprecated
    public UcxServerSocketChannelConfig setWriteBufferLowWaterMark(int writeBufferLowWaterMark) {
        super.setWriteBufferLowWaterMark(writeBufferLowWaterMark);
        return this;
    }

    @Override
    public UcxServerSocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark writeBufferWaterMark) {
        super.setWriteBufferWaterMark(writeBufferWaterMark);
        return this;
    }

    @Override
    public UcxServerSocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }
}
