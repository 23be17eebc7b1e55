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

import io.netty.util.internal.NativeLibraryLoader;
import io.netty.util.internal.PlatformDependent;

import java.nio.ByteBuffer;

/**
 * The native methods. Only primitives and addresses cross; a handle is a positive address, a failure UCX's negative
 * status. But for {@link #descriptorLimit}, {@link #freeDescriptors}, {@link #directBufferAddress} and {@link #copy}
 * nothing may be called before {@link #open} returned 0, and everything that takes a worker or an endpoint only on the
 * worker's event loop.
 */
final class Native {
    /** Message types of {@link #send}, see docs/wire-protocol.md. */
    static final int MESSAGE_DATA = 1;
    static final int MESSAGE_CREDIT = 2;
    static final int MESSAGE_READY = 3;
    static final int MESSAGE_GOODBYE = 4;
    static final int MESSAGE_PROBE = 5;

    /** {@code UCS_ERR_NO_MEMORY}. */
    static final int STATUS_NO_MEMORY = -4;
    /** {@code UCS_ERR_BUSY}. */
    static final int STATUS_BUSY = -15;
    /** {@code UCS_ERR_CONNECTION_RESET}. */
    static final int STATUS_CONNECTION_RESET = -25;

    /** What {@link #workerPoll} returns when UCX did something of which there is no record. */
    static final int POLL_PROGRESSED = Integer.MAX_VALUE;

    private static final String LIBRARY = "netty_transport_native_ucx_" + PlatformDependent.normalizedArch();

    static {
        NativeLibraryLoader.load(LIBRARY, PlatformDependent.getClassLoader(Native.class));
    }

    private Native() {
    }

    /** Fails if the library cannot be loaded. */
    static void ensureLoaded() {
        // The static initialiser has done it.
    }

    /** Prepares the environment and opens libucp by name (a C string). Returns 0, or writes why not. */
    static native int open(long name, long error, int errorCapacity);

    /** UCX's version: {@code major << 16 | minor << 8 | release}. */
    static native int version();

    static native int statusText(int status, long text, int capacity);

    /**
     * settings: names and values as C strings, ended by an empty name. stream: for UCX's stream, not for active
     * messages. culprit gets the name of a refused setting.
     */
    static native long contextCreate(long settings, boolean stream, long culprit, int culpritCapacity);

    static native int contextDescribe(long context, long text, int capacity);

    static native long workerCreate(long context, boolean stream);

    /** Returns 0, or a negative number if the worker had to be left behind. */
    static native int workerDestroy(long worker);

    static native int workerEventFd(long worker);

    static native int workerAddress(long worker, long address, int capacity);

    /**
     * Ends the life of the payloads that the previous call reported, progresses UCX and writes the next records.
     *
     * @return their number, or {@link #POLL_PROGRESSED}, or a negative status when the worker cannot go on
     */
    static native int workerPoll(long worker, int maxProgress, long records, int maxRecords);

    static native int workerArm(long worker);

    /** Returns the id of a new channel that may receive window bytes, or 0. */
    static native long channelOpen(long worker, long random, long window);

    static native void channelGrant(long worker, long channel, long granted);

    static native void channelClose(long worker, long channel);

    static native long endpointCreate(long worker, long address, long link);

    static native void endpointClose(long endpoint);

    static native int endpointTransports(long endpoint, long text, int capacity);

    /**
     * Sends one active message. iov is an array of (address, length) pairs, which is copied; the memory that it names
     * must stay until the operation is done.
     *
     * @return 0: done; 1: a completion with this operation will follow (unless it is 0); negative: failed
     */
    static native int send(long endpoint, int type, long channel, long value, long iov, int iovCount, long operation);

    /** host and localHost are C strings with numeric addresses, localHost and name may be 0. */
    static native long endpointConnect(long worker, long host, int port, long localHost, int localPort, long link,
                                       long name, boolean sendClientId);

    /** Uses the request up. name may be 0. */
    static native long endpointAccept(long worker, long request, long link, long name);

    /** UCX's own handle of the endpoint. */
    static native long endpointHandle(long endpoint);

    /** 0: a FLUSHED record will follow. */
    static native int endpointFlush(long endpoint);

    /** Writes the IP address of UCX's connection manager on this or the other side, returns the port. */
    static native int endpointAddress(long endpoint, boolean remote, long text, int capacity);

    /** Sends a copy of the bytes as one CONTROL message, or, if channel is not 0, as a DIRECT one. */
    static native int sendControl(long endpoint, long channel, long sender, long data, int length);

    /** Begins to receive UCX's stream, as DATA of the channel, up to granted bytes. */
    static native int streamReceive(long endpoint, long channel, long granted);

    static native void streamGrant(long endpoint, long granted);

    /** Sends bytes over UCX's stream; as {@link #send}. */
    static native int streamSend(long endpoint, long iov, int iovCount, long operation);

    static native long listenerCreate(long worker, long host, int port, long id);

    static native int listenerPort(long listener);

    static native void listenerReject(long listener, long request);

    static native void listenerDestroy(long listener);

    /** How many file descriptors this process may have now. */
    static native int descriptorLimit();

    /** How many file descriptors more it may have now, or {@code enough} if it is that many or more. */
    static native int freeDescriptors(int enough);

    static native void copy(long destination, long source, long length);

    static native long directBufferAddress(ByteBuffer buffer);
}
