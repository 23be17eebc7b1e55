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
package org.nettyucx.testsuite.cassandra;

import com.datastax.oss.driver.internal.core.protocol.ByteBufPrimitiveCodec;
import com.datastax.oss.driver.internal.core.protocol.FrameDecoder;
import com.datastax.oss.driver.internal.core.protocol.FrameEncoder;
import com.datastax.oss.protocol.internal.Compressor;
import com.datastax.oss.protocol.internal.Frame;
import com.datastax.oss.protocol.internal.FrameCodec;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import com.datastax.oss.protocol.internal.request.Options;
import com.datastax.oss.protocol.internal.request.Query;
import com.datastax.oss.protocol.internal.response.Ready;
import com.datastax.oss.protocol.internal.response.Supported;
import com.datastax.oss.protocol.internal.response.result.ColumnSpec;
import com.datastax.oss.protocol.internal.response.result.DefaultRows;
import com.datastax.oss.protocol.internal.response.result.RawType;
import com.datastax.oss.protocol.internal.response.result.RowsMetadata;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import org.nettyucx.UcxEventLoopGroup;
import org.nettyucx.UcxServerSocketChannel;
import org.nettyucx.UcxSocketChannel;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** A cluster of one node over UCX that answers every query with its text. */
final class CassandraServer implements AutoCloseable {
    static final String DATACENTER = "dc1";

    private static final int MAX_FRAME_BYTES = 16 * 1024 * 1024;
    private static final UUID ID = new UUID(1, 1);

    private final UcxEventLoopGroup loops = new UcxEventLoopGroup(1);
    private final Channel channel;

    CassandraServer() throws InterruptedException {
        FrameCodec<ByteBuf> codec = FrameCodec.defaultServer(new ByteBufPrimitiveCodec(ByteBufAllocator.DEFAULT),
                Compressor.none());
        channel = new ServerBootstrap().group(loops).channel(UcxServerSocketChannel.class)
                .childHandler(new ChannelInitializer<UcxSocketChannel>() {
                    @Override
                    protected void initChannel(UcxSocketChannel connection) {
                        connection.pipeline().addLast(new FrameDecoder(codec, MAX_FRAME_BYTES),
                                new FrameEncoder(codec, MAX_FRAME_BYTES), new Requests());
                    }
                }).bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
    }

    InetSocketAddress address() {
        return (InetSocketAddress) channel.localAddress();
    }

    @Override
    public void close() {
        loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private static final class Requests extends SimpleChannelInboundHandler<Frame> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, Frame request) {
            ctx.writeAndFlush(Frame.forResponse(request.protocolVersion, request.streamId, null, Frame.NO_PAYLOAD,
                    List.of(), answer(request.message)));
        }

        private static Message answer(Message request) {
            if (request instanceof Options) {
                return new Supported(Map.of());
            }
            if (!(request instanceof Query)) {
                return new Ready();
            }
            String query = ((Query) request).query;
            if (query.contains("system.local")) {
                return row(Map.of("cluster_name", "test", "data_center", DATACENTER, "rack", "r1", "release_version",
                        "4.0.0", "host_id", ID, "schema_version", ID));
            }
            return row(query.contains("system.peers") ? Map.of() : Map.of("query", query));
        }

        /** One row of these columns, or none if there are none. */
        private static Message row(Map<String, Object> columns) {
            List<ColumnSpec> specs = new ArrayList<>();
            List<ByteBuffer> values = new ArrayList<>();
            columns.forEach((name, value) -> {
                boolean uuid = value instanceof UUID;
                specs.add(new ColumnSpec("keyspace", "table", name, specs.size(), RawType.PRIMITIVES.get(uuid
                        ? ProtocolConstants.DataType.UUID : ProtocolConstants.DataType.VARCHAR)));
                values.add(uuid ? bytes((UUID) value)
                        : ByteBuffer.wrap(((String) value).getBytes(StandardCharsets.UTF_8)));
            });
            Queue<List<ByteBuffer>> rows = new ArrayDeque<>();
            if (!columns.isEmpty()) {
                rows.add(values);
            }
            return new DefaultRows(new RowsMetadata(specs, null, null, null), rows);
        }

        private static ByteBuffer bytes(UUID id) {
            return ByteBuffer.allocate(16).putLong(0, id.getMostSignificantBits()).putLong(8,
                    id.getLeastSignificantBits());
        }
    }
}
