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

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FileRegion;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

/**
 * What the users of a channel see, and in which order: every scenario runs over Netty's epoll sockets and over UCX, on
 * the same event loops, and both must leave the same record of events, outcomes and states. It is for whoever replaces
 * one by the other. Not compared, as they differ: how bytes are cut into buffers (unless the scenario is about it); the
 * words of exceptions; channelReadComplete without a channelRead, which sockets fire before the end of the stream; a
 * reset where half-closure is allowed, after which sockets stay open until a write fails.
 */
class LikeSocketsTest {
    private static final int SMALL_BUFFER = 64 * 1024;

    private static EventLoopGroup serverGroup;
    private static EventLoopGroup clientGroup;

    @BeforeAll
    static void setUp() {
        serverGroup = new UcxEventLoopGroup(1);
        clientGroup = new UcxEventLoopGroup(1);
    }

    @AfterAll
    static void tearDown() {
        Future<?> server = serverGroup.shutdownGracefully(0, 10, TimeUnit.SECONDS);
        Future<?> client = clientGroup.shutdownGracefully(0, 10, TimeUnit.SECONDS);
        Until.done(server);
        Until.done(client);
    }

    interface Scenario {
        void run(Pair pair) throws Exception;
    }

    interface Action {
        void run(ChannelHandlerContext ctx) throws Exception;
    }

    @ParameterizedTest
    @MethodSource
    void scenarios(Scenario scenario) throws Exception {
        assertEquals(record(false, scenario), record(true, scenario));
    }

    private static String record(boolean ucx, Scenario scenario) throws Exception {
        try (Pair pair = new Pair(ucx)) {
            scenario.run(pair);
            return pair.record();
        }
    }

    static Stream<Named<Scenario>> scenarios() {
        return Stream.of(
                // opening
                Named.of("order of connecting", LikeSocketsTest::orderOfConnecting),
                Named.of("closed by a listener of connect()", LikeSocketsTest::closedByConnectListener),
                Named.of("closed in handlerAdded", pair -> closedIn(pair, "added")),
                Named.of("closed in channelRegistered", pair -> closedIn(pair, "registered")),
                Named.of("closed in channelActive", pair -> closedIn(pair, "active")),
                Named.of("addresses", LikeSocketsTest::addresses),
                Named.of("connect() that fails", LikeSocketsTest::connectFails),
                Named.of("register() that fails", LikeSocketsTest::registerFails),
                Named.of("closeForcibly() before register()", LikeSocketsTest::closedForciblyBeforeRegister),
                Named.of("calls before connect()", LikeSocketsTest::callsBeforeConnect),
                Named.of("initChannel() that throws", LikeSocketsTest::initializerThrows),
                Named.of("client's initChannel() that throws", LikeSocketsTest::clientInitializerThrows),
                Named.of("another event loop before connect()", LikeSocketsTest::movesBeforeConnect),
                Named.of("events of the server channel", LikeSocketsTest::eventsOfServer),
                Named.of("server channel", LikeSocketsTest::serverChannel),
                Named.of("server closed before its children", LikeSocketsTest::serverClosedBeforeChildren),
                // closing
                Named.of("order of closing", LikeSocketsTest::orderOfClosing),
                Named.of("closed by the peer", LikeSocketsTest::closedByPeer),
                Named.of("closed by the peer, nothing read", LikeSocketsTest::closedByPeerNotReading),
                Named.of("disconnect()", LikeSocketsTest::disconnects),
                Named.of("closed twice", LikeSocketsTest::closedTwice),
                Named.of("calls after close()", LikeSocketsTest::callsAfterClose),
                Named.of("close() with unread bytes", LikeSocketsTest::closedWithUnreadBytes),
                Named.of("close() with SO_LINGER 0", LikeSocketsTest::closedWithLingerOfZero),
                Named.of("close() behind a flush", LikeSocketsTest::closedBehindFlush),
                Named.of("close() with SO_LINGER 5", LikeSocketsTest::closedWithLinger),
                Named.of("port bound again", LikeSocketsTest::boundAgain),
                Named.of("close() with pending writes", pair -> endedWithPendingWrites(pair, Channel::close)),
                Named.of("close() with pending writes and SO_LINGER 0", LikeSocketsTest::resetWithPendingWrites),
                Named.of("writes in exceptionCaught of a reset", LikeSocketsTest::writesWhenReset),
                Named.of("writes to a closed peer", LikeSocketsTest::writesToClosedPeer),
                Named.of("handler that throws", LikeSocketsTest::handlerThrows),
                // half-closure
                Named.of("half-closure", LikeSocketsTest::halfClosure),
                Named.of("half-closure with data before the end", LikeSocketsTest::halfClosureBehindData),
                Named.of("half-closure not allowed", LikeSocketsTest::halfClosureNotAllowed),
                Named.of("half-closure allowed at run time", LikeSocketsTest::halfClosureAllowedLater),
                Named.of("half-closure, nothing read", LikeSocketsTest::halfClosureNotReading),
                Named.of("closed at ChannelInputShutdownEvent", LikeSocketsTest::closedAtInputShutdown),
                Named.of("shutdownOutput() with pending writes",
                        pair -> endedWithPendingWrites(pair, channel -> ((SocketChannel) channel).shutdownOutput())),
                Named.of("shutdownInput()", pair -> inputShutdown(pair, false)),
                Named.of("shutdownInput() with half-closure", pair -> inputShutdown(pair, true)),
                Named.of("shutdownInput(), then the peer closes", LikeSocketsTest::inputShutdownBeforeEnd),
                Named.of("shutdown()", LikeSocketsTest::shutdownOfBoth),
                // reading
                Named.of("autoRead off in handlerAdded", pair -> autoReadOffIn(pair, "added")),
                Named.of("autoRead off in channelRegistered", pair -> autoReadOffIn(pair, "registered")),
                Named.of("autoRead off in channelActive", pair -> autoReadOffIn(pair, "active")),
                Named.of("autoRead off in channelRead", pair -> autoReadOffIn(pair, "read")),
                Named.of("autoRead off in channelReadComplete", pair -> autoReadOffIn(pair, "complete")),
                Named.of("read() in channelActive", pair -> readIn(pair, "active")),
                Named.of("read() in channelRead", pair -> readIn(pair, "read")),
                Named.of("read() in channelReadComplete", pair -> readIn(pair, "complete")),
                Named.of("a read() at a time", LikeSocketsTest::oneReadAtATime),
                Named.of("messages per read", LikeSocketsTest::messagesPerRead),
                Named.of("closed in channelRead with more to read", LikeSocketsTest::closedInRead),
                // writing
                Named.of("outcomes of writes", LikeSocketsTest::writes),
                Named.of("void promises that fail", LikeSocketsTest::voidPromises),
                Named.of("closed in channelWritabilityChanged", LikeSocketsTest::closedWhenUnwritable),
                Named.of("a write that fails with AUTO_CLOSE off", LikeSocketsTest::autoCloseOff),
                Named.of("released buffer", LikeSocketsTest::releasedBuffer),
                Named.of("watermarks", LikeSocketsTest::waterMarks),
                Named.of("file regions", LikeSocketsTest::fileRegions),
                Named.of("file region that gives nothing now and then", LikeSocketsTest::regionThatHesitates),
                Named.of("truncated file", LikeSocketsTest::truncatedFile),
                Named.of("listener of a failed write that writes", LikeSocketsTest::writesAgain),
                // options
                Named.of("options", LikeSocketsTest::options),
                Named.of("values that are wrong", LikeSocketsTest::wrongOptions),
                Named.of("options when both directions have ended", LikeSocketsTest::optionsAtTheEnd));
    }

