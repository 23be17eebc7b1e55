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
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.SocketChannelConfig;

import java.util.Map;

import static io.netty.channel.ChannelOption.ALLOW_HALF_CLOSURE;
import static io.netty.channel.ChannelOption.IP_TOS;
import static io.netty.channel.ChannelOption.SO_KEEPALIVE;
import static io.netty.channel.ChannelOption.SO_LINGER;
import static io.netty.channel.ChannelOption.SO_RCVBUF;
import static io.netty.channel.ChannelOption.SO_REUSEADDR;
import static io.netty.channel.ChannelOption.SO_SNDBUF;
import static io.netty.channel.ChannelOption.TCP_NODELAY;

/**
 * The configuration of a {@link UcxSocketChannel}. {@code SO_KEEPALIVE}, {@code SO_REUSEADDR}, {@code IP_TOS} and
 * epoll's {@code TCP_USER_TIMEOUT}, {@code TCP_KEEPIDLE}, {@code TCP_KEEPINTVL} and {@code TCP_KEEPCNT} act on the TCP
 * connection behind the channel. {@code SO_RCVBUF} is the receive window in bytes (default 1 MiB, at least 4 KiB,
 * fixed when the channel connects), {@code SO_LINGER} acts as on TCP. {@code TCP_NODELAY} and {@code SO_SNDBUF} are
 * stored and have no effect: a flush is sent at once, and what is in flight is bounded by the peer's window. Options
 * of Netty's other transports ({@code NioChannelOption}, those of epoll and io_uring) act if they mean one of these and
 * are stored without effect otherwise. Thread-safe.
 */
public final class UcxSocketChannelConfig extends DefaultChannelConfig implements SocketChannelConfig {
    /** The default receive window in bytes. */
    public static final int DEFAULT_RECEIVE_BUFFER_SIZE = 1024 * 1024;

    /** Options that act on the TCP connection, exactly as its own configuration would have them; and their defaults. */
    private static final Map<ChannelOption<?>, Object> TCP_OPTIONS = Map.of(SO_KEEPALIVE, false, SO_REUSEADDR, false,
            IP_TOS, 0, EpollChannelOption.TCP_USER_TIMEOUT, 0, EpollChannelOption.TCP_KEEPIDLE, 0,
            EpollChannelOption.TCP_KEEPINTVL, 0, EpollChannelOption.TCP_KEEPCNT, 0);

    private final TcpOptions tcp;
    private final ConnectionOptions connection;
    private final ForeignOptions foreignOptions = new ForeignOptions();
    private volatile int receiveBufferSize = DEFAULT_RECEIVE_BUFFER_SIZE;
    private volatile int sendBufferSize = DEFAULT_RECEIVE_BUFFER_SIZE;
    private volatile int soLinger = -1;
    private volatile boolean tcpNoDelay = true;
    private volatile boolean allowHalfClosure;
    private volatile String endpointName;

    /** tcp is {@code null} if there is no TCP connection. */
    UcxSocketChannelConfig(UcxSocketChannel channel, UcxConnector connector, UcxWire wire,
                           Channel tcp, AllowedTransports allowedTransports) {
        super(channel);
        this.tcp = new TcpOptions(TCP_OPTIONS, tcp);
        connection = new ConnectionOptions(channel, connector, wire, allowedTransports);
    }

    /** The TCP connection will not be used. */
    void detachTcp() {
        tcp.detach();
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        Map<ChannelOption<?>, Object> options = getOptions(super.getOptions(), SO_RCVBUF, SO_SNDBUF, TCP_NODELAY,
                SO_LINGER, ALLOW_HALF_CLOSURE, UcxChannelOption.ENDPOINT_NAME);
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
        if (option == SO_SNDBUF) {
            return (T) Integer.valueOf(sendBufferSize);
        }
        if (option == TCP_NODELAY) {
            return (T) Boolean.valueOf(tcpNoDelay);
        }
        if (option == SO_LINGER) {
            return (T) Integer.valueOf(soLinger);
        }
        if (option == ALLOW_HALF_CLOSURE) {
            return (T) Boolean.valueOf(allowHalfClosure);
        }
        if (option == UcxChannelOption.ENDPOINT_NAME) {
            return (T) endpointName;
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
        } else if (option == SO_SNDBUF) {
            setSendBufferSize((Integer) value);
        } else if (option == TCP_NODELAY) {
            setTcpNoDelay((Boolean) value);
        } else if (option == SO_LINGER) {
            setSoLinger((Integer) value);
        } else if (option == ALLOW_HALF_CLOSURE) {
            setAllowHalfClosure((Boolean) value);
        } else if (option == UcxChannelOption.ENDPOINT_NAME) {
            setEndpointName((String) value);
        } else {
            return super.setOption(option, value) || foreignOptions.keep(foreignOrOwn, value);
        }
        return true;
    }

    @Override
    protected void autoReadCleared() {
        ((UcxSocketChannel) channel).autoReadCleared();
    }

    /** Returns the transports that the connection may use. */
    public String getAllowedTransports() {
        return connection.allowedTransports().toString();
    }

    /**
     * Sets the transports that the connection may use, as a list of {@code rdma} (InfiniBand, RoCE), {@code shm}
     * (shared memory, and memory of the process itself), {@code tcp}, {@code all}, and UCX's own names, like
     * {@code rdma,posix}. If UCX would use another one, also one beside those allowed, the connection fails on both
     * sides before it is active. Has no effect on an open connection.
     *
     * @throws IllegalArgumentException if a word of the list is neither a class nor the name of a transport
     */
    public UcxSocketChannelConfig setAllowedTransports(String allowedTransports) {
        connection.setAllowedTransports(allowedTransports);
        return this;
    }

    AllowedTransports allowedTransports() {
        return connection.allowedTransports();
    }

