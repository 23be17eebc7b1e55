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
package org.nettyucx.integration;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.handler.codec.dns.DatagramDnsQuery;
import io.netty.handler.codec.dns.DatagramDnsQueryDecoder;
import io.netty.handler.codec.dns.DatagramDnsResponse;
import io.netty.handler.codec.dns.DatagramDnsResponseEncoder;
import io.netty.handler.codec.dns.DefaultDnsRawRecord;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.handler.codec.dns.DnsSection;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;

/** A name server that knows a single name, on event loops that are given. */
public final class TestDns implements AutoCloseable {
    public static final String NAME = "server.nettyucx.test";

    private final AtomicInteger answers = new AtomicInteger();
    private final Channel channel;

    public TestDns(EventLoopGroup loops) throws InterruptedException {
        channel = new Bootstrap().group(loops).channel(EpollDatagramChannel.class)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new DatagramDnsQueryDecoder(), new DatagramDnsResponseEncoder(),
                                new Answers());
                    }
                }).bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) channel.localAddress();
    }

    /** How often it was asked for the name. */
    public int answers() {
        return answers.get();
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
    }

    private final class Answers extends SimpleChannelInboundHandler<DatagramDnsQuery> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, DatagramDnsQuery query) {
            DatagramDnsResponse response = new DatagramDnsResponse(query.recipient(), query.sender(), query.id());
            DnsQuestion question = query.recordAt(DnsSection.QUESTION);
            response.addRecord(DnsSection.QUESTION, question);
            if (!question.name().equals(NAME + '.')) {
                response.setCode(DnsResponseCode.NXDOMAIN);
            } else if (question.type().equals(DnsRecordType.A)) {
                answers.incrementAndGet();
                response.addRecord(DnsSection.ANSWER, new DefaultDnsRawRecord(NAME, DnsRecordType.A, 60,
                        Unpooled.wrappedBuffer(new byte[] {127, 0, 0, 1})));
            }
            ctx.writeAndFlush(response);
        }
    }
}
