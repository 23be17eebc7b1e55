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
import io.netty.util.NetUtil;

import java.lang.ref.Reference;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * A UCX endpoint that belongs to one channel: made by UCX's connection manager, from a socket address or a connection
 * request. On the event loop only.
 */
final class UcxEndpoint {
    /** Who is told what UCX reports of an endpoint. */
    interface Owner {
        /** The peer is gone or cannot be reached. */
        void endpointFailed(int status);

        /** What was sent before {@link #flush} has left UCX, and its own handshake is done, if the status is 0. */
        void endpointFlushed(int status);

        /** A control message came; its bytes are there until this returns. */
        void controlReceived(long address, int length);

        /** The event loop ends, or its worker is replaced. */
        void workerEnds();
    }

    private final UcxIoHandler handler;
    private final UcxWorker worker;
    private final Owner owner;
    private final int id;
    private final String name;
    private long handle;
    private long ucpHandle;
    private List<String> transports = List.of();

    /** name is what UCX shall call it, or {@code null}. */
    UcxEndpoint(UcxIoHandler handler, UcxWorker worker, Owner owner, String name) {
        this.handler = handler;
        this.worker = worker;
        this.owner = owner;
        this.name = name;
        id = handler.nextEndpointId();
    }

    /** Begins to connect. Numeric addresses; local may be {@code null}. */
    void connect(InetSocketAddress remote, InetSocketAddress local, boolean sendClientId) throws UcxException {
        NativeText host = NativeText.of(NetUtil.toAddressString(remote.getAddress()));
        NativeText localHost = local == null ? null : NativeText.of(NetUtil.toAddressString(local.getAddress()));
        NativeText nativeName = name == null ? null : NativeText.of(name);
        opened(Native.endpointConnect(worker.handle(), host.address(), remote.getPort(),
                localHost == null ? 0 : localHost.address(), local == null ? 0 : local.getPort(), id,
                nativeName == null ? 0 : nativeName.address(), sendClientId));
        Reference.reachabilityFence(host);
        Reference.reachabilityFence(localHost);
        Reference.reachabilityFence(nativeName);
    }

    /** Accepts a connection request, which is used up whatever comes of it. */
    void accept(long request) throws UcxException {
        NativeText nativeName = name == null ? null : NativeText.of(name);
        opened(Native.endpointAccept(worker.handle(), request, id,
                nativeName == null ? 0 : nativeName.address()));
        Reference.reachabilityFence(nativeName);
    }

    private void opened(long result) throws UcxException {
        if (result < 0) {
            throw new UcxException("ucp_ep_create", (int) result, NativeText.ofStatus((int) result));
        }
        handle = result;
        ucpHandle = Native.endpointHandle(handle);
        handler.endpointOpened(this);
    }

    int id() {
        return id;
    }

    Owner owner() {
        return owner;
    }

    /** UCX's own handle, by which it names the endpoint that a message came over. */
    long ucpHandle() {
        return ucpHandle;
    }

    boolean isOpen() {
        return handle != 0;
    }

    long handle() {
        return handle;
    }

    /** Ends in {@link Owner#endpointFlushed}. */
    void flush() throws UcxException {
        int status = Native.endpointFlush(handle);
        if (status < 0) {
            throw new UcxException("ucp_ep_flush_nbx", status);
        }
    }

    /** Sends control messages; returns 0 or a negative status. Releases the buffer. */
    int sendControl(ByteBuf message) {
        try {
            return Native.sendControl(handle, 0, 0, NativeMemory.address(message), message.readableBytes());
        } finally {
            message.release();
        }
    }

    /** The address of UCX's connection manager on one side, or {@code null} if UCX does not know. */
    InetSocketAddress address(boolean remote) {
        NativeText text = new NativeText();
        int port = Native.endpointAddress(handle, remote, text.address(), text.capacity());
        return port < 0 ? null : new InetSocketAddress(NetUtil.createInetAddressFromIpAddressString(text.toString()),
                port);
    }

    /** UCX's own handshake is done: what it has chosen does not change any more. */
    void connected() {
        transports = UcxLink.transportsOf(handle);
    }

    List<String> transports() {
        return transports;
    }

    /** By FORCE: what was not sent is lost, its operations complete now. */
    void close() {
        if (isOpen()) {
            handler.endpointClosed(this);
            long closed = handle;
            handle = 0;
            Native.endpointClose(closed);
        }
    }
}
