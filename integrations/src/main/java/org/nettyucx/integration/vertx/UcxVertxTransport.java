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
package org.nettyucx.integration.vertx;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.netty.channel.unix.DomainSocketAddress;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.transport.Transport;
import org.nettyucx.Ucx;
import org.nettyucx.UcxIoHandler;
import org.nettyucx.UcxServerSocketChannel;
import org.nettyucx.UcxSocketChannel;

/**
 * Lets a Vert.x instance use UCX instead of TCP: {@code Vertx.builder().withTransport(new UcxVertxTransport())}.
 *
 * <p>Datagrams, which host names are looked up with, and Unix domain sockets run on the same event loops, by epoll.
 * Where UCX is not available Vert.x uses NIO, {@code isNativeTransportEnabled()} is {@code false} and
 * {@code unavailableNativeTransportCause()} has the reason.
 */
public final class UcxVertxTransport implements io.vertx.core.transport.Transport, Transport {
    @Override
    public String name() {
        return "ucx";
    }

    @Override
    public Transport implementation() {
        return this;
    }

    @Override
    public boolean available() {
        return Ucx.isAvailable();
    }

    @Override
    public boolean isAvailable() {
        return available();
    }

    @Override
    public Throwable unavailabilityCause() {
        return Ucx.unavailabilityCause();
    }

    @Override
    public IoHandlerFactory ioHandlerFactory() {
        return UcxIoHandler.newFactory();
    }

    @Override
    public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
        return domainSocket ? EpollDomainSocketChannel::new : UcxSocketChannel::new;
    }

    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
        return domainSocket ? EpollServerDomainSocketChannel::new : UcxServerSocketChannel::new;
    }

    @Override
    public DatagramChannel datagramChannel() {
        return new EpollDatagramChannel();
    }

    @Override
    @SuppressWarnings("deprecation")
    public DatagramChannel datagramChannel(InternetProtocolFamily family) {
        return new EpollDatagramChannel();
    }

    @Override
    public boolean supportsDomainSockets() {
        return true;
    }

    @Override
    public java.net.SocketAddress convert(SocketAddress address) {
        return address.isDomainSocket() ? new DomainSocketAddress(address.path()) : Transport.super.convert(address);
    }

    @Override
    public SocketAddress convert(java.net.SocketAddress address) {
        if (address instanceof DomainSocketAddress) {
            return SocketAddress.domainSocketAddress(((DomainSocketAddress) address).path());
        }
        return Transport.super.convert(address);
    }
}
