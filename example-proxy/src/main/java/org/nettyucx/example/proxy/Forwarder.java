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
package org.nettyucx.example.proxy;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import org.nettyucx.example.PeerAddress;
import org.nettyucx.example.Reason;

/**
 * One of the two connections of a pair: gives what arrives to the other one, which may be on another event loop.
 */
final class Forwarder extends ChannelInboundHandlerAdapter {

    private final SocketChannel channel;
    private Forwarder other;
    // Both are used on the channel's event loop only.
    /** The end of its stream has been read. */
    private boolean inputEnded;
    /** The end of the other one's stream has been written. */
    private boolean outputEnded;

    Forwarder(SocketChannel channel) {
        this.channel = channel;
    }

    /** Makes them a pair. */
    void join(Forwarder forwarder) {
        other = forwarder;
        forwarder.other = this;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        other.channel.write(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        other.channel.flush();
    }

    /** What this side does not take is not read from the other side, whose sender then has to wait. */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        other.channel.config().setAutoRead(channel.isWritable());
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            inputEnded = true;
            closeIfDone();
            // The output must not be shut down before everything is written: what is left would be thrown away.
            other.channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
                if (written.isSuccess()) {
                    other.shutDownOutput();
                }
            });
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    private void shutDownOutput() {
        channel.shutdownOutput().addListener(done -> {
            outputEnded = done.isSuccess();
            closeIfDone();
        });
    }

    private boolean isDone() {
        return inputEnded && outputEnded;
    }

    private void closeIfDone() {
        if (isDone()) {
            channel.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        System.err.println("connection with " + PeerAddress.of(channel.remoteAddress()) + " failed: "
                + Reason.of(cause));
        reset();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (!isDone()) {
            other.reset();
        }
    }

    /** Closes so that the peer cannot take it for the proper end of the stream. */
    void reset() {
        if (channel.isActive()) {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
        }
        channel.close();
    }
}