    @Override
    public int getReceiveBufferSize() {
        return receiveBufferSize;
    }

    /**
     * Sets the receive window in bytes; less than 4 KiB is raised to that. Has no effect on an open connection.
     *
     * @throws IllegalArgumentException if it is not positive, or more than 1 GiB
     */
    @Override
    public UcxSocketChannelConfig setReceiveBufferSize(int receiveBufferSize) {
        if (receiveBufferSize <= 0 || receiveBufferSize > Hello.LARGEST_WINDOW) {
            throw new IllegalArgumentException("SO_RCVBUF: " + receiveBufferSize + " (expected: 1 to " +
                    Hello.LARGEST_WINDOW + ')');
        }
        this.receiveBufferSize = Math.max(receiveBufferSize, (int) Hello.SMALLEST_WINDOW);
        return this;
    }

    @Override
    public int getSendBufferSize() {
        return sendBufferSize;
    }

    /** Stored, no effect. */
    @Override
    public UcxSocketChannelConfig setSendBufferSize(int sendBufferSize) {
        this.sendBufferSize = sendBufferSize;
        return this;
    }

    @Override
    public boolean isTcpNoDelay() {
        return tcpNoDelay;
    }

    /** Stored, no effect: a flush is always sent at once. */
    @Override
    public UcxSocketChannelConfig setTcpNoDelay(boolean tcpNoDelay) {
        this.tcpNoDelay = tcpNoDelay;
        return this;
    }

    @Override
    public int getSoLinger() {
        return soLinger;
    }

    /**
     * 0: close() resets the connection and what was written may not arrive. Greater: the seconds that a closed
     * connection may go on in the background. Negative: the event loop's default.
     */
    @Override
    public UcxSocketChannelConfig setSoLinger(int soLinger) {
        this.soLinger = soLinger;
        return this;
    }

    @Override
    public boolean isKeepAlive() {
        return tcp.get(SO_KEEPALIVE);
    }

    @Override
    public UcxSocketChannelConfig setKeepAlive(boolean keepAlive) {
        tcp.set(SO_KEEPALIVE, keepAlive);
        return this;
    }

    @Override
    public boolean isReuseAddress() {
        return tcp.get(SO_REUSEADDR);
    }

    @Override
    public UcxSocketChannelConfig setReuseAddress(boolean reuseAddress) {
        tcp.set(SO_REUSEADDR, reuseAddress);
        return this;
    }

    @Override
    public int getTrafficClass() {
        return tcp.get(IP_TOS);
    }

    @Override
    public UcxSocketChannelConfig setTrafficClass(int trafficClass) {
        tcp.set(IP_TOS, trafficClass);
        return this;
    }

    @Override
    public boolean isAllowHalfClosure() {
        return allowHalfClosure;
    }

    @Override
    public UcxSocketChannelConfig setAllowHalfClosure(boolean allowHalfClosure) {
        this.allowHalfClosure = allowHalfClosure;
        return this;
    }

    /** Returns how the channel gets connected. */
    public UcxConnector getConnector() {
        return connection.connector();
    }

    /**
     * Sets how the channel gets connected, default {@link UcxConnector#BOOTSTRAP}. Before the channel is registered; an
     * accepted channel has that of its server.
     *
     * @throws IllegalStateException if it is another one, and the channel is registered or accepted
     */
    public UcxSocketChannelConfig setConnector(UcxConnector connector) {
        connection.setConnector(connector);
        return this;
    }

    /** Returns what goes over an endpoint of {@link UcxConnector#LISTENER}. */
    public UcxWire getWire() {
        return connection.wire();
    }

    /**
     * Sets what goes over an endpoint of {@link UcxConnector#LISTENER}, default {@link UcxWire#NETTY}; without effect
     * with another connector. Before the channel is registered; an accepted channel has that of its server.
     *
     * @throws IllegalStateException if it is another one, and the channel is registered or accepted
     */
    public UcxSocketChannelConfig setWire(UcxWire wire) {
        connection.setWire(wire);
        return this;
    }

    /** Returns what UCX calls the endpoint of the channel, or {@code null}. */
    public String getEndpointName() {
        return endpointName;
    }

    /**
     * Sets what UCX calls the endpoint of the channel (the {@code name} of {@code ucp_ep_params_t}) in its logs and in
     * {@code ucp_ep_query}, with {@link UcxConnector#LISTENER}; {@code null}, the default: UCX makes one up.
     */
    public UcxSocketChannelConfig setEndpointName(String endpointName) {
        this.endpointName = endpointName;
        return this;
    }

    /** No effect. */
    @Override
    public UcxSocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    @Override
    public UcxSocketChannelConfig setConnectTimeoutMillis(int connectTimeoutMillis) {
        super.setConnectTimeoutMillis(connectTimeoutMillis);
        return this;
    }

    @Override
    @Deprecated
    public UcxSocketChannelConfig setMaxMessagesPerRead(int maxMessagesPerRead) {
        super.setMaxMessagesPerRead(maxMessagesPerRead);
        return this;
    }

    @Override
    public UcxSocketChannelConfig setWriteSpinCount(int writeSpinCount) {
        super.setWriteSpinCount(writeSpinCount);
        return this;
    }

    @Override
    public UcxSocketChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public UcxSocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public UcxSocketChannelConfig setAutoRead(boolean autoRead) {
        super.setAutoRead(autoRead);
        return this;
    }

    @Override
    public UcxSocketChannelConfig setAutoClose(boolean autoClose) {
        super.setAutoClose(autoClose);
        return this;
    }

    @Override
    public UcxSocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark writeBufferWaterMark) {
        super.setWriteBufferWaterMark(writeBufferWaterMark);
        return this;
    }

    @Override
    public UcxSocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }
}
