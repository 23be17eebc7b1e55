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

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import org.nettyucx.UcxSocketChannel;

import java.net.SocketAddress;
import java.util.List;

/** A client: makes the traffic. */
abstract class ClientLoad extends Load {
    private final SocketAddress server;

    ClientLoad(Transport transport, Setup setup, SocketAddress server) {
        super(transport, setup);
        this.server = server;
    }

    static ClientLoad of(Transport transport, Setup setup, SocketAddress server) {
        return switch (setup.scenario()) {
            case LATENCY -> new LatencyLoad(transport, setup, server);
            case THROUGHPUT -> new StreamLoad(transport, setup, server);
            case MESSAGES -> new MessageLoad(transport, setup, server);
            case CHURN -> new ChurnLoad(transport, setup, server);
            case IDLE -> new IdleLoad(transport, setup, server);
            case UNARY, UNARY_CONCURRENT, STREAMING -> new GrpcLoad(transport, setup, server);
        };
    }

    /** Starts the traffic. */
    abstract void start(ObjectNode answer) throws Exception;

    SocketAddress server() {
        return server;
    }

    /** Connects, and adds to the answer what UCX really uses. */
    Channel connect(ObjectNode answer, ChannelHandler... handlers) throws Exception {
        Channel channel = await(bootstrap(() -> List.of(handlers)).connect(server));
        if (channel instanceof UcxSocketChannel ucx) {
            awaitDone(channel.eventLoop().submit(() -> answer.put("over", String.join(" ", ucx.transports()))));
        }
        return channel;
    }
}
