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

import java.net.SocketAddress;

/** One connection, one message at a time. */
final class LatencyLoad extends ClientLoad {
    private final PingPong pingPong = new PingPong(this);

    LatencyLoad(Transport transport, Setup setup, SocketAddress server) {
        super(transport, setup, server);
    }

    @Override
    void start(ObjectNode answer) throws Exception {
        Channel channel = connect(answer, pingPong);
        awaitDone(channel.eventLoop().submit(() -> pingPong.run(true)));
    }

    @Override
    void mark(ObjectNode mark) {
        pingPong.mark(mark);
    }
}
