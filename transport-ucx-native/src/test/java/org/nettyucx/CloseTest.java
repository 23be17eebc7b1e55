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
package org.nettyucx;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.util.concurrent.GlobalEventExecutor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The end of connections: what was written before it arrives, and everybody hears of it once. */
class CloseTest {
    private static final int MEBIBYTE = 1 << 20;

    /** Writes the bytes of a stream, in MiB pieces; the listener is told of the last one. */
    static ChannelFuture write(Channel channel, long offset, int length) {
        ChannelFuture last = null;
        for (int done = 0; done < length; ) {
            int piece = Math.min(MEBIBYTE, length - done);
            last = channel.write(TestBytes.write(channel.alloc().directBuffer(piece), offset + done, piece));
            done += piece;
        }
        channel.flush();
        return last;
    }

    private static void assertReset(List<Throwable> exceptions) {
        assertEquals(1, exceptions.size(), exceptions.toString());
        assertInstanceOf(IOException.class, exceptions.get(0));
        assertTrue(exceptions.get(0).getMessage().startsWith("Connection reset by peer"), exceptions.toString());
    }

    // ---- the last write, then close

    /** How the peer reads. */
    enum Reading { AUTO, READ_PER_TASK, READ_BY_OTHER_THREAD, AFTER_CLOSE }

    @ParameterizedTest
    @EnumSource(names = "AFTER_CLOSE", mode = EnumSource.Mode.EXCLUDE)
    void everythingArrivesBeforeTheEnd(Reading reading) throws Exception {
        int length = 30 * MEBIBYTE;
        ReceivedBytes received = new ReceivedBytes() {
            @Override
            public void channelActive(ChannelHandlerContext ctx) {
                if (reading != Reading.AUTO) {
                    ctx.read();
                }
            }

            @Override
            public void channelReadComplete(ChannelHandlerContext ctx) {
                if (reading == Reading.READ_PER_TASK) {
                    ctx.executor().execute(() -> ctx.executor().execute(ctx::read));
                } else if (reading == Reading.READ_BY_OTHER_THREAD) {
                    GlobalEventExecutor.INSTANCE.execute(ctx::read);
                }
            }
        };
        try (TestPeers peers = new TestPeers()) {
            peers.clientBootstrap.option(ChannelOption.AUTO_READ, reading == Reading.AUTO);
            peers.listen(() -> new ChannelInboundHandlerAdapter() {
                @Override
                public void channelActive(ChannelHandlerContext ctx) {
                    write(ctx.channel(), 0, length).addListener(ChannelFutureListener.CLOSE);
                }
            });
            UcxSocketChannel channel = peers.connect(received);
            received.awaitInactive();
            assertEquals(length, received.count());
            assertEquals(List.of(), received.exceptions());
            TestPeers.awaitClosed(channel);
            awaitForgotten(channel, peers.accepted());
        }
    }

    /** No connection of the two lingers any more. */
    private static void awaitForgotten(UcxSocketChannel... channels) throws Exception {
        for (UcxSocketChannel channel : channels) {
            UcxIoHandler handler = channel.connection().handler();
            Until.holds("the connection of " + channel + " is finished", () ->
                    Until.onLoop(channel.eventLoop(), () -> channel.connection().state().isFinished()));
            Until.holds("no send is left", () ->
                    Until.onLoop(channel.eventLoop(), () -> handler.operations().inUse() == 0));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 512 * 1024, MEBIBYTE})
    void readsOnlyAfterThePeerHasClosed(int length) throws Exception {
        ReceivedBytes received = new ReceivedBytes() {
            @Override
            public void channelReadComplete(ChannelHandlerContext ctx) {
                ctx.read();
            }
        };
        try (TestPeers peers = new TestPeers().listen(ChannelInboundHandlerAdapter::new)) {
            peers.clientBootstrap.option(ChannelOption.AUTO_READ, false);
            UcxSocketChannel channel = peers.connect(received);
            UcxSocketChannel server = peers.accepted();
            write(server, 0, length).addListener(ChannelFutureListener.CLOSE);
            TestPeers.awaitClosed(server);
            Until.holds("all bytes and FIN are here", () -> Until.onLoop(channel.eventLoop(), () ->
                    channel.connection().state().receive() == CloseState.Receive.ENDED));
            Until.turn(channel);
            assertEquals(0, received.count(), "bytes before read()");
            assertTrue(channel.isActive());
            channel.read();
            received.awaitInactive();
            assertEquals(length, received.count());
            assertEquals(List.of(), received.exceptions());
        }
    }

