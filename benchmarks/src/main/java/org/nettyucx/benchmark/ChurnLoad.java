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
import io.netty.channel.ChannelFuture;

import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Connections that live for one message; a number of them at a time. */
final class ChurnLoad extends ClientLoad {
    private final Counter connections = new Counter();
    private final Latencies latencies = new Latencies();
    private final CountDownLatch ended;

    ChurnLoad(Transport transport, Setup setup, SocketAddress server) {
        super(transport, setup, server);
        ended = new CountDownLatch(setup.concurrency());
    }

    @Override
    void start(ObjectNode answer) throws Exception {
        awaitDone(group.submit(() -> {
            for (int i = 0; i < setup.concurrency(); i++) {
                next();
            }
        }));
    }

    @Override
    void mark(ObjectNode mark) {
        mark.put("messages", connections.get());
        latencies.mark(mark);
    }

    @Override
    void endTraffic() throws Exception {
        if (!ended.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new BenchmarkException("connections do not close");
        }
    }

    private void next() {
        if (isClosing()) {
            ended.countDown();
            return;
        }
        long start = System.nanoTime();
        OneEcho echo = new OneEcho(this, Channel::close);
        bootstrap(() -> List.of(echo)).connect(server()).addListener((ChannelFuture connect) -> {
            if (!connect.isSuccess()) {
                failed(connect.cause());
                ended.countDown();
                return;
            }
            connect.channel().closeFuture().addListener(closed -> {
                latencies.record(System.nanoTime() - start);
                connections.add(1);
                next();
            });
        });
    }
}
