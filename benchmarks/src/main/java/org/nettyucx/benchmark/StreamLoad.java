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

import java.net.SocketAddress;

/** One connection that is written to as long as it is writable. */
final class StreamLoad extends ClientLoad {
    /** Writes between two turns of the event loop, so that it sees other events while the channel stays writable. */
    private static final int ROUND = 64;

    private final Counter messages = new Counter();

    StreamLoad(Transport transport, Setup setup, SocketAddress server) {
        super(transport, setup, server);
    }

    @Override
    void start(ObjectNode answer) throws Exception {
        connect(answer, new Writer());
    }

    @Override
    void mark(ObjectNode mark) {
        mark.put("messages", messages.get());
    }

    private final class Writer extends LoadHandler implements Runnable {
        private ChannelHandlerContext context;
        private boolean writing;
        private int unflushed;

        Writer() {
            super(StreamLoad.this);
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            context = ctx;
            start();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            if (!writing && ctx.channel().isWritable()) {
                start();
            }
        }

        private void start() {
            writing = true;
            context.executor().execute(this);
        }

        @Override
        public void run() {
            if (isClosing()) {
                return;
            }
            for (int i = 0; i < ROUND && context.channel().isWritable(); i++) {
                write(context);
                messages.add(1);
                if (++unflushed >= setup.flushInterval()) {
                    flush();
                }
            }
            if (!context.channel().isWritable()) {
                flush();
            }
            if (context.channel().isWritable()) {
                start();
            } else {
                writing = false;
            }
        }

        private void flush() {
            unflushed = 0;
            context.flush();
        }
    }
}
