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

import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.nio.NioChannelOption;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import static java.util.Map.entry;

/**
 * The options that software sets for sockets of Netty's other transports. Those that mean something here are known by
 * whatever name they come; the others are only kept, so that nobody is warned of an unknown option for each connection.
 * Thread-safe.
 */
final class ForeignOptions {
    /** By their names in {@link java.net.StandardSocketOptions}, jdk.net.ExtendedSocketOptions and Netty's classes. */
    private static final Map<String, ChannelOption<Integer>> NUMBERS = Map.ofEntries(
            entry("SO_RCVBUF", ChannelOption.SO_RCVBUF),
            entry("SO_SNDBUF", ChannelOption.SO_SNDBUF),
            entry("SO_LINGER", ChannelOption.SO_LINGER),
            entry("IP_TOS", ChannelOption.IP_TOS),
            entry("TCP_USER_TIMEOUT", EpollChannelOption.TCP_USER_TIMEOUT),
            entry("TCP_KEEPIDLE", EpollChannelOption.TCP_KEEPIDLE),
            entry("TCP_KEEPINTVL", EpollChannelOption.TCP_KEEPINTVL),
            entry("TCP_KEEPINTERVAL", EpollChannelOption.TCP_KEEPINTVL),
            entry("TCP_KEEPCNT", EpollChannelOption.TCP_KEEPCNT),
            entry("TCP_KEEPCOUNT", EpollChannelOption.TCP_KEEPCNT));
    private static final Map<String, ChannelOption<Boolean>> FLAGS = Map.of(
            "SO_KEEPALIVE", ChannelOption.SO_KEEPALIVE,
            "SO_REUSEADDR", ChannelOption.SO_REUSEADDR,
            "SO_REUSEPORT", EpollChannelOption.SO_REUSEPORT,
            "TCP_NODELAY", ChannelOption.TCP_NODELAY);
    /** Of Netty's own constants those that sockets have and channels of ours do not. */
    private static final Set<ChannelOption<?>> SOCKET_OPTIONS = Set.of(ChannelOption.SO_TIMEOUT,
            ChannelOption.TCP_FASTOPEN, ChannelOption.TCP_FASTOPEN_CONNECT, EpollChannelOption.IP_FREEBIND,
            EpollChannelOption.IP_TRANSPARENT, EpollChannelOption.IP_BIND_ADDRESS_NO_PORT,
            EpollChannelOption.TCP_MD5SIG);
    private static final String NETTY_CLASSES = "io.netty.channel.";
    private static final char CLASS_END = '#';

    private record Kept(ChannelOption<?> option, Object value) {
    }

    private final Map<String, Kept> kept = new ConcurrentHashMap<>();

    /** Returns the option of ours that means the same, or else the option itself. */
    @SuppressWarnings("unchecked")
    static <T> ChannelOption<T> own(ChannelOption<T> option) {
        if (!isOfAnotherTransport(option)) {
            return option;
        }
        String name = simpleName(option);
        ChannelOption<?> own = NUMBERS.containsKey(name) ? NUMBERS.get(name) : FLAGS.get(name);
        return own == null ? option : (ChannelOption<T>) own;
    }

    /** As {@link #own(ChannelOption)}, unless the value is of another type than ours has. */
    static <T> ChannelOption<T> own(ChannelOption<T> option, T value) {
        ChannelOption<T> own = own(option);
        boolean fits = own == option || (NUMBERS.containsValue(own) ? value instanceof Integer
                : value instanceof Boolean);
        return fits ? own : option;
    }

    private static boolean isOfAnotherTransport(ChannelOption<?> option) {
        return option instanceof NioChannelOption ||
               option.name().startsWith(NETTY_CLASSES) && option.name().indexOf(CLASS_END) > 0;
    }

    private static String simpleName(ChannelOption<?> option) {
        return option.name().substring(option.name().indexOf(CLASS_END) + 1);
    }

    /** Returns whether it is an option of sockets, which is kept then. */
    boolean keep(ChannelOption<?> option, Object value) {
        if (!SOCKET_OPTIONS.contains(option) && !isOfAnotherTransport(option)) {
            return false;
        }
        kept.put(simpleName(option), new Kept(option, value));
        return true;
    }

    /** Returns what was kept, or null. */
    @SuppressWarnings("unchecked")
    <T> T get(ChannelOption<T> option) {
        Kept found = kept.get(simpleName(option));
        return found == null ? null : (T) found.value;
    }

    void addTo(Map<ChannelOption<?>, Object> options) {
        kept.values().forEach(found -> options.put(found.option, found.value));
    }
}