    /** The closed side gives up long before the other one reads; what it had written is in the reader's memory. */
    @Test
    void readsOnlyAfterThePeerHasLingered() throws Exception {
        UcxIoHandlerConfig config = new UcxIoHandlerConfig().linger(50, TimeUnit.MILLISECONDS);
        ReceivedBytes received = new ReceivedBytes();
        try (TestPeers peers = new TestPeers(new UcxEventLoopGroup(1, config), new UcxEventLoopGroup(1))
                .listen(ChannelInboundHandlerAdapter::new)) {
            peers.clientBootstrap.option(ChannelOption.AUTO_READ, false);
            UcxSocketChannel channel = peers.connect(received);
            UcxSocketChannel server = peers.accepted();
            write(server, 0, 500_000).addListener(ChannelFutureListener.CLOSE);
            TestPeers.awaitClosed(server);
            awaitForgotten(server, channel);
            assertEquals(0, received.count());
            channel.config().setAutoRead(true);
            received.awaitInactive();
            assertEquals(500_000, received.count());
            assertEquals(List.of(), received.exceptions());
        }
    }

    @Test
    void unsentWritesFailAndSucceededOnesArrive() throws Exception {
        ReceivedBytes received = new ReceivedBytes();
        try (TestPeers peers = new TestPeers().listen(ChannelInboundHandlerAdapter::new)) {
            peers.clientBootstrap.option(ChannelOption.AUTO_READ, false);
            UcxSocketChannel channel = peers.connect(received);
            UcxSocketChannel server = peers.accepted();
            List<ByteBuf> buffers = new ArrayList<>();
            List<ChannelFuture> futures = new ArrayList<>();
            int size = 100_000;
            for (int i = 0; i < 100; i++) {
                ByteBuf buffer = TestBytes.write(server.alloc().directBuffer(size), (long) i * size, size);
                buffers.add(buffer);
                futures.add(server.write(buffer));
            }
            server.flush();
            ChannelFuture neverFlushed = server.write(server.alloc().directBuffer(1).writeByte(1));
            Until.done(futures.get(0));
            server.close().sync();
            int succeeded = 0;
            for (ChannelFuture future : futures) {
                assertTrue(future.await(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS));
                if (future.isSuccess()) {
                    succeeded++;
                } else {
                    assertInstanceOf(ClosedChannelException.class, future.cause());
                }
            }
            assertInstanceOf(ClosedChannelException.class, Until.failed(neverFlushed));
            assertInstanceOf(ClosedChannelException.class, Until.failed(server.writeAndFlush(server.alloc().buffer())));
            assertTrue(succeeded < futures.size(), "all were sent without credit");
            channel.config().setAutoRead(true);
            received.awaitInactive();
            assertTrue(received.count() >= (long) succeeded * size, received.count() + " of " + succeeded * size);
            assertEquals(List.of(), received.exceptions());
            WriteTest.awaitReleased(buffers);
            awaitForgotten(server, channel);
        }
    }

    // ---- resets

