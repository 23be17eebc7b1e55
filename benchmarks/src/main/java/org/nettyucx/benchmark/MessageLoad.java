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
import io.netty.handler.codec.FixedLengthFrameDecoder;

import java.net.SocketAddress;

/** One connection with a number of messages under way. */
final class MessageLoad extends ClientLoad {
    private final Counter messages = new Counter();

    MessageLoad(Transport transport, Setup setup, SocketAddress server) {
        super(transport, setup, server);
    }

    @Override
    void start(ObjectNode answer) throws Exception {
        connect(answer, new FixedLengthFrameDecoder(setup.size()), new Requester());
    }

    @Override
    void mark(ObjectNode mark) {
        mark.put("messages", messages.get());
    }

    private final class Requester extends LoadHandler {
        private int unflushed;

        Requester() {
            super(MessageLoad.this);
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            for (int i = 0; i < setup.inFlight(); i++) {
                request(ctx);
            }
            flush(ctx);
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object frame) {
            consume(frame);
            messages.add(1);
            request(ctx);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            flush(ctx);
        }

        private void request(ChannelHandlerContext ctx) {
            write(ctx);
            if (++unflushed >= setup.flushInterval()) {
                flush(ctx);
            }
        }

        private void flush(ChannelHandlerContext ctx) {
            if (unflushed > 0) {
                unflushed = 0;
                ctx.flush();
            }
        }
    }
}
