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

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;

import java.util.function.Consumer;

/** A client's connection that sends one message, and tells when it has come back. */
final class OneEcho extends LoadHandler {
    private final Consumer<Channel> echoed;
    private int missing;

    OneEcho(Load load, Consumer<Channel> echoed) {
        super(load);
        this.echoed = echoed;
        missing = load.setup.size();
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        write(ctx);
        ctx.flush();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object buffer) {
        missing -= consume(buffer);
        if (missing == 0) {
            echoed.accept(ctx.channel());
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (missing > 0) {
            super.channelInactive(ctx);
        }
    }
}