    @Test
    void unreadInputResetsThePeerAfterItsBytes() throws Exception {
        ReceivedBytes received = new ReceivedBytes();
        try (TestPeers peers = new TestPeers()) {
            peers.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            peers.listen(ChannelInboundHandlerAdapter::new);
            UcxSocketChannel channel = peers.connect(received);
            UcxSocketChannel server = peers.accepted();
            write(channel, 0, 1000);
            Until.holds("unread bytes are here", () -> Until.onLoop(server.eventLoop(), () ->
                    server.connection().inbound().readableBytes()) == 1000);
            Until.done(write(server, 0, 300_000));
            server.close().sync();
            received.awaitInactive();
            assertEquals(300_000, received.count());
            assertReset(received.exceptions());
            awaitForgotten(server, channel);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 300_000})
    void lingerOfZeroResetsThePeer(int length) throws Exception {
        ReceivedBytes received = new ReceivedBytes();
        try (TestPeers peers = new TestPeers()) {
            peers.serverBootstrap.childOption(ChannelOption.SO_LINGER, 0);
            peers.listen(ChannelInboundHandlerAdapter::new);
            UcxSocketChannel channel = peers.connect(received);
            UcxSocketChannel server = peers.accepted();
            if (length > 0) {
                Until.done(write(server, 0, length));
            }
            server.close().sync();
            received.awaitInactive();
            assertTrue(received.count() <= length);
            assertReset(received.exceptions());
            assertInstanceOf(IOException.class, Until.failed(channel.writeAndFlush(channel.alloc().buffer())));
            awaitForgotten(server, channel);
        }
    }

    /** Writes that wait for credit must fail when the reset comes, not when the last byte was read. */
    @Test
    void resetFailsWritesOfPeerThatDoesNotRead() throws Exception {
        ReceivedBytes received = new ReceivedBytes();
        try (TestPeers peers = new TestPeers()) {
            peers.option(ChannelOption.AUTO_READ, false);
            peers.listen(ChannelInboundHandlerAdapter::new);
            UcxSocketChannel channel = peers.connect(received);
            UcxSocketChannel server = peers.accepted();
            Until.done(write(server, 0, 10_000));
            ChannelFuture stuck = write(channel, 0, 5 * MEBIBYTE);
            Until.holds("unread bytes are here", () -> Until.onLoop(server.eventLoop(), () ->
                    server.connection().inbound().readableBytes()) == MEBIBYTE);
            server.close().sync();
            assertInstanceOf(IOException.class, Until.failed(stuck));
            assertTrue(channel.isActive());
            assertEquals(0, received.count());
            channel.config().setAutoRead(true);
            received.awaitInactive();
            assertEquals(10_000, received.count());
            assertReset(received.exceptions());
        }
    }

    // ---- half-closure

    @Test
    void halfClosure() throws Exception {
        ReceivedBytes clientReceived = new ReceivedBytes();
        ReceivedBytes serverReceived = new ReceivedBytes();
        try (TestPeers peers = new TestPeers().option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .listen(() -> serverReceived)) {
            UcxSocketChannel channel = peers.connect(clientReceived);
            UcxSocketChannel server = peers.accepted();
            Until.done(write(channel, 0, 3 * MEBIBYTE));
            Until.done(channel.shutdownOutput());
            assertTrue(channel.isOutputShutdown());
            assertFalse(channel.isInputShutdown());
            Until.turn(channel);
            assertEquals(List.of(ChannelOutputShutdownEvent.INSTANCE), clientReceived.userEvents());
            Throwable cause = Until.failed(channel.writeAndFlush(channel.alloc().buffer().writeByte(1)));
            assertInstanceOf(IOException.class, cause);
            // Not in words of the implementation: ClosedChannelException or ChannelOutputShutdownException.
            assertTrue(cause instanceof ClosedChannelException ||
                       "ChannelOutputShutdownException".equals(cause.getClass().getSimpleName()), cause.toString());

            List<Object> end = List.of(ChannelInputShutdownEvent.INSTANCE, ChannelInputShutdownReadComplete.INSTANCE);
            Until.holds("the end of the stream", () -> serverReceived.userEvents().size() >= 2);
            assertEquals(3 * MEBIBYTE, serverReceived.count());
            assertTrue(server.isInputShutdown());
            assertTrue(server.isActive());
            // The other direction goes on.
            for (int i = 0; i < 5; i++) {
                Until.done(write(server, i * (long) MEBIBYTE, MEBIBYTE));
                clientReceived.await((i + 1) * (long) MEBIBYTE);
                server.read();
            }
            Until.turn(server);
            assertEquals(end, serverReceived.userEvents(), "exactly once");
            assertTrue(channel.isActive());
            Until.done(server.shutdownOutput());
            Until.holds("the end of the other stream", () -> clientReceived.userEvents().size() >= 3);
            Until.turn(channel);
            assertEquals(end, clientReceived.userEvents().subList(1, 3));
            assertTrue(channel.isActive());
            assertTrue(channel.isShutdown());
            channel.close().sync();
            server.close().sync();
            clientReceived.awaitInactive();
            serverReceived.awaitInactive();
            assertEquals(List.of(), clientReceived.exceptions());
            assertEquals(List.of(), serverReceived.exceptions());
            awaitForgotten(server, channel);
        }
    }

