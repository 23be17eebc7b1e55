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

import io.netty.channel.Channel;
import java.util.List;
import org.nettyucx.Ucx;
import org.nettyucx.UcxSocketChannel;

/**
 * What the examples ask UCX about, apart from the transport itself. An application needs none of it.
 */
public final class UcxSupport {

    private UcxSupport() {
    }

    /** Fails early, and with the reason, where the library is missing or cannot work. */
    public static void requireAvailable() throws ExampleException {
        if (!Ucx.isAvailable()) {
            throw new ExampleException("UCX is not available", Ucx.unavailabilityCause());
        }
    }

    /**
     * Names what a connection really uses, such as {@code posix/memory, tcp/lo}. To be called on the channel's event
     * loop.
     */
    public static String transports(Channel channel) {
        List<String> transports = channel instanceof UcxSocketChannel ucx ? ucx.transports() : List.of();
        return transports.isEmpty() ? "unknown transports" : String.join(", ", transports);
    }
}
