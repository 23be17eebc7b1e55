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
package org.nettyucx.integration.reactor;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.unix.DomainDatagramChannel;
import io.netty.channel.unix.DomainSocketChannel;
import io.netty.channel.unix.ServerDomainSocketChannel;
import io.netty.util.concurrent.FastThreadLocalThread;
import org.nettyucx.Ucx;
import org.nettyucx.UcxEventLoopGroup;
import org.nettyucx.UcxServerSocketChannel;
import org.nettyucx.UcxSocketChannel;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.NonBlocking;
import reactor.netty.resources.LoopResources;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets Reactor Netty's servers and clients use UCX instead of TCP: {@code HttpServer.create().runOn(loops)}, the same
 * for {@code HttpClient}, {@code TcpServer} and {@code TcpClient}, or {@code HttpResources.set(loops)} for a whole JVM.
 *
 * <p>Datagrams, which host names are looked up with, and Unix domain sockets run on the same event loops, by epoll. It
 * makes no difference whether a native transport is preferred.
 */
public final class UcxLoopResources implements LoopResources {
    private static final Map<Class<? extends Channel>, Class<? extends Channel>> CHANNELS = Map.of(
            SocketChannel.class, UcxSocketChannel.class,
            ServerSocketChannel.class, UcxServerSocketChannel.class,
            DatagramChannel.class, EpollDatagramChannel.class,
            DomainSocketChannel.class, EpollDomainSocketChannel.class,
            ServerDomainSocketChannel.class, EpollServerDomainSocketChannel.class,
            DomainDatagramChannel.class, EpollDomainDatagramChannel.class);

    private final EventLoopGroup loops;
    /** Those of clients, made when there is one since that starts all threads. */
    private EventLoopGroup colocated;
    private volatile boolean disposed;

    private UcxLoopResources(String prefix, int threads, boolean daemon) {
        loops = new UcxEventLoopGroup(threads, new LoopThreads(prefix, daemon));
    }

    /**
     * Makes as many event loops as Reactor Netty does by default. Their threads are daemons.
     *
     * @throws IllegalArgumentException if the prefix is empty
     * @throws UnsatisfiedLinkError if UCX is not available, with the reason as its cause
     */
    public static UcxLoopResources create(String prefix) {
        return create(prefix, DEFAULT_IO_WORKER_COUNT, true);
    }

    /**
     * Makes this number of event loops.
     *
     * @throws IllegalArgumentException if the prefix is empty, or threads less than 1
     * @throws UnsatisfiedLinkError if UCX is not available, with the reason as its cause
     */
    public static UcxLoopResources create(String prefix, int threads, boolean daemon) {
        if (prefix.isEmpty()) {
            throw new IllegalArgumentException("prefix is empty");
        }
        if (threads < 1) {
            throw new IllegalArgumentException("threads: " + threads + " (expected: at least 1)");
        }
        Ucx.ensureAvailability();
        return new UcxLoopResources(prefix, threads, daemon);
    }

    @Override
    public EventLoopGroup onServer(boolean useNative) {
        return loops;
    }

    /** A client that is used on one of the loops stays on it, as with Reactor Netty's own. */
    @Override
    public synchronized EventLoopGroup onClient(boolean useNative) {
        if (colocated == null) {
            colocated = LoopResources.colocate(loops);
        }
        return colocated;
    }

    @Override
    public <C extends Channel> C onChannel(Class<C> type, EventLoopGroup group) {
        try {
            return onChannelClass(type, group).getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public <C extends Channel> Class<? extends C> onChannelClass(Class<C> type, EventLoopGroup group) {
        Class<? extends Channel> channel = CHANNELS.get(type);
        if (channel == null) {
            throw new IllegalArgumentException("Unsupported channel type: " + type.getName());
        }
        return channel.asSubclass(type);
    }

    @Override
    public Mono<Void> disposeLater(Duration quietPeriod, Duration timeout) {
        return Mono.<Void>create(done -> {
            disposed = true;
            loops.shutdownGracefully(quietPeriod.toMillis(), timeout.toMillis(), TimeUnit.MILLISECONDS)
                    .addListener(ended -> done.success());
        }).timeout(timeout, Mono.error(() -> new IllegalStateException("the event loops did not end within " +
                timeout.toMillis() + " ms")));
    }

    @Override
    public boolean isDisposed() {
        return disposed;
    }

    private static final class LoopThreads implements ThreadFactory {
        private final AtomicInteger count = new AtomicInteger();
        private final String prefix;
        private final boolean daemon;

        LoopThreads(String prefix, boolean daemon) {
            this.prefix = prefix;
            this.daemon = daemon;
        }

        @Override
        public Thread newThread(Runnable task) {
            Thread thread = new LoopThread(task, prefix + "-ucx-" + count.incrementAndGet());
            thread.setDaemon(daemon);
            return thread;
        }
    }

    /** Reactor refuses to block in such a thread. */
    private static final class LoopThread extends FastThreadLocalThread implements NonBlocking {
        LoopThread(Runnable task, String name) {
            super(task, name);
        }
    }
}
