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

import io.netty.util.NetUtil;

import java.io.IOException;
import java.lang.ref.Reference;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Set;

/**
 * A {@code ucp_listener} of an event loop's worker, and the connection requests that came to it. Each is accepted, on
 * any event loop, or refused exactly once, and before the listener is destroyed, which UCX reads meanwhile.
 */
final class UcxListener {
    /** Who gets the requests. */
    interface Acceptor {
        /** On the listener's event loop. The request must be accepted or refused some time. */
        void requested(Request request);
    }

    /** Mirrors NETTY_UCX_CLIENT_ID. */
    private static final long CLIENT_ID = 0x4e65747479554301L;
    /** {@code AF_INET} of Linux. */
    private static final int IPV4 = 2;
    /**
     * UCX takes the lock of the listener's worker while it holds that of the worker that accepts
     * (uct_tcp_sockcm_ep_create): two that accept each other's requests would wait for ever.
     */
    private static final Object LOCK = new Object();

    private final UcxIoHandler handler;
    private final UcxWire wire;
    private final Acceptor acceptor;
    private final int id;
    private final InetSocketAddress address;
    /** Neither accepted nor refused. Guarded by {@link #LOCK}, as is the handle. */
    private final Set<Request> requests = new HashSet<>();
    private long handle;

    /** Listens on a numeric address. On the event loop, as are all methods but those of {@link Request}. */
    UcxListener(UcxIoHandler handler, UcxWire wire, InetSocketAddress address, Acceptor acceptor) throws IOException {
        this.handler = handler;
        this.wire = wire;
        this.acceptor = acceptor;
        id = handler.nextEndpointId();
        int port = open(address);
        this.address = new InetSocketAddress(address.getAddress(), port);
        handler.listenerOpened(this);
    }

    private int open(InetSocketAddress wanted) throws IOException {
        NativeText host = NativeText.of(NetUtil.toAddressString(wanted.getAddress()));
        long created;
        synchronized (LOCK) {
            created = Native.listenerCreate(handler.worker(wire).handle(), host.address(), wanted.getPort(), id);
            Reference.reachabilityFence(host);
            handle = Math.max(0, created);
        }
        if (created == Native.STATUS_BUSY) {
            throw new BindException("Address already in use: " + wanted);
        }
        if (created < 0) {
            throw new BindException("UCX cannot listen on " + wanted + ": " + NativeText.ofStatus((int) created) +
                    " (is it an address of this host, on a device that UCX_NET_DEVICES allows?)");
        }
        int port = Native.listenerPort(handle);
        if (port < 0) {
            close();
            throw new UcxException("ucp_listener_query", port);
        }
        return port;
    }

    int id() {
        return id;
    }

    InetSocketAddress address() {
        return address;
    }

    void requested(long request, long clientId, int family) {
        Request pending = new Request(request, clientId == CLIENT_ID, family);
        synchronized (LOCK) {
            requests.add(pending);
        }
        acceptor.requested(pending);
    }

    /** The worker is another one now. */
    void reopen() throws IOException {
        open(address);
    }

    /** Refuses all requests that are left; those who hold them find that out. */
    void close() {
        synchronized (LOCK) {
            if (handle != 0) {
                RefusedException reason = new RefusedException(Refusal.CLOSED, "the server was closed");
                requests.forEach(request -> request.refuseNow(reason));
                requests.clear();
                Native.listenerDestroy(handle);
                handle = 0;
            }
        }
    }

    /** A connection request. */
    final class Request {
        private final long request;
        private final boolean ours;
        private final int family;

        private Request(long request, boolean ours, int family) {
            this.request = request;
            this.ours = ours;
            this.family = family;
        }

        /** Whether the client is a netty-ucx peer with WIRE NETTY. */
        boolean isOurs() {
            return ours;
        }

        boolean isIpv4() {
            return family == IPV4;
        }

        /** On the event loop of the endpoint, which is another one than the listener's in general. */
        void accept(UcxEndpoint endpoint) throws IOException {
            synchronized (LOCK) {
                if (!requests.remove(this)) {
                    throw new IOException("the server was closed before the connection was accepted");
                }
                endpoint.accept(request);
            }
        }

        /** Any thread. */
        void refuse(RefusedException reason) {
            synchronized (LOCK) {
                if (!requests.contains(this)) {
                    return;
                }
            }
            handler.execute(() -> {
                synchronized (LOCK) {
                    if (requests.remove(this)) {
                        refuseNow(reason);
                    }
                }
            });
        }

        private void refuseNow(RefusedException reason) {
            if (!isIpv4() || !ours) {
                Native.listenerReject(handle, request);
            } else {
                RefusedEndpoint.refuse(handler, request, reason);
            }
        }
    }
}