    // ---- opening

    private static void orderOfConnecting(Pair pair) throws Exception {
        pair.listen();
        Channel channel = Until.done(pair.bootstrap.register()).channel();
        pair.note("registered", state(channel));
        Until.onLoop(channel.eventLoop(), () -> channel.connect(pair.address()).addListener(future ->
                pair.client.told("connect " + outcome(future) + state(channel))));
        pair.client.await("active");
        pair.accept();
    }

    private static void closedByConnectListener(Pair pair) throws Exception {
        pair.listen();
        Channel channel = Until.done(pair.bootstrap.register()).channel();
        ChannelPromise connected = channel.newPromise();
        connected.addListener(ChannelFutureListener.CLOSE);
        channel.connect(pair.address(), connected);
        pair.client.await("unregistered");
        pair.server.await("unregistered");
    }

    private static void closedIn(Pair pair, String event) throws Exception {
        pair.server.at(event, ctx -> ctx.close().addListener(future -> pair.server.told("closed")));
        pair.connect();
        pair.server.await("unregistered");
        pair.client.await("unregistered");
    }

    private static void addresses(Pair pair) throws Exception {
        pair.listen();
        SocketChannel channel = (SocketChannel) Until.done(pair.bootstrap.register()).channel();
        pair.note("new", channel.localAddress() != null, channel.remoteAddress() != null);
        Until.done(channel.bind(new InetSocketAddress("127.0.0.1", 0)));
        pair.note("bound", channel.localAddress().getPort() > 0, channel.remoteAddress() != null, state(channel));
        Until.done(channel.connect(pair.address()));
        pair.accept();
        pair.note("connected", channel.remoteAddress().equals(pair.address()),
                channel.localAddress().equals(pair.child.remoteAddress()),
                pair.child.localAddress().equals(pair.address()), pair.child.parent() == pair.listening);
        Until.done(channel.close());
        pair.client.await("unregistered");
        pair.server.await("unregistered");
        pair.note("closed", channel.remoteAddress() != null, channel.localAddress() != null,
                pair.child.localAddress() != null, pair.child.remoteAddress() != null);
        Until.done(pair.listening.close());
        pair.note("server", pair.listening.localAddress() != null, pair.listening.remoteAddress() != null);
    }

    private static void connectFails(Pair pair) throws Exception {
        pair.connect();
        pair.note("again", outcome(pair.channel.connect(pair.address())), state(pair.channel));
        pair.note("bind", Until.failed(pair.channel.bind(pair.address())) instanceof IOException, state(pair.channel));
        write(pair.channel, 3);
        pair.server.await("read 3");
        Until.done(pair.channel.close());
        pair.note("closed", outcome(pair.channel.connect(pair.address())));
        ChannelPromise cancelled = Until.done(pair.bootstrap.register()).channel().newPromise();
        cancelled.cancel(false);
        cancelled.channel().connect(pair.address(), cancelled);
        Until.turn(cancelled.channel());
        pair.note("cancelled before", state(cancelled.channel()));
        Until.done(cancelled.channel().close());
        pair.client.await("unregistered", 2);
        pair.server.await("unregistered");
    }

    private static void registerFails(Pair pair) throws Exception {
        EventLoop other = new DefaultEventLoop();
        Channel channel = pair.newChannel();
        pair.note("other loop", outcome(other.register(channel)), state(channel));
        pair.note("own loop", outcome(clientGroup.register(channel)), state(channel));
        pair.note("again", outcome(clientGroup.register(channel)), state(channel));
        Until.done(channel.close());
        Until.turn(channel);
        pair.note("closed", outcome(clientGroup.register(channel)), state(channel));
        Channel closed = pair.newChannel();
        closed.unsafe().closeForcibly();
        pair.note("closed before", outcome(clientGroup.register(closed)), state(closed));
        Until.done(other.shutdownGracefully(0, 10, TimeUnit.SECONDS));
        EventLoop ended = new UcxEventLoopGroup(1).next();
        Until.done(ended.parent().shutdownGracefully(0, 10, TimeUnit.SECONDS));
        Channel late = pair.newChannel();
        pair.note("ended loop", outcome(ended.register(late)), state(late), late.closeFuture().isDone());
    }

    private static void closedForciblyBeforeRegister(Pair pair) {
        Channel channel = pair.newChannel();
        pair.note("new", state(channel));
        channel.unsafe().closeForcibly();
        pair.note("closed", state(channel));
        channel.unsafe().closeForcibly();
        pair.note("again", state(channel));
    }

    private static void callsBeforeConnect(Pair pair) throws Exception {
        SocketChannel channel = (SocketChannel) Until.done(pair.bootstrap.register()).channel();
        ChannelFuture unflushed = channel.write(bytes(3));
        Until.turn(channel);
        pair.note("write", unflushed.isDone());
        channel.flush();
        pair.note("flush", outcome(unflushed), outcome(channel.writeAndFlush(bytes(1))), state(channel));
        // Sockets lose their outbound buffer at a shutdownOutput() that fails, so it is not tried here.
        pair.note("shutdownInput", outcome(channel.shutdownInput()));
        Until.done(channel.close());
        pair.client.await("unregistered");
    }