    /** Without ALLOW_HALF_CLOSURE the end of input closes the channel, after all bytes. */
    @Test
    void shutdownOutputClosesPeerWithoutHalfClosure() throws Exception {
        ReceivedBytes received = new ReceivedBytes();
        try (TestPeers peers = new TestPeers().listen(() -> received)) {
            ReceivedBytes end = new ReceivedBytes();
            UcxSocketChannel channel = peers.connect(end);
            Until.done(write(channel, 0, 2 * MEBIBYTE));
            Until.done(channel.shutdownOutput());
            received.awaitInactive();
            assertEquals(2 * MEBIBYTE, received.count());
            assertEquals(List.of(), received.exceptions());
            end.awaitInactive();
            assertEquals(List.of(), end.exceptions());
            awaitForgotten(channel, peers.accepted());
        }
    }

    @Test
    void shutdownInputDropsWhatComes() throws Exception {
        ReceivedBytes received = new ReceivedBytes();
        try (TestPeers peers = new TestPeers().option(ChannelOption.ALLOW_HALF_CLOSURE, true).listen(() -> received)) {
            ReceivedBytes back = new ReceivedBytes();
            UcxSocketChannel channel = peers.connect(back);
            UcxSocketChannel server = peers.accepted();
            Until.done(server.shutdownInput());
            assertTrue(server.isInputShutdown());
            // Far more than the window: what is dropped is granted again.
            Until.done(write(channel, 0, 5 * MEBIBYTE));
            Until.done(write(server, 0, 5 * MEBIBYTE));
            back.await(5 * MEBIBYTE);
            assertEquals(0, received.count());
            assertEquals(List.of(ChannelInputShutdownReadComplete.INSTANCE), received.userEvents());
            channel.close().sync();
            server.close().sync();
            assertEquals(List.of(), received.exceptions());
            awaitForgotten(channel, server);
        }
    }

    @Test
    void shutdownOutputWithUnsentWrites() throws Exception {
        ReceivedBytes received = new ReceivedBytes();
        try (TestPeers peers = new TestPeers().listen(ChannelInboundHandlerAdapter::new)) {
            peers.clientBootstrap.option(ChannelOption.AUTO_READ, false);
            UcxSocketChannel channel = peers.connect(received);
            UcxSocketChannel server = peers.accepted();
            ChannelFuture unsent = write(server, 0, 5 * MEBIBYTE);
            Until.done(server.shutdownOutput());
            assertInstanceOf(IOException.class, Until.failed(unsent));
            channel.config().setAutoRead(true);
            received.awaitInactive();
            assertEquals(MEBIBYTE, received.count(), "the window");
            assertEquals(List.of(), received.exceptions());
        }
    }

    // ---- who closes, and when

    /** Returns the handlers of the accepted channels, in their order. */
    private static List<ReceivedBytes> listenReceiving(TestPeers peers) {
        List<ReceivedBytes> handlers = Collections.synchronizedList(new ArrayList<>());
        peers.listen(() -> {
            ReceivedBytes handler = new ReceivedBytes();
            handlers.add(handler);
            return handler;
        });
        return handlers;
    }

