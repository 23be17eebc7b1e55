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
import java.util.Set;

import static io.netty.util.internal.ObjectUtil.checkNotNull;

/** The options that say how connections are made and what they may use: channels and servers have them. Thread-safe. */
final class ConnectionOptions {
    private static final Set<ChannelOption<?>> OPTIONS = Set.of(UcxChannelOption.CONNECTOR, UcxChannelOption.WIRE,
            UcxChannelOption.ALLOWED_TRANSPORTS);

    private final Channel channel;
    private volatile UcxConnector connector;
    private volatile UcxWire wire;
    private volatile AllowedTransports allowedTransports;

    ConnectionOptions(Channel channel, UcxConnector connector, UcxWire wire, AllowedTransports allowedTransports) {
        this.channel = channel;
        this.connector = connector;
        this.wire = wire;
        this.allowedTransports = allowedTransports;
    }

    boolean contains(ChannelOption<?> option) {
        return OPTIONS.contains(option);
    }

    @SuppressWarnings("unchecked")
    <T> T get(ChannelOption<T> option) {
        return (T) (option == UcxChannelOption.CONNECTOR ? connector : option == UcxChannelOption.WIRE ? wire
                : allowedTransports.toString());
    }

    <T> void set(ChannelOption<T> option, T value) {
        if (option == UcxChannelOption.CONNECTOR) {
            setConnector((UcxConnector) value);
        } else if (option == UcxChannelOption.WIRE) {
            setWire((UcxWire) value);
        } else {
            setAllowedTransports((String) value);
        }
    }

    void addTo(Map<ChannelOption<?>, Object> options) {
        OPTIONS.forEach(option -> options.put(option, get(option)));
    }

    UcxConnector connector() {
        return connector;
    }

    void setConnector(UcxConnector connector) {
        if (checkNotNull(connector, "connector") != this.connector) {
            requireNew("CONNECTOR");
            this.connector = connector;
        }
    }

    UcxWire wire() {
        return wire;
    }

    void setWire(UcxWire wire) {
        if (checkNotNull(wire, "wire") != this.wire) {
            requireNew("WIRE");
            this.wire = wire;
        }
    }

    AllowedTransports allowedTransports() {
        return allowedTransports;
    }

    void setAllowedTransports(String allowedTransports) {
        this.allowedTransports = AllowedTransports.of(checkNotNull(allowedTransports, "allowedTransports"));
    }

    private void requireNew(String option) {
        if (channel.isRegistered() || channel.parent() != null && channel.parent().isRegistered()) {
            throw new IllegalStateException(option + " cannot be changed once the channel is registered or accepted");
        }
    }
}
