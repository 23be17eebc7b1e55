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
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.FixedLengthFrameDecoder;

import java.net.SocketAddress;
import java.util.List;

/** The server of all scenarios but those of gRPC: echoes or drops what it gets. */
final class PlainServerLoad extends ServerLoad {
    private final Counter bytes = new Counter();

    PlainServerLoad(Transport transport, Setup setup) {
        super(transport, setup);
    }

    @Override
    String listen(SocketAddress address) throws Exception {
        return text(await(serverBootstrap(this::handlers).bind(address)).localAddress());
    }

    private List<ChannelHandler> handlers() {
        return switch (setup.scenario()) {
            case LATENCY, CHURN, IDLE -> List.of(new MessageEcho());
            case MESSAGES -> List.of(new FixedLengthFrameDecoder(setup.size()), new FrameEcho());
            case THROUGHPUT -> List.of(new Sink());
            default -> throw new IllegalArgumentException(setup.scenario().toString());
        };
    }

    @Override
    void mark(ObjectNode mark) {
        mark.put("bytes", bytes.get());
    }

    /** Answers when a message is complete, as a server does that has to understand it first. */
    private final class MessageEcho extends LoadHandler.Server {
        private int received;

        MessageEcho() {
            super(PlainServerLoad.this);
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object buffer) {
            received += ((ByteBuf) buffer).readableBytes();
            ctx.write(buffer, ctx.voidPromise());
            if (received >= setup.size()) {
                bytes.add(received);
                received = 0;
                ctx.flush();
            }
        }
    }

    /** Answers each frame, with few flushes. */
    private final class FrameEcho extends LoadHandler.Server {
        private int unflushed;

        FrameEcho() {
            super(PlainServerLoad.this);
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object frame) {
            bytes.add(setup.size());
            ctx.write(frame, ctx.voidPromise());
            if (++unflushed >= setup.flushInterval()) {
                unflushed = 0;
                ctx.flush();
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            if (unflushed > 0) {
                unflushed = 0;
                ctx.flush();
            }
        }
    }

    private final class Sink extends LoadHandler.Server {
        Sink() {
            super(PlainServerLoad.this);
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object buffer) {
            bytes.add(consume(buffer));
        }
    }
}