    private static void initializerThrows(Pair pair) throws Exception {
        pair.initializerFailure = new IllegalStateException("on purpose");
        pair.connect();
        pair.client.await("unregistered");
    }

    private static void clientInitializerThrows(Pair pair) throws Exception {
        pair.listen();
        ChannelFuture future = pair.bootstrap.clone().handler(new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                channel.pipeline().addLast(pair.client);
                throw new IllegalStateException("on purpose");
            }
        }).connect(pair.address());
        pair.note("connect", outcome(future));
        TestPeers.awaitClosed(future.channel());
    }

    private static void movesBeforeConnect(Pair pair) throws Exception {
        pair.listen();
        Channel channel = Until.done(pair.bootstrap.register()).channel();
        Until.done(channel.deregister());
        pair.client.await("unregistered");
        pair.note("deregistered", state(channel));
        Until.done(serverGroup.register(channel));
        pair.note("connect", outcome(channel.connect(pair.address())));
        pair.accept();
        pair.client.await("active");
        write(pair.child, 10);
        pair.client.await("read 10");
        Until.done(channel.close());
        pair.server.await("unregistered");
    }

    private static void eventsOfServer(Pair pair) throws Exception {
        Side parent = new Side(pair);
        pair.serverBootstrap.handler(parent);
        pair.connect();
        pair.bootstrap.connect(pair.address());
        pair.accept();
        pair.client.await("active", 2);
        parent.await("complete", 2);
        Until.done(pair.listening.close());
        parent.await("unregistered");
        pair.note("parent", parent);
    }

    private static void serverChannel(Pair pair) throws Exception {
        pair.listen();
        ServerSocketChannel server = pair.listening;
        pair.note("server", state(server));
        pair.note("bind", Until.failed(server.bind(pair.address())) instanceof IOException, state(server));
        pair.note("connect", outcome(server.connect(pair.address())), state(server));
        pair.note("write", outcome(server.writeAndFlush(bytes(1))), state(server));
        ChannelFuture second = pair.serverBootstrap.bind(pair.address());
        pair.note("second", Until.failed(second) instanceof IOException);
        TestPeers.awaitClosed(second.channel());
        pair.note("close", outcome(server.close()));
        Until.turn(server);
        pair.note("closed", state(second.channel()), state(server));
        pair.note("bind", outcome(server.bind(pair.address())));
        pair.listen();
    }

    private static void serverClosedBeforeChildren(Pair pair) throws Exception {
        pair.connect();
        Until.done(pair.listening.close());
        write(pair.channel, 10);
        pair.server.await("read 10");
        write(pair.child, 20);
        pair.client.await("read 20");
        ChannelFuture late = pair.bootstrap.connect(pair.address());
        pair.note("late", outcome(late));
        pair.client.await("unregistered");
    }

    // ---- closing

    private static void orderOfClosing(Pair pair) throws Exception {
        pair.connect();
        Channel channel = pair.channel;
        Until.onLoop(channel.eventLoop(), () -> {
            channel.write(bytes(3)).addListener(future ->
                    pair.client.told("write " + outcome(future) + state(channel)));
            channel.closeFuture().addListener(future -> pair.client.told("closeFuture" + state(channel)));
            ChannelPromise promise = channel.newPromise();
            promise.addListener(future -> pair.client.told("close " + outcome(future) + state(channel)));
            channel.close(promise);
            pair.client.told("called" + state(channel));
            return null;
        });
        pair.client.await("unregistered");
        pair.server.await("unregistered");
    }

    private static void closedByPeer(Pair pair) throws Exception {
        pair.server.at("inactive", ctx -> ctx.writeAndFlush(bytes(3)).addListener(future ->
                pair.server.told("write " + outcome(future))));
        pair.connect();
        write(pair.channel, 1000, ChannelFutureListener.CLOSE);
        pair.server.await("unregistered");
        pair.client.await("unregistered");
    }

    private static void closedByPeerNotReading(Pair pair) throws Exception {
        pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
        pair.connect();
        Until.done(pair.channel.close());
        pair.server.await("unregistered");
        pair.client.await("unregistered");
    }

    private static void disconnects(Pair pair) throws Exception {
        pair.connect();
        pair.note("disconnect", outcome(pair.channel.disconnect()));
        pair.client.await("unregistered");
        pair.server.await("unregistered");
        pair.note("state", state(pair.channel));
    }

    private static void closedTwice(Pair pair) throws Exception {
        pair.connect();
        ChannelFuture[] futures = Until.onLoop(pair.channel.eventLoop(), () -> new ChannelFuture[] {
            pair.channel.close(), pair.channel.close(), pair.channel.disconnect()});
        for (ChannelFuture future : futures) {
            pair.note("close", outcome(future));
        }
        pair.client.await("unregistered");
        pair.note("late", outcome(pair.channel.close()), outcome(pair.channel.closeFuture()));
        pair.server.await("unregistered");
    }

    private static void callsAfterClose(Pair pair) throws Exception {
        pair.connect();
        SocketChannel channel = pair.channel;
        Until.done(channel.close());
        pair.client.await("unregistered");
        pair.server.await("unregistered");
        channel.read();
        channel.flush();
        pair.note("write", outcome(channel.write(bytes(1))), outcome(channel.writeAndFlush("text")));
        pair.note("shutdown", outcome(channel.shutdownInput()), outcome(channel.shutdownOutput()),
                outcome(channel.shutdown()));
        pair.note("bind", outcome(channel.bind(new InetSocketAddress("127.0.0.1", 0))));
        pair.note("deregister", outcome(channel.deregister()));
        channel.config().setAutoRead(false);
        channel.config().setAutoRead(true);
        pair.note("writable", channel.bytesBeforeUnwritable(), channel.bytesBeforeWritable() > 0);
        pair.note("state", channel.isInputShutdown(), channel.isOutputShutdown(), channel.isShutdown());
    }

    private static void closedWithUnreadBytes(Pair pair) throws Exception {
        pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
        pair.connect();
        Until.done(write(pair.channel, 10));
        pair.awaitAtServer(10);
        Until.done(pair.child.close());
        pair.client.await("unregistered");
        pair.server.await("unregistered");
    }

    private static void closedWithLingerOfZero(Pair pair) throws Exception {
        pair.connect();
        pair.child.config().setSoLinger(0);
        Until.done(pair.child.close());
        pair.client.await("unregistered");
        pair.server.await("unregistered");
    }

    private static void closedBehindFlush(Pair pair) throws Exception {
        pair.connect();
        Until.onLoop(pair.channel.eventLoop(), () -> {
            for (int length : new int[] {1, 2000, 20_000, 40_000}) {
                pair.channel.write(bytes(length)).addListener(future ->
                        pair.client.told("write " + length + ' ' + outcome(future)));
            }
            pair.channel.flush();
            return pair.channel.close();
        });
        pair.client.await("unregistered");
        pair.server.await("unregistered");
    }

    private static void closedWithLinger(Pair pair) throws Exception {
        pair.bootstrap.option(ChannelOption.SO_LINGER, 5);
        pair.connect();
        Until.done(write(pair.channel, 1000));
        pair.note("close", outcome(pair.channel.close()));
        pair.client.await("unregistered");
        pair.server.await("unregistered");
    }

    private static void boundAgain(Pair pair) throws Exception {
        pair.connect();
        InetSocketAddress address = pair.address();
        Until.done(pair.listening.close());
        ChannelFuture again = pair.serverBootstrap.bind(address);
        pair.note("bound", outcome(again));
        pair.channels.add(again.channel());
    }

    private static ChannelFuture stuckWrites(Pair pair) throws Exception {
        pair.countsBytes = false;
        pair.option(ChannelOption.SO_SNDBUF, SMALL_BUFFER).option(ChannelOption.SO_RCVBUF, SMALL_BUFFER);
        pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
        pair.connect();
        ChannelFuture last = Until.onLoop(pair.channel.eventLoop(), () -> {
            ChannelFuture future = null;
            for (int i = 0; i < 200; i++) {
                future = pair.channel.write(bytes(SMALL_BUFFER));
            }
            pair.channel.flush();
            return future;
        });
        pair.client.await("writable false");
        return last;
    }

    private static void endedWithPendingWrites(Pair pair, Function<Channel, ChannelFuture> end)
            throws Exception {
        ChannelFuture last = stuckWrites(pair);
        Until.done(end.apply(pair.channel));
        pair.note("last", outcome(last));
        pair.child.config().setAutoRead(true);
        pair.server.await("unregistered");
        pair.client.await("unregistered");
    }

    private static void resetWithPendingWrites(Pair pair) throws Exception {
        ChannelFuture last = stuckWrites(pair);
        pair.channel.config().setSoLinger(0);
        Until.done(pair.channel.close());
        pair.note("last", outcome(last));
        pair.client.await("unregistered");
        pair.child.config().setAutoRead(true);
        pair.server.await("unregistered");
        // TCP forgets what was not read.
        pair.server.log.remove("read");
    }

    private static void writesWhenReset(Pair pair) throws Exception {
        pair.client.at("reset", ctx -> {
            pair.client.told("caught" + state(ctx.channel()));
            ctx.writeAndFlush(bytes(3)).addListener(future ->
                    pair.client.told("write " + (future.cause() instanceof IOException)));
        });
        pair.connect();
        pair.child.config().setSoLinger(0);
        Until.done(pair.child.close());
        pair.client.await("unregistered");
        pair.server.await("unregistered");
    }

    private static void writesToClosedPeer(Pair pair) throws Exception {
        pair.bootstrap.option(ChannelOption.ALLOW_HALF_CLOSURE, true);
        pair.connect();
        Until.done(pair.child.close());
        pair.client.await("ChannelInputShutdownReadComplete");
        pair.server.await("unregistered");
        pair.note("state", state(pair.channel));
        Until.holds("a write fails", () -> {
            ChannelFuture future = write(pair.channel, 3);
            future.awaitUninterruptibly(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS);
            return future.cause() instanceof IOException;
        });
        pair.client.await("unregistered");
    }

    private static void handlerThrows(Pair pair) throws Exception {
        pair.server.at("read", ctx -> {
            throw new IllegalStateException("on purpose");
        });
        pair.connect();
        write(pair.channel, 10);
        pair.server.await("IllegalStateException");
        write(pair.child, 20);
        pair.client.await("read 20");
        pair.note("state", state(pair.child));
    }

    // ---- half-closure

    private static void halfClosure(Pair pair) throws Exception {
        pair.option(ChannelOption.ALLOW_HALF_CLOSURE, true);
        pair.connect();
        pair.note("shutdownOutput", outcome(pair.channel.shutdownOutput()), state(pair.channel));
        pair.server.await("ChannelInputShutdownReadComplete");
        pair.note("child", state(pair.child));
        pair.note("again", outcome(pair.channel.shutdownOutput()), outcome(write(pair.channel, 1)));
        write(pair.child, 1000);
        pair.client.await("read 1000");
        pair.note("shutdownOutput", outcome(pair.child.shutdownOutput()));
        pair.client.await("ChannelInputShutdownReadComplete");
        pair.note("both", state(pair.channel), state(pair.child));
        Until.done(pair.channel.close());
        Until.done(pair.child.close());
        pair.client.await("unregistered");
        pair.server.await("unregistered");
    }

    private static void halfClosureBehindData(Pair pair) throws Exception {
        pair.option(ChannelOption.ALLOW_HALF_CLOSURE, true);
        pair.server.at("ChannelInputShutdownEvent", ctx -> pair.server.told("shutdown" + state(ctx.channel())));
        pair.connect();
        write(pair.channel, 50_000, future -> pair.channel.shutdownOutput());
        pair.server.await("ChannelInputShutdownReadComplete");
        write(pair.child, 70_000, ChannelFutureListener.CLOSE);
        pair.client.await("ChannelInputShutdownReadComplete");
        pair.server.await("unregistered");
        pair.note("state", state(pair.channel));
    }

    private static void halfClosureNotAllowed(Pair pair) throws Exception {
        pair.connect();
        write(pair.channel, 10, future -> pair.channel.shutdownOutput());
        pair.server.await("unregistered");
        pair.client.await("unregistered");
    }

    private static void halfClosureAllowedLater(Pair pair) throws Exception {
        pair.connect();
        pair.child.config().setAllowHalfClosure(true);
        pair.channel.shutdownOutput();
        pair.server.await("ChannelInputShutdownReadComplete");
        pair.note("state", state(pair.child));
        pair.channel.config().setAllowHalfClosure(true);
        pair.channel.config().setAllowHalfClosure(false);
        pair.child.shutdownOutput();
        pair.client.await("unregistered");
        pair.server.await("ChannelOutputShutdownEvent");
    }

    private static void halfClosureNotReading(Pair pair) throws Exception {
        pair.option(ChannelOption.ALLOW_HALF_CLOSURE, true);
        pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
        pair.connect();
        Until.done(pair.channel.shutdownOutput());
        pair.server.await("ChannelInputShutdownReadComplete");
        pair.client.await("ChannelOutputShutdownEvent");
        pair.note("state", state(pair.child));
    }

    private static void closedAtInputShutdown(Pair pair) throws Exception {
        pair.option(ChannelOption.ALLOW_HALF_CLOSURE, true);
        pair.server.at("ChannelInputShutdownEvent", ChannelHandlerContext::close);
        pair.connect();
        pair.channel.shutdownOutput();
        pair.server.await("unregistered");
        pair.client.await("ChannelInputShutdownReadComplete");
    }

    private static void inputShutdown(Pair pair, boolean halfClosure) throws Exception {
        pair.serverBootstrap.childOption(ChannelOption.ALLOW_HALF_CLOSURE, halfClosure);
        pair.connect();
        pair.note("shutdownInput", outcome(pair.child.shutdownInput()), state(pair.child));
        if (halfClosure) {
            pair.server.await("ChannelInputShutdownReadComplete");
        }
        pair.note("again", outcome(pair.child.shutdownInput()));
        Until.done(write(pair.channel, 10));
        write(pair.child, 20);
        pair.client.await("read 20");
        Until.turn(pair.child);
        Until.turn(pair.child);
        pair.note("state", state(pair.child));
    }

    private static void inputShutdownBeforeEnd(Pair pair) throws Exception {
        pair.connect();
        Until.done(pair.child.shutdownInput());
        Until.done(pair.channel.close());
        pair.client.await("unregistered");
        pair.awaitEndAtServer();
        pair.note("state", state(pair.child));
        Until.holds("a write fails", () -> {
            ChannelFuture future = write(pair.child, 3);
            future.awaitUninterruptibly(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS);
            return future.cause() instanceof IOException;
        });
        pair.server.await("unregistered");
    }

    private static void shutdownOfBoth(Pair pair) throws Exception {
        pair.bootstrap.option(ChannelOption.ALLOW_HALF_CLOSURE, true);
        pair.connect();
        pair.note("shutdown", outcome(Until.onLoop(pair.child.eventLoop(), pair.child::shutdown)), state(pair.child));
        pair.client.await("ChannelInputShutdownReadComplete");
        pair.note("state", pair.child.isShutdown(), outcome(write(pair.child, 1)));
    }

    // ---- reading

    private static void autoReadOffIn(Pair pair, String event) throws Exception {
        pair.serverBootstrap.childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(1));
        pair.server.at(event, ctx -> ctx.channel().config().setAutoRead(false));
        pair.connect();
        Until.done(write(pair.channel, 30));
        pair.awaitAtServer(30);
        if ("read".equals(event) || "complete".equals(event)) {
            pair.server.await("read");
        }
        write(pair.child, 20);
        pair.client.await("read 20");
        Until.turn(pair.child);
        if (!"complete".equals(event)) {
            pair.note("read", pair.server.log);
        }
        pair.server.at(event, ctx -> { });
        pair.child.config().setAutoRead(true);
        pair.server.await("read 30");
    }

    private static void readIn(Pair pair, String event) throws Exception {
        pair.serverBootstrap.childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(1))
                .childOption(ChannelOption.AUTO_READ, false);
        pair.countsTurns = true;
        pair.server.at(event, ChannelHandlerContext::read);
        pair.connect();
        Until.done(write(pair.channel, 5));
        pair.awaitAtServer(5);
        Until.turn(pair.child);
        if ("active".equals(event)) {
            pair.server.await("turn");
            pair.note("read", pair.server.log);
            return;
        }
        pair.note("read", pair.server.log);
        int size = pair.server.log.size();
        pair.child.read();
        pair.server.awaitSize(size + 5);
    }

    private static void oneReadAtATime(Pair pair) throws Exception {
        pair.serverBootstrap.childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(2))
                .childOption(ChannelOption.AUTO_READ, false);
        pair.countsTurns = true;
        pair.connect();
        Until.done(write(pair.channel, 7));
        pair.awaitAtServer(7);
        for (int i = 0; i < 4; i++) {
            int size = pair.server.log.size();
            pair.child.read();
            pair.server.awaitSize(size + 1);
        }
        pair.child.read();
        Until.turn(pair.child);
        Until.done(write(pair.channel, 1));
        pair.server.await("turn of 1 reads, 1 bytes", 2);
    }

    private static void messagesPerRead(Pair pair) throws Exception {
        pair.serverBootstrap.childOption(ChannelOption.RECVBUF_ALLOCATOR,
                new FixedRecvByteBufAllocator(2).maxMessagesPerRead(3)).childOption(ChannelOption.AUTO_READ, false);
        pair.countsTurns = true;
        pair.connect();
        Until.done(write(pair.channel, 19));
        pair.awaitAtServer(19);
        pair.child.config().setAutoRead(true);
        pair.server.await("turn of 1 reads, 1 bytes");
    }

    private static void closedInRead(Pair pair) throws Exception {
        pair.serverBootstrap.childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(1))
                .childOption(ChannelOption.AUTO_READ, false);
        pair.server.at("read", ctx -> ctx.close().addListener(future -> pair.server.told("closed")));
        pair.connect();
        Until.done(write(pair.channel, 10));
        pair.awaitAtServer(10);
        pair.child.config().setAutoRead(true);
        pair.server.await("unregistered");
        pair.client.await("unregistered");
    }

    // ---- writing

    private static void writes(Pair pair) throws Exception {
        pair.connect();
        SocketChannel channel = pair.channel;
        pair.note("text", outcome(channel.writeAndFlush("text")), state(channel));
        pair.note("empty", outcome(channel.writeAndFlush(Unpooled.EMPTY_BUFFER)),
                outcome(channel.writeAndFlush(channel.alloc().buffer())));
        ChannelPromise cancelled = channel.newPromise();
        channel.write(bytes(5), cancelled);
        cancelled.cancel(false);
        pair.note("read-only", outcome(channel.writeAndFlush(bytes(2).asReadOnly())));
        pair.note("composite", outcome(channel.writeAndFlush(Unpooled.wrappedBuffer(bytes(3), bytes(4)))));
        pair.server.await("read 9");
        channel.writeAndFlush(42, channel.voidPromise());
        ByteBuf unflushed = bytes(1);
        ChannelFuture never = channel.write(unflushed);
        Until.done(channel.close());
        pair.note("unflushed", outcome(never), unflushed.refCnt());
        pair.client.await("unregistered");
        pair.server.await("unregistered");
    }

    private static void voidPromises(Pair pair) throws Exception {
        pair.connect();
        Until.onLoop(pair.channel.eventLoop(), () -> {
            pair.channel.write(bytes(3), pair.channel.voidPromise());
            pair.channel.write(bytes(3), pair.channel.voidPromise());
            return pair.channel.shutdownOutput();
        });
        pair.client.await("unregistered");
        pair.server.await("unregistered");
    }

    private static void closedWhenUnwritable(Pair pair) throws Exception {
        pair.client.at("writability", ChannelHandlerContext::close);
        pair.connect();
        pair.note("write", outcome(write(pair.channel, 100_000)));
        pair.client.await("unregistered");
        pair.server.await("unregistered");
    }

    private static void autoCloseOff(Pair pair) throws Exception {
        pair.bootstrap.option(ChannelOption.AUTO_CLOSE, false);
        pair.serverBootstrap.childOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        pair.connect();
        Path none = Files.createTempFile("region", null);
        Files.delete(none);
        pair.note("missing", outcome(pair.channel.writeAndFlush(new DefaultFileRegion(none.toFile(), 0, 1))));
        pair.server.await("ChannelInputShutdownReadComplete");
        write(pair.child, 10);
        pair.client.await("read 10");
        pair.note("write", outcome(write(pair.channel, 3)), state(pair.channel));
    }

    private static void releasedBuffer(Pair pair) throws Exception {
        pair.connect();
        ByteBuf released = bytes(3);
        released.release();
        pair.note("released", outcome(pair.channel.writeAndFlush(released)));
        pair.client.await("unregistered");
        pair.server.await("unregistered");
    }

    private static void waterMarks(Pair pair) throws Exception {
        pair.bootstrap.option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(1000, 3000));
        pair.connect();
        SocketChannel channel = pair.channel;
        ChannelFuture last = Until.onLoop(channel.eventLoop(), () -> {
            ChannelFuture future = null;
            for (int i = 0; i < 5; i++) {
                future = channel.write(bytes(1000));
                pair.client.told(channel.bytesBeforeUnwritable() + " " + channel.bytesBeforeWritable());
            }
            channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
            channel.flush();
            return future;
        });
        Until.done(last);
        Until.turn(channel);
        pair.note("user", channel.isWritable(), channel.bytesBeforeUnwritable());
        Until.onLoop(channel.eventLoop(), () -> {
            channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
            return null;
        });
        pair.client.await("writable true");
        pair.server.await("read 5000");
    }

    private static void fileRegions(Pair pair) throws Exception {
        Path file = Files.createTempFile("region", null);
        try {
            Files.write(file, new byte[1000]);
            pair.connect();
            pair.note("empty", outcome(pair.channel.writeAndFlush(new DefaultFileRegion(file.toFile(), 10, 0))));
            pair.note("part", outcome(pair.channel.writeAndFlush(new DefaultFileRegion(file.toFile(), 10, 500))));
            pair.server.await("read 500");
            DefaultFileRegion missing = new DefaultFileRegion(file.resolveSibling("none").toFile(), 0, 1);
            pair.note("missing", Until.failed(pair.channel.writeAndFlush(missing)) instanceof IOException,
                    missing.refCnt());
            pair.client.await("unregistered");
            pair.server.await("unregistered");
        } finally {
            Files.delete(file);
        }
    }

    private static void regionThatHesitates(Pair pair) throws Exception {
        int[] calls = new int[1];
        FileRegion region = new WriteTest.PiecewiseRegion(new byte[1000], 1000, 100) {
            @Override
            public long transferTo(WritableByteChannel target, long position) throws IOException {
                return calls[0]++ % 3 == 0 ? 0 : super.transferTo(target, position);
            }
        };
        pair.connect();
        pair.channel.write(region);
        pair.note("region", outcome(write(pair.channel, 10)), region.refCnt());
        pair.server.await("read 1010");
    }

    private static void truncatedFile(Pair pair) throws Exception {
        Path file = Files.createTempFile("region", null);
        try {
            Files.write(file, new byte[1000]);
            pair.connect();
            ChannelFuture region = pair.channel.write(new DefaultFileRegion(file.toFile(), 500, 501));
            ChannelFuture flushed = write(pair.channel, 3);
            Throwable cause = Until.failed(region);
            pair.note("region", cause instanceof IOException, cause.getMessage().contains("Underlying file size"));
            pair.note("behind it", Until.failed(flushed) instanceof IOException);
            pair.client.await("unregistered");
            pair.server.await("unregistered");
        } finally {
            Files.delete(file);
        }
    }

    private static void writesAgain(Pair pair) throws Exception {
        pair.connect();
        SocketChannel channel = pair.channel;
        Until.onLoop(channel.eventLoop(), () -> {
            channel.write(bytes(1)).addListener(first -> {
                pair.client.told("first " + outcome(first) + state(channel));
                channel.writeAndFlush(bytes(1)).addListener(second ->
                        pair.client.told("second " + outcome(second) + state(channel)));
            });
            return channel.shutdownOutput();
        });
        pair.client.await("unregistered");
        pair.server.await("unregistered");
    }

    // ---- options

    private static void options(Pair pair) throws Exception {
        pair.option(ChannelOption.SO_KEEPALIVE, true).option(ChannelOption.SO_LINGER, 5)
                .option(ChannelOption.TCP_NODELAY, false).option(ChannelOption.IP_TOS, 0x10)
                .option(EpollChannelOption.TCP_KEEPIDLE, 77).option(EpollChannelOption.TCP_KEEPINTVL, 7)
                .option(EpollChannelOption.TCP_KEEPCNT, 3).option(EpollChannelOption.TCP_USER_TIMEOUT, 12_345);
        Channel fresh = pair.newChannel();
        noteOptions(pair, "new", fresh, ChannelOption.SO_REUSEADDR);
        fresh.unsafe().closeForcibly();
        pair.connect();
        noteOptions(pair, "client", pair.channel, ChannelOption.SO_REUSEADDR);
        noteOptions(pair, "child", pair.child);
        noteOptions(pair, "server", pair.listening, ChannelOption.SO_BACKLOG, ChannelOption.SO_REUSEADDR,
                EpollChannelOption.SO_REUSEPORT);
        pair.note("none", pair.channel.config().getOption(ChannelOption.SO_BROADCAST),
                pair.channel.config().setOption(ChannelOption.SO_BROADCAST, true),
                pair.channel.config().getOption(ChannelOption.valueOf("LikeSocketsTest")),
                pair.channel.config().setOption(ChannelOption.valueOf("LikeSocketsTest"), 1),
                pair.channel.config().setOptions(
                        Map.of(ChannelOption.SO_BROADCAST, true, ChannelOption.AUTO_READ, false)),
                pair.channel.config().isAutoRead());
    }

    private static void noteOptions(Pair pair, String what, Channel channel, ChannelOption<?>... more) {
        List<ChannelOption<?>> options = new ArrayList<>(List.of(ChannelOption.AUTO_READ, ChannelOption.AUTO_CLOSE,
                ChannelOption.CONNECT_TIMEOUT_MILLIS, ChannelOption.WRITE_SPIN_COUNT,
                ChannelOption.MAX_MESSAGES_PER_WRITE, ChannelOption.SINGLE_EVENTEXECUTOR_PER_GROUP,
                ChannelOption.WRITE_BUFFER_WATER_MARK, ChannelOption.ALLOW_HALF_CLOSURE, ChannelOption.SO_LINGER,
                ChannelOption.TCP_NODELAY, ChannelOption.SO_KEEPALIVE, ChannelOption.IP_TOS,
                EpollChannelOption.TCP_KEEPIDLE, EpollChannelOption.TCP_KEEPINTVL, EpollChannelOption.TCP_KEEPCNT,
                EpollChannelOption.TCP_USER_TIMEOUT));
        options.addAll(List.of(more));
        for (ChannelOption<?> option : options) {
            pair.note(what + ' ' + option, channel.config().getOption(option));
        }
    }

    private static void wrongOptions(Pair pair) {
        Channel channel = pair.newChannel();
        pair.note("null", thrown(() -> channel.config().getOption(null)),
                thrown(() -> channel.config().setOption(null, 1)),
                thrown(() -> channel.config().setOption(ChannelOption.AUTO_READ, null)),
                thrown(() -> channel.config().setOption(ChannelOption.SO_KEEPALIVE, null)),
                thrown(() -> channel.config().setOptions(null)));
        pair.note("negative", thrown(() -> channel.config().setConnectTimeoutMillis(-1)),
                thrown(() -> channel.config().setOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, -1)),
                thrown(() -> channel.config().setWriteSpinCount(0)),
                thrown(() -> channel.config().setRecvByteBufAllocator(null)),
                thrown(() -> channel.config().setAllocator(null)));
        channel.unsafe().closeForcibly();
    }

    private static void optionsAtTheEnd(Pair pair) throws Exception {
        pair.option(ChannelOption.ALLOW_HALF_CLOSURE, true).option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.IP_TOS, 0x10);
        pair.connect();
        pair.channel.shutdownOutput();
        pair.server.await("ChannelInputShutdownReadComplete");
        pair.child.shutdownOutput();
        pair.client.await("ChannelInputShutdownReadComplete");
        pair.server.await("ChannelOutputShutdownEvent");
        pair.awaitBothEnded();
        for (SocketChannel channel : List.of(pair.channel, pair.child)) {
            pair.note("options", state(channel), channel.config().isKeepAlive(), channel.config().getTrafficClass(),
                    channel.config().getOptions().get(ChannelOption.SO_KEEPALIVE),
                    channel.config().setOption(ChannelOption.SO_KEEPALIVE, false), channel.config().isKeepAlive());
        }
    }

    // ---- what is recorded

    /** On the event loop: otherwise Netty counts the task that writes, too, and the listeners come at any time. */
    private static ChannelFuture write(Channel channel, int length, ChannelFutureListener... listeners) {
        return Until.onLoop(channel.eventLoop(), () -> channel.writeAndFlush(bytes(length)).addListeners(listeners));
    }

    private static ByteBuf bytes(int length) {
        return Unpooled.directBuffer(Math.max(1, length)).writeZero(length);
    }

    private static String thrown(Callable<?> call) {
        try {
            return "returned " + call.call().getClass().getSimpleName();
        } catch (Throwable t) {
            return t.getClass().getSimpleName();
        }
    }

    private static String outcome(Future<?> future) {
        if (!future.awaitUninterruptibly(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("not done: " + future);
        }
        return future.isSuccess() ? "succeeded" : kind(future.cause());
    }

    private static String kind(Throwable cause) {
        if (cause instanceof ClosedChannelException) {
            return "ClosedChannelException";
        }
        if (cause instanceof ConnectException) {
            return "ConnectException";
        }
        return cause instanceof IOException && String.valueOf(cause.getMessage()).contains("Connection reset by peer")
                ? "reset" : cause.getClass().getSimpleName();
    }

    private static String state(Channel channel) {
        String state = " [" + (channel.isOpen() ? "open" : "closed") + (channel.isActive() ? " active" : "") +
                       (channel.isRegistered() ? " registered" : "") + (channel.isWritable() ? " writable" : "");
        if (channel instanceof SocketChannel) {
            state += (((SocketChannel) channel).isInputShutdown() ? " inputShutdown" : "") +
                     (((SocketChannel) channel).isOutputShutdown() ? " outputShutdown" : "");
        }
        return state + ']';
    }

    /** The handler of one side: keeps what it is told of, and does then what the scenario wants. */
    private static final class Side extends ChannelInboundHandlerAdapter {
        private final Pair pair;
        private final List<String> log = new ArrayList<>();
        private final Map<String, Action> actions = new ConcurrentHashMap<>();
        private int bytes;
        private int reads;
        private int bytesOfTurn;

        Side(Pair pair) {
            this.pair = pair;
        }

        void at(String event, Action action) {
            actions.put(event, action);
        }

        synchronized void told(String what) {
            log.add(what);
            notifyAll();
        }

        private synchronized void told(String what, String former) {
            if (!log.isEmpty() && log.get(log.size() - 1).equals(former)) {
                log.remove(log.size() - 1);
            }
            told(what);
        }

        private void happened(String event, ChannelHandlerContext ctx) throws Exception {
            Action action = actions.get(event);
            if (action != null) {
                action.run(ctx);
            }
        }

        private void happened(String event, String told, ChannelHandlerContext ctx) throws Exception {
            told(told);
            happened(event, ctx);
        }

        void await(String event) throws InterruptedException {
            await(event, 1);
        }

        /** Waits until an entry that begins so has come so many times. */
        synchronized void await(String event, int times) throws InterruptedException {
            awaitUntil(() -> log.stream().filter(entry -> entry.startsWith(event)).count() >= times, event);
        }

        synchronized void awaitSize(int size) throws InterruptedException {
            awaitUntil(() -> log.size() >= size, size + " events");
        }

        private void awaitUntil(BooleanSupplier condition, String what) throws InterruptedException {
            long deadline = System.nanoTime() + TestPeers.TIMEOUT_SECONDS * 1_000_000_000L;
            while (!condition.getAsBoolean()) {
                long millis = (deadline - System.nanoTime()) / 1_000_000;
                if (millis <= 0) {
                    throw new AssertionError("never came: " + what + (pair.ucx ? " over UCX: " : " over epoll: ") +
                                             pair.record());
                }
                wait(millis);
            }
        }

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
            happened("added", "added" + state(ctx.channel()), ctx);
        }

        @Override
        public void channelRegistered(ChannelHandlerContext ctx) throws Exception {
            happened("registered", "registered" + state(ctx.channel()), ctx);
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) throws Exception {
            happened("active", "active" + state(ctx.channel()), ctx);
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) throws Exception {
            if (msg instanceof Channel) {
                told("accepted");
                ctx.fireChannelRead(msg);
                return;
            }
            int length = ((ByteBuf) msg).readableBytes();
            ((ByteBuf) msg).release();
            reads++;
            bytesOfTurn += length;
            bytes += length;
            if (!pair.countsTurns) {
                told(pair.countsBytes ? "read " + bytes : "read",
                        pair.countsBytes ? "read " + (bytes - length) : "read");
            }
            happened("read", ctx);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
            if (ctx.channel() instanceof ServerSocketChannel) {
                told("complete");
            } else if (reads > 0) {
                int readsOfTurn = reads;
                int length = bytesOfTurn;
                reads = 0;
                bytesOfTurn = 0;
                if (pair.countsTurns) {
                    told("turn of " + readsOfTurn + " reads, " + length + " bytes");
                }
                happened("complete", ctx);
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) throws Exception {
            happened("writability", "writable " + ctx.channel().isWritable(), ctx);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
            happened(event.getClass().getSimpleName(), event.getClass().getSimpleName(), ctx);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) throws Exception {
            happened(kind(cause), kind(cause), ctx);
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) throws Exception {
            happened("inactive", "inactive" + state(ctx.channel()), ctx);
        }

        @Override
        public void channelUnregistered(ChannelHandlerContext ctx) throws Exception {
            happened("unregistered", "unregistered" + state(ctx.channel()), ctx);
        }

        @Override
        public boolean isSharable() {
            return true;
        }

        @Override
        public synchronized String toString() {
            return String.join("\n  ", log);
        }
    }

    /** A server, a client and what they see. */
    private static final class Pair implements AutoCloseable {
        private final boolean ucx;
        private final Side client = new Side(this);
        private final Side server = new Side(this);
        private final List<String> notes = new ArrayList<>();
        private final ServerBootstrap serverBootstrap;
        private final Bootstrap bootstrap;
        private final BlockingQueue<SocketChannel> accepted = new LinkedBlockingQueue<>();
        private final List<Channel> channels = new ArrayList<>();
        private volatile boolean countsBytes = true;
        private volatile boolean countsTurns;
        private volatile RuntimeException initializerFailure;
        private ServerSocketChannel listening;
        private SocketChannel channel;
        private SocketChannel child;

        Pair(boolean ucx) {
            this.ucx = ucx;
            serverBootstrap = new ServerBootstrap().group(serverGroup)
                    .channel(ucx ? UcxServerSocketChannel.class : EpollServerSocketChannel.class)
                    .childHandler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel initialised) {
                            if (initializerFailure != null) {
                                throw initializerFailure;
                            }
                            accepted.add(initialised);
                            initialised.pipeline().addLast(server);
                        }
                    });
            bootstrap = new Bootstrap().group(clientGroup)
                    .channel(ucx ? UcxSocketChannel.class : EpollSocketChannel.class).handler(client);
        }

        <T> Pair option(ChannelOption<T> option, T value) {
            bootstrap.option(option, value);
            serverBootstrap.childOption(option, value);
            return this;
        }

        SocketChannel newChannel() {
            return ucx ? new UcxSocketChannel() : new EpollSocketChannel();
        }

        void listen() {
            listening = (ServerSocketChannel) Until.done(serverBootstrap.bind("127.0.0.1", 0)).channel();
        }

        InetSocketAddress address() {
            return listening.localAddress();
        }

        void connect() throws Exception {
            listen();
            channel = (SocketChannel) Until.done(bootstrap.connect(address())).channel();
            if (initializerFailure == null) {
                accept();
            }
            client.await("active");
        }

        void accept() throws Exception {
            child = accepted.poll(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS);
            assertNotNull(child, "no connection was accepted");
            channels.add(child);
            Until.turn(child);
        }

        /** Until so many bytes can be read, or are in the kernel for it, where they are once they are written. */
        void awaitAtServer(int length) throws Exception {
            if (ucx) {
                Until.holds(length + " bytes arrive", () -> Until.onLoop(child.eventLoop(),
                        () -> ((UcxSocketChannel) child).connection().inbound().received()) >= length);
            }
        }

        void awaitEndAtServer() throws Exception {
            if (ucx) {
                Until.holds("the end arrives", () -> Until.onLoop(child.eventLoop(), () ->
                        ((UcxSocketChannel) child).connection().state().receive()) == CloseState.Receive.ENDED);
                Until.turn(child);
            }
        }

        void awaitBothEnded() throws Exception {
            if (ucx) {
                for (SocketChannel ended : List.of(channel, child)) {
                    Until.holds("the connection is finished", () -> Until.onLoop(ended.eventLoop(),
                            () -> ((UcxSocketChannel) ended).connection().state().isFinished()));
                    Until.turn(ended);
                }
            }
        }

        void note(String what, Object... values) {
            StringBuilder note = new StringBuilder(what);
            for (Object value : values) {
                note.append(' ').append(value);
            }
            notes.add(note.toString());
        }

        String record() {
            return "client:\n  " + client + "\nserver:\n  " + server + "\nnotes:\n  " +
                   String.join("\n  ", notes) + '\n';
        }

        @Override
        public void close() {
            if (channel != null) {
                channels.add(channel);
            }
            if (listening != null) {
                channels.add(listening);
            }
            for (Channel open : channels) {
                Until.done(open.close());
            }
        }
    }
}
