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
import io.netty.channel.ChannelOption;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Options that act on the TCP socket behind a channel, and are just kept where there is none. A socket that is closed,
 * as it is before its channel when both directions have ended, must not be asked: its descriptor may be another one's
 * by now. Thread-safe.
 */
final class TcpOptions {
    private final Map<ChannelOption<?>, Object> defaults;
    private final Map<ChannelOption<?>, Object> kept = new ConcurrentHashMap<>();
    private volatile Channel tcp;

    /** The options and their defaults; tcp may be {@code null}. */
    TcpOptions(Map<ChannelOption<?>, Object> defaults, Channel tcp) {
        this.defaults = defaults;
        this.tcp = tcp;
    }

    boolean contains(ChannelOption<?> option) {
        return defaults.containsKey(option);
    }

    @SuppressWarnings("unchecked")
    <T> T get(ChannelOption<T> option) {
        Channel socket = tcp;
        return socket != null && socket.isOpen() ? socket.config().getOption(option)
                : (T) kept.getOrDefault(option, defaults.get(option));
    }

    <T> boolean set(ChannelOption<T> option, T value) {
        Channel socket = tcp;
        if (socket != null && socket.isOpen() && !socket.config().setOption(option, value)) {
            return false;
        }
        kept.put(option, value);
        return true;
    }

    void addTo(Map<ChannelOption<?>, Object> options) {
        defaults.keySet().forEach(option -> options.put(option, get(option)));
    }

    /** There is no TCP socket any more. */
    void detach() {
        for (ChannelOption<?> option : defaults.keySet()) {
            Object value = tcp.config().getOption(option);
            if (value != null) {
                kept.put(option, value);
            }
        }
        tcp = null;
    }
}
