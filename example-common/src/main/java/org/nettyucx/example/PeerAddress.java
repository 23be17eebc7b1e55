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
package org.nettyucx.example;

import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/**
 * Addresses as text: {@code HOST:PORT}, IPv6 in brackets.
 */
public final class PeerAddress {

    private PeerAddress() {
    }

    /** The text of an address. */
    public static String of(SocketAddress address) {
        return address instanceof InetSocketAddress inet ? NetUtil.toSocketAddressString(inet)
                : String.valueOf(address);
    }

    /** The text of an address that need not exist. */
    public static String of(String host, long port) {
        return (host.indexOf(':') < 0 ? host : '[' + host + ']') + ':' + port;
    }

    /** Parses what {@link #of(SocketAddress)} made. The address is not looked up. */
    public static InetSocketAddress parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException("not HOST:PORT: " + text);
        }
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        return InetSocketAddress.createUnresolved(host, Integer.parseInt(text.substring(colon + 1)));
    }
}
