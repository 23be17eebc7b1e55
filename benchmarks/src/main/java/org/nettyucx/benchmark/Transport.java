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
package org.nettyucx.benchmark;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SelectStrategy;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import org.nettyucx.Ucx;
import org.nettyucx.UcxIoHandler;
import org.nettyucx.UcxIoHandlerConfig;
import org.nettyucx.UcxServerSocketChannel;
import org.nettyucx.UcxSocketChannel;
import org.nettyucx.UcxWaitStrategy;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One of the things that are compared, by its name on the command line.
 *
 * @param name the name
 * @param kind what it is
 * @param tls the value of {@code UCX_TLS} that its processes get, null to leave the user's
 * @param waitStrategy how event loops of UCX wait
 */
record Transport(String name, Kind kind, String tls, UcxWaitStrategy waitStrategy) {
    /** What the names without variants stand for. */
    enum Kind { NIO, EPOLL, EPOLL_BUSY, EPOLL_UDS, IO_URING, UCX, NATIVE }

    static final String BASELINE = "epoll";

    private static final String TCP = "tcp";
    // TCP stays in the list: without it UCX 1.13 cannot keep watch over its peers.
    private static final String SHARED_MEMORY = "tcp,posix,sysv,cma,self";

    /** All that there are, UCX's wait strategies included. */
    static List<String> names() {
        List<String> names = new ArrayList<>(List.of("nio", "epoll", "epoll-busy", "epoll-uds", "io_uring"));
        for (String base : List.of("ucx-shm", "ucx-tcp", "ucx")) {
            names.addAll(List.of(base, base + "-block", base + "-spin"));
        }
        names.addAll(List.of("native-shm", "native-tcp"));
        return names;
    }

    /**
     * Finds a transport by its name.
     *
     * @throws IllegalArgumentException if there is none of this name
     */
    static Transport of(String name) {
        if (!names().contains(name)) {
            throw new IllegalArgumentException("unknown transport '" + name + "', there are " +
                    String.join(", ", names()));
        }
        String tls = name.contains("-tcp") ? TCP : name.contains("-shm") ? SHARED_MEMORY : null;
        if (name.startsWith("native")) {
            return new Transport(name, Kind.NATIVE, tls, null);
        }
        if (name.startsWith("ucx")) {
            UcxWaitStrategy strategy = name.endsWith("-block") ? UcxWaitStrategy.BLOCK :
                    name.endsWith("-spin") ? UcxWaitStrategy.SPIN : UcxWaitStrategy.ADAPTIVE;
            return new Transport(name, Kind.UCX, tls, strategy);
        }
        return new Transport(name, Kind.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_')), null, null);
    }

    boolean isDomainSocket() {
        return kind == Kind.EPOLL_UDS;
    }

    /** Why this JVM cannot use it, or null if it can. */
    Throwable unavailabilityCause() {
        return switch (kind) {
            case NIO -> null;
            case EPOLL, EPOLL_BUSY, EPOLL_UDS -> Epoll.unavailabilityCause();
            case IO_URING -> IoUring.unavailabilityCause();
            case UCX -> Ucx.unavailabilityCause();
            case NATIVE -> new UnsupportedOperationException("not a transport of Netty");
        };
    }

    IoHandlerFactory newIoHandlerFactory() {
        return switch (kind) {
            case NIO -> NioIoHandler.newFactory();
            case EPOLL, EPOLL_UDS -> EpollIoHandler.newFactory();
            case EPOLL_BUSY -> EpollIoHandler.newFactory(0, () -> (selectSupplier, hasTasks) ->
                    hasTasks ? selectSupplier.get() : SelectStrategy.BUSY_WAIT);
            case IO_URING -> IoUringIoHandler.newFactory();
            case UCX -> UcxIoHandler.newFactory(new UcxIoHandlerConfig().waitStrategy(waitStrategy));
            case NATIVE -> throw new IllegalStateException(name);
        };
    }

    Class<? extends ServerChannel> serverChannel() {
        return switch (kind) {
            case NIO -> NioServerSocketChannel.class;
            case EPOLL, EPOLL_BUSY -> EpollServerSocketChannel.class;
            case EPOLL_UDS -> EpollServerDomainSocketChannel.class;
            case IO_URING -> IoUringServerSocketChannel.class;
            case UCX -> UcxServerSocketChannel.class;
            case NATIVE -> throw new IllegalStateException(name);
        };
    }

    Class<? extends Channel> clientChannel() {
        return switch (kind) {
            case NIO -> NioSocketChannel.class;
            case EPOLL, EPOLL_BUSY -> EpollSocketChannel.class;
            case EPOLL_UDS -> EpollDomainSocketChannel.class;
            case IO_URING -> IoUringSocketChannel.class;
            case UCX -> UcxSocketChannel.class;
            case NATIVE -> throw new IllegalStateException(name);
        };
    }
}
