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
import io.netty.channel.ChannelHandlerContext;

/** A client's connection that has one message under way at a time. */
final class PingPong extends LoadHandler {
    private final Latencies latencies = new Latencies();
    private final Counter messages = new Counter();
    private ChannelHandlerContext context;
    private boolean running;
    private int missing;
    private long sentAt;

    PingPong(Load load) {
        super(load);
    }

    void mark(ObjectNode mark) {
        mark.put("messages", messages.get());
        latencies.mark(mark);
    }

    /** Starts, or stops when the message that is under way has come back. To be called on the event loop. */
    void run(boolean run) {
        running = run;
        if (run && missing == 0) {
            send();
        }
    }

    private void send() {
        missing = load.setup.size();
        sentAt = System.nanoTime();
        write(context);
        context.flush();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object buffer) {
        missing -= consume(buffer);
        if (missing == 0) {
            latencies.record(System.nanoTime() - sentAt);
            messages.add(1);
            if (running) {
                send();
            }
        }
    }
}
