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

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.EventExecutorChooserFactory;

import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;

/**
 * A group of event loops for UCX channels, and for epoll channels beside them. It is exactly
 * {@code new MultiThreadIoEventLoopGroup(n, ..., UcxIoHandler.newFactory(config))}; each loop owns one UCX worker.
 * Every constructor throws {@link UnsatisfiedLinkError} if {@linkplain Ucx UCX is not available}, and one without a
 * configuration {@link IllegalArgumentException} if that {@linkplain UcxIoHandlerConfig#UcxIoHandlerConfig() cannot be
 * made} from the system properties; 0 threads means Netty's default number.
 */
public final class UcxEventLoopGroup extends MultiThreadIoEventLoopGroup {
    /** Makes a group with Netty's default number of threads. */
    public UcxEventLoopGroup() {
        this(0);
    }

    /** Makes a group with this number of threads. */
    public UcxEventLoopGroup(int nThreads) {
        super(nThreads, UcxIoHandler.newFactory());
    }

    /** Makes a group with this number of threads and configuration. */
    public UcxEventLoopGroup(int nThreads, UcxIoHandlerConfig config) {
        super(nThreads, UcxIoHandler.newFactory(config));
    }

    /** Makes a group whose threads come from the factory. */
    public UcxEventLoopGroup(int nThreads, ThreadFactory threadFactory) {
        super(nThreads, threadFactory, UcxIoHandler.newFactory());
    }

    /** Makes a group whose threads come from the factory. */
    public UcxEventLoopGroup(int nThreads, ThreadFactory threadFactory, UcxIoHandlerConfig config) {
        super(nThreads, threadFactory, UcxIoHandler.newFactory(config));
    }

    /** Makes a group whose loops run on threads of the executor. */
    public UcxEventLoopGroup(int nThreads, Executor executor) {
        super(nThreads, executor, UcxIoHandler.newFactory());
    }

    /** Makes a group whose loops run on threads of the executor and are chosen by the chooser. */
    public UcxEventLoopGroup(int nThreads, Executor executor, EventExecutorChooserFactory chooserFactory) {
        super(nThreads, executor, chooserFactory, UcxIoHandler.newFactory());
    }
}
