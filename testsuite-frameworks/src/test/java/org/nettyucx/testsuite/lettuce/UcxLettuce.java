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
package org.nettyucx.testsuite.lettuce;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.AbstractBootstrap;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import org.nettyucx.UcxEventLoopGroup;
import org.nettyucx.UcxSocketChannel;

import java.lang.reflect.Field;
import java.util.concurrent.TimeUnit;

/**
 * What it takes to let Lettuce use UCX. It can be given event loops, but has set the channel class when it asks for
 * changes, and Netty refuses to set it twice; so the field is cleared first.
 */
final class UcxLettuce implements EventLoopGroupProvider, NettyCustomizer {
    private final UcxEventLoopGroup loops;
    private final int threads;

    UcxLettuce(int threads) {
        this.threads = threads;
        loops = new UcxEventLoopGroup(threads);
    }

    /** Resources for a client; {@link #shutdown} is for the end. */
    ClientResources resources() {
        return ClientResources.builder().eventLoopGroupProvider(this).nettyCustomizer(this).build();
    }

    @Override
    public void afterBootstrapInitialized(Bootstrap bootstrap) {
        try {
            Field factory = AbstractBootstrap.class.getDeclaredField("channelFactory");
            factory.setAccessible(true);
            factory.set(bootstrap, null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        bootstrap.channel(UcxSocketChannel.class);
    }

    @Override
    public <T extends EventLoopGroup> T allocate(Class<T> type) {
        return type.cast(loops);
    }

    @Override
    public int threadPoolSize() {
        return threads;
    }

    /** All clients share the loops. */
    @Override
    public Future<Boolean> release(EventExecutorGroup group, long quietPeriod, long timeout, TimeUnit unit) {
        return GlobalEventExecutor.INSTANCE.newSucceededFuture(true);
    }

    @Override
    public Future<Boolean> shutdown(long quietPeriod, long timeout, TimeUnit unit) {
        Promise<Boolean> done = GlobalEventExecutor.INSTANCE.newPromise();
        loops.shutdownGracefully(quietPeriod, timeout, unit).addListener(ended -> done.setSuccess(ended.isSuccess()));
        return done;
    }
}
