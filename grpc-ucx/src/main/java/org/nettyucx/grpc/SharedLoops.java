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
package org.nettyucx.grpc;

import io.grpc.internal.ObjectPool;
import io.grpc.internal.SharedResourceHolder.Resource;
import io.grpc.internal.SharedResourcePool;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.util.NettyRuntime;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.internal.SystemPropertyUtil;
import org.nettyucx.UcxEventLoopGroup;

import java.lang.reflect.Method;
import java.util.concurrent.TimeUnit;

/**
 * The event loops of all servers and channels of this JVM. The builders' public methods take a group that lives for
 * ever; one that is counted, as gRPC's own are, can only be given to methods that are not public.
 */
final class SharedLoops {
    private static final String THREADS = "grpc-ucx-ELG";

    private static final ObjectPool<EventLoopGroup> POOL = SharedResourcePool.forResource(new Loops());
    private static final Method CHANNEL_POOL;
    private static final Method BOSS_POOL;
    private static final Method WORKER_POOL;
    private static final Throwable UNAVAILABILITY_CAUSE;

    static {
        Method channelPool = null;
        Method bossPool = null;
        Method workerPool = null;
        Throwable cause = null;
        try {
            channelPool = poolMethod(NettyChannelBuilder.class, "eventLoopGroupPool");
            bossPool = poolMethod(NettyServerBuilder.class, "bossEventLoopGroupPool");
            workerPool = poolMethod(NettyServerBuilder.class, "workerEventLoopGroupPool");
        } catch (ReflectiveOperationException | RuntimeException e) {
            cause = new UnsupportedOperationException("this version of grpc-netty is not supported: " + e, e);
        }
        CHANNEL_POOL = channelPool;
        BOSS_POOL = bossPool;
        WORKER_POOL = workerPool;
        UNAVAILABILITY_CAUSE = cause;
    }

    private SharedLoops() {
    }

    private static Method poolMethod(Class<?> builder, String name) throws ReflectiveOperationException {
        Method method = builder.getDeclaredMethod(name, ObjectPool.class);
        method.setAccessible(true);
        return method;
    }

    /** Why the loops cannot be shared, or {@code null} if they can. */
    static Throwable unavailabilityCause() {
        return UNAVAILABILITY_CAUSE;
    }

    static void use(NettyChannelBuilder builder) {
        set(CHANNEL_POOL, builder);
    }

    static void use(NettyServerBuilder builder) {
        set(BOSS_POOL, builder);
        set(WORKER_POOL, builder);
    }

    private static void set(Method method, Object builder) {
        try {
            method.invoke(builder, POOL);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class Loops implements Resource<EventLoopGroup> {
        @Override
        public EventLoopGroup create() {
            // gRPC has as many, half of Netty's default. 0: what the user has said.
            int threads = SystemPropertyUtil.contains("io.netty.eventLoopThreads") ? 0
                    : NettyRuntime.availableProcessors();
            return new UcxEventLoopGroup(threads, new DefaultThreadFactory(THREADS, true));
        }

        @Override
        public void close(EventLoopGroup group) {
            group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        }

        @Override
        public String toString() {
            return THREADS;
        }
    }
}
