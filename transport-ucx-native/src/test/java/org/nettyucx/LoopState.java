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

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadIoEventLoop;

import java.lang.reflect.Method;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * What an event loop has in its tables.
 *
 * @param registrations all of them, TCP connections and servers included
 * @param connections   UCX connections, also those that linger
 */
record LoopState(int registrations, int connections, int links) {
    /** Whatever links there are. */
    static final int ANY = -1;

    /** That of its TCP connection or TCP server. */
    static final int REGISTRATIONS_OF_CHANNEL = 1;

    /** Netty tells it only to groups that scale themselves. */
    static int registrations(EventLoop loop) throws ReflectiveOperationException {
        Method method = SingleThreadIoEventLoop.class.getDeclaredMethod("getNumOfRegisteredChannels");
        method.setAccessible(true);
        return (Integer) method.invoke(loop);
    }

    private static LoopState now(EventLoop loop, UcxIoHandler handler) throws Exception {
        return loop.submit(() -> new LoopState(registrations(loop),
                handler.connections().size(), handler.linkCount())).get(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    static UcxIoHandler handler(Channel channel) {
        return channel instanceof UcxServerSocketChannel ? ((UcxServerSocketChannel) channel).handler()
                : ((UcxSocketChannel) channel).connection().handler();
    }

    /** Waits until the event loop of the channel has this state. */
    static void await(Channel channel, int registrations, int connections, int links) throws Exception {
        await(channel.eventLoop(), handler(channel), registrations, connections, links);
    }

    static void await(EventLoop loop, UcxIoHandler handler, int registrations, int connections, int links)
            throws Exception {
        await(loop, handler, new LoopState(registrations, connections, links).toString(),
                state -> state.registrations == registrations && state.connections == connections &&
                         (links == ANY || state.links == links));
    }

    private static void await(EventLoop loop, UcxIoHandler handler, String expected, Predicate<LoopState> wanted)
            throws Exception {
        AtomicReference<LoopState> latest = new AtomicReference<>();
        Until.holds(() -> {
            latest.set(now(loop, handler));
            return wanted.test(latest.get());
        }, () -> latest + ", expected " + expected);
    }

    /** Waits until nothing but so many registrations is there, whatever links there are. */
    static void awaitNoConnections(Channel channel, int registrations) throws Exception {
        await(channel, registrations, 0, ANY);
    }

    static void awaitRegistrations(Channel channel, int registrations) throws Exception {
        await(channel.eventLoop(), handler(channel), registrations + " registrations",
                state -> state.registrations == registrations);
    }

    /** Buffers that nobody released are reported when they were collected and another one is allocated. */
    static void reportLeaks() {
        for (int i = 0; i < 5; i++) {
            System.gc();
            LockSupport.parkNanos(20_000_000);
            ByteBufAllocator.DEFAULT.directBuffer(16).release();
        }
    }
}
