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
package org.nettyucx.example.proxy;

import java.net.InetSocketAddress;
import org.nettyucx.example.PeerAddress;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads {@code HOST:PORT} and looks the host up.
 */
final class Address implements ITypeConverter<InetSocketAddress> {

    @Override
    public InetSocketAddress convert(String text) {
        InetSocketAddress address;
        try {
            InetSocketAddress parsed = PeerAddress.parse(text);
            address = new InetSocketAddress(parsed.getHostString(), parsed.getPort());
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException("'" + text + "' is not HOST:PORT");
        }
        if (address.isUnresolved()) {
            throw new TypeConversionException("there is no host '" + address.getHostString() + "'");
        }
        return address;
    }
}
