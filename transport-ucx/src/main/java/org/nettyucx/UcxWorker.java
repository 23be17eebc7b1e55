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

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** One {@code ucp_worker} and the way into it. All methods on the event loop that owns it. */
final class UcxWorker {
    private static final InternalLogger logger = InternalLoggerFactory.getInstance(UcxWorker.class);

    /** {@code ucp_worker_progress} calls of one poll. */
    private static final int MAX_PROGRESS = 32;
    /** No worker address that we know is longer; a longer one is refused on both sides. */
    static final int MAX_ADDRESS_LENGTH = 16 * 1024;

    private static final AtomicInteger count = new AtomicInteger();

    private final EventBatch batch = new EventBatch();
    private final WorkerId id = WorkerId.random();
    private final byte[] address;
    private long handle;
    private boolean idle;

    UcxWorker() throws IOException {
        this(false);
    }

    /** stream: for UCX's stream, not for active messages. */
    UcxWorker(boolean stream) throws IOException {
        handle = UcxContext.newWorker(stream);
        count.incrementAndGet();
        ByteBuffer buffer = ByteBuffer.allocateDirect(MAX_ADDRESS_LENGTH);
        int length = Native.workerAddress(handle, Native.directBufferAddress(buffer), buffer.capacity());
        if (length < 0) {
            destroy();
            throw new UcxException("ucp_worker_get_address", length, "the worker address is longer than " +
                    MAX_ADDRESS_LENGTH + " bytes: name the devices to use in UCX_NET_DEVICES");
        }
        address = new byte[length];
        buffer.get(address);
    }

    /** For {@link Native}. */
    long handle() {
        return handle;
    }

    /** How many workers this process has. */
    static int count() {
        return count.get();
    }

    WorkerId id() {
        return id;
    }

    byte[] address() {
        return address;
    }

    int eventFd() {
        return Native.workerEventFd(handle);
    }

    EventBatch batch() {
        return batch;
    }

    /** Returns the number of records now in {@link #batch}; the payloads of the batch before are gone. */
    int poll() throws UcxException {
        int count = Native.workerPoll(handle, MAX_PROGRESS, batch.address(), EventBatch.CAPACITY);
        if (count < 0) {
            throw new UcxException("ucp_worker_progress", count);
        }
        idle = count == 0;
        return count == Native.POLL_PROGRESSED ? 0 : count;
    }

    /** Whether UCX had nothing to do at all in the latest {@link #poll}. */
    boolean wasIdle() {
        return idle;
    }

    /** Returns whether the loop may sleep on the event fd now; otherwise it must poll first. */
    boolean arm() throws UcxException {
        int status = Native.workerArm(handle);
        if (status != 0 && status != Native.STATUS_BUSY) {
            throw new UcxException("ucp_worker_arm", status);
        }
        return status == 0;
    }

    long openChannel(long window) throws UcxException {
        long channel = Native.channelOpen(handle, ThreadLocalRandom.current().nextLong(), window);
        if (channel == 0) {
            throw new UcxException("channel table", Native.STATUS_NO_MEMORY,
                    "no memory or no slot for one more channel");
        }
        return channel;
    }

    void grant(long channel, long granted) {
        Native.channelGrant(handle, channel, granted);
    }

    void closeChannel(long channel) {
        Native.channelClose(handle, channel);
    }

    long createEndpoint(byte[] remoteAddress, int link) throws UcxException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(remoteAddress.length).put(remoteAddress);
        long endpoint = Native.endpointCreate(handle, Native.directBufferAddress(buffer), link);
        Reference.reachabilityFence(buffer);
        if (endpoint < 0) {
            throw new UcxException("ucp_ep_create", (int) endpoint, NativeText.ofStatus((int) endpoint) +
                    " (do both sides have a transport in common? compare UCX_TLS and UCX_NET_DEVICES)");
        }
        return endpoint;
    }

    void destroy() {
        if (handle != 0) {
            if (Native.workerDestroy(handle) < 0) {
                // As happens when a peer died in the middle of UCX's own handshake.
                logger.debug("a UCX worker is left behind: UCX has not finished with a peer, and before UCX 1.14 it " +
                        "may abort the process then");
            }
            handle = 0;
            count.decrementAndGet();
        }
    }
}