    @Test
    void simultaneousClose() throws Exception {
        try (TestPeers peers = new TestPeers()) {
            List<ReceivedBytes> accepted = listenReceiving(peers);
            for (int i = 0; i < 50; i++) {
                ReceivedBytes received = new ReceivedBytes();
                UcxSocketChannel channel = peers.connect(received);
                UcxSocketChannel server = peers.accepted();
                ChannelFuture close = channel.close();
                Until.done(server.close());
                Until.done(close);
                received.awaitInactive();
                accepted.get(i).awaitInactive();
                assertEquals(List.of(), received.exceptions());
                assertEquals(List.of(), accepted.get(i).exceptions());
                // Closing again does nothing.
                Until.done(channel.close());
                Until.done(channel.disconnect());
                awaitForgotten(channel, server);
            }
        }
    }

    /** In which method of a handler the channel is closed. */
    enum Where { ACTIVE, READ, READ_COMPLETE, INACTIVE, EXCEPTION, EVENT, REMOVED }

    @ParameterizedTest
    @EnumSource
    void closeInHandler(Where where) throws Exception {
        ReceivedBytes received = new ReceivedBytes();
        StringBuffer calls = new StringBuffer();
        ChannelHandler closing = new ChannelInboundHandlerAdapter() {
            private void at(Where here, ChannelHandlerContext ctx) {
                calls.append(here).append(' ');
                if (here == where) {
                    ctx.close();
                    ctx.channel().close();
                }
            }

            @Override
            public void channelActive(ChannelHandlerContext ctx) {
                at(Where.ACTIVE, ctx);
            }

            @Override
            public void channelRead(ChannelHandlerContext ctx, Object msg) {
                ((ByteBuf) msg).release();
                at(Where.READ, ctx);
                if (where == Where.EXCEPTION) {
                    throw new IllegalStateException("on purpose");
                }
            }

            @Override
            public void channelReadComplete(ChannelHandlerContext ctx) {
                at(Where.READ_COMPLETE, ctx);
            }

            @Override
            public void channelInactive(ChannelHandlerContext ctx) {
                at(Where.INACTIVE, ctx);
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                at(Where.EXCEPTION, ctx);
            }

            @Override
            public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                at(Where.EVENT, ctx);
            }

            @Override
            public void handlerRemoved(ChannelHandlerContext ctx) {
                at(Where.REMOVED, ctx);
            }
        };
        try (TestPeers peers = new TestPeers()) {
            peers.serverBootstrap.childOption(ChannelOption.ALLOW_HALF_CLOSURE, where == Where.EVENT);
            peers.listen(() -> closing);
            UcxSocketChannel channel = peers.connect(received);
            UcxSocketChannel server = peers.accepted();
            channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(100), 0, 100));
            if (where == Where.INACTIVE || where == Where.REMOVED) {
                channel.close().sync();
            } else if (where == Where.EVENT) {
                channel.shutdownOutput();
            }
            TestPeers.awaitClosed(server);
            received.awaitInactive();
            TestPeers.awaitClosed(channel);
            Until.holds("the handler is removed", () -> calls.toString().endsWith("REMOVED "));
            Until.turn(server);
            String told = calls.toString();
            assertTrue(told.startsWith("ACTIVE "), told);
            assertTrue(told.contains(where + " "), told);
            assertEquals(told.indexOf("INACTIVE "), told.lastIndexOf("INACTIVE "), told);
            assertTrue(told.endsWith("INACTIVE REMOVED "), told);
            awaitForgotten(channel, server);
        }
    }

    /** As soon as it is active the client writes and closes; the server has its bytes all the same. */
    @Test
    @Timeout(60)
    void writeAndCloseAtOnce() throws Exception {
        try (TestPeers peers = new TestPeers()) {
            List<ReceivedBytes> accepted = listenReceiving(peers);
            for (int i = 0; i < 100; i++) {
                int length = 1 + i * 5000;
                peers.connectLater(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelActive(ChannelHandlerContext ctx) {
                        write(ctx.channel(), 0, length).addListener(ChannelFutureListener.CLOSE);
                    }
                });
                peers.accepted();
                accepted.get(i).awaitInactive();
                assertEquals(length, accepted.get(i).count());
                assertEquals(List.of(), accepted.get(i).exceptions());
            }
        }
    }
}
