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
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;

import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** One connection with messages now and then, and many that do nothing after their first message. */
final class IdleLoad extends ClientLoad {
    /** Opens the idle connections. */
    static final String GROW = "grow";
    /** Lets messages go to and fro on the one that is not idle. */
    static final String PING = "ping";
    /** Ends that. */
    static final String REST = "rest";

    private final PingPong pingPong = new PingPong(this);
    private Channel active;

    IdleLoad(Transport transport, Setup setup, SocketAddress server) {
        super(transport, setup, server);
    }

    @Override
    void start(ObjectNode answer) throws Exception {
        active = connect(answer, pingPong);
    }

    @Override
    void act(String action) throws Exception {
        switch (action) {
            case GROW -> grow();
            case PING -> awaitDone(active.eventLoop().submit(() -> pingPong.run(true)));
            case REST -> awaitDone(active.eventLoop().submit(() -> pingPong.run(false)));
            default -> super.act(action);
        }
    }

    private void grow() throws Exception {
        Semaphore free = new Semaphore(setup.concurrency());
        Bootstrap bootstrap = bootstrap(() -> List.of(new OneEcho(this, channel -> free.release())));
        for (int i = 0; i < setup.connections(); i++) {
            acquire(free, 1);
            bootstrap.connect(server()).addListener(connect -> {
                if (!connect.isSuccess()) {
                    failed(connect.cause());
                }
            });
        }
        acquire(free, setup.concurrency());
    }

    private void acquire(Semaphore free, int permits) throws Exception {
        if (!free.tryAcquire(permits, TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            checkNotFailed();
            throw new BenchmarkException("a connection was not made, or its message did not come back");
        }
    }

    @Override
    void mark(ObjectNode mark) {
        pingPong.mark(mark);
    }
}
