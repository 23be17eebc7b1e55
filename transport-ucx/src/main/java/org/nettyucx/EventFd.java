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

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandler;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;

/** The event descriptor of a UCX worker, watched by epoll while its event loop sleeps. */
final class EventFd implements EpollIoHandle {
    private final FileDescriptor descriptor;
    private final IoRegistration registration;
    private boolean watched = true;
    private int events;

    EventFd(IoHandler epoll, UcxWorker worker) throws Exception {
        descriptor = new FileDescriptor(worker.eventFd());
        registration = epoll.register(this);
        registration.submit(EpollIoOps.EPOLLIN);
    }

    void watch(boolean watch) {
        if (watched != watch) {
            watched = watch;
            registration.submit(watch ? EpollIoOps.EPOLLIN : EpollIoOps.EPOLLET);
        }
    }

    /** How often it was readable since the last call. */
    int takeEvents() {
        int taken = events;
        events = 0;
        return taken;
    }

    void cancel() {
        registration.cancel();
    }

    @Override
    public FileDescriptor fd() {
        return descriptor;
    }

    @Override
    public void handle(IoRegistration ioRegistration, IoEvent event) {
        // The worker is polled after every sleep anyway.
        events++;
    }

    @Override
    public void close() {
        // The descriptor is UCX's own.
    }
}
