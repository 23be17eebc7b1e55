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
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/** Answers with the pieces, with the hash of what it was sent, or with its path. */
final class HttpBackEnd extends SimpleChannelInboundHandler<HttpObject> {

    private final Pieces pieces;
    private MessageDigest digest;
    private String path;
    private int next = Pieces.COUNT;

    HttpBackEnd(Pieces pieces) {
        this.pieces = pieces;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, HttpObject message) {
        if (message instanceof HttpRequest request) {
            path = request.uri();
            digest = Pieces.digest();
        }
        if (message instanceof HttpContent content) {
            digest.update(content.content().nioBuffer());
        }
        if (message instanceof LastHttpContent) {
            if (path.equals("/download")) {
                HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
                HttpUtil.setContentLength(head, (long) Pieces.COUNT * Pieces.BYTES);
                ctx.write(head);
                next = 0;
                writePieces(ctx);
            } else {
                answer(ctx, path.equals("/upload") ? Pieces.text(digest) : path);
            }
        }
    }

    private void answer(ChannelHandlerContext ctx, String text) {
        HttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK,
                Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
        HttpUtil.setContentLength(response, text.length());
        ctx.writeAndFlush(response);
    }

    private void writePieces(ChannelHandlerContext ctx) {
        while (next < Pieces.COUNT && ctx.channel().isWritable()) {
            ctx.write(new DefaultHttpContent(Unpooled.wrappedBuffer(pieces.make(next++))));
            if (next == Pieces.COUNT) {
                ctx.write(LastHttpContent.EMPTY_LAST_CONTENT);
            }
            ctx.flush();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        writePieces(ctx);
    }
}
