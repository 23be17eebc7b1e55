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

import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.List;

/**
 * The connector LISTENER: a channel has a UCX endpoint of its own, made by UCX's connection manager. What goes over it
 * is up to the subclasses; none may send before the endpoint was flushed, or UCX 1.13 loses it or crashes (shared
 * memory: its own handshake is still under way).
 */
abstract class EndpointWire implements Wire, UcxEndpoint.Owner, SendCarrier {
    /** UCX's tcp connection manager overflows the heap of a process that accepts an IPv6 peer (1.13 to 1.22). */
    static final String ALLOW_IPV6 = "org.nettyucx.listener.allowIpv6";

    /** {@code UCS_ERR_REJECTED}. */
    private static final int STATUS_REJECTED = -23;

    enum Phase { NEW, FLUSHING, SHAKING_HANDS, OPEN, ENDING, CLOSED }

    private final UcxSocketChannel channel;
    /** On the server's side. */
    private final UcxListener.Request request;
    private final int acceptTimeoutMillis;
    private UcxIoHandler handler;
    private UcxEndpoint endpoint;
    private Phase phase = Phase.NEW;
    private Deadlines.Deadline deadline;
    private InetSocketAddress boundTo;
    private InetSocketAddress target;
    private volatile InetSocketAddress local;
    private volatile InetSocketAddress remote;

    /** request is {@code null} on the client's side. */
    static EndpointWire of(UcxSocketChannel channel, UcxWire kind, UcxListener.Request request,
                           int acceptTimeoutMillis) {
        return kind == UcxWire.RAW ? new RawWire(channel, request, acceptTimeoutMillis)
                : new ListenerWire(channel, request, acceptTimeoutMillis);
    }

    EndpointWire(UcxSocketChannel channel, UcxListener.Request request, int acceptTimeoutMillis) {
        this.channel = channel;
        this.request = request;
        this.acceptTimeoutMillis = acceptTimeoutMillis;
    }

    // ---- for the subclasses

    /** To be called before the peer is told that this side is content. */
    void checkTransports() throws RefusedException {
        channel.config().allowedTransports().check(endpoint::transports);
    }

    UcxSocketChannel channel() {
        return channel;
    }

    public final Connection connection() {
        return channel.connection();
    }

    UcxIoHandler handler() {
        return handler;
    }

    UcxEndpoint endpoint() {
        return endpoint;
    }

    Phase phase() {
        return phase;
    }

    boolean isClient() {
        return request == null;
    }

    /** UCX's own handshake is done: bytes may be sent. */
    abstract void shakeHands() throws IOException;

    /** What this is. */
    abstract UcxWire kind();

    /** Fails with the reason of this side, and tells the peer if that understands it. */
    void refuse(RefusedException reason) {
        fail(isClient() ? reason.failureOf(remote) : reason);
    }

    /** Whether a server shall be told by UCX whose client this is. */
    abstract boolean sendsClientId();

    /** Why a connect took too long, beginning with a blank. */
    abstract String describeTimeout();

    /** What {@link #shakeHands} began is done. */
    void open(long remoteWindow) {
        phase = Phase.OPEN;
        cancelDeadline();
        connection().opened(remoteWindow);
    }

    // ---- opening

    @Override
    public void register(UcxIoHandler handler, EventLoop eventLoop, ChannelPromise promise) {
        this.handler = handler;
        if (isClient()) {
            promise.trySuccess();
        } else {
            handler.workerCheck().whenReachable(this::accept);
        }
    }

    private void accept() {
        if (phase != Phase.NEW) {
            return;
        }
        phase = Phase.FLUSHING;
        deadline = handler.deadlines().schedule(acceptTimeoutMillis, () -> fail(new ConnectTimeoutException(
                "the handshake with " + remote + " was not done in time" + describeTimeout())));
        try {
            connection().open(channel.config().getReceiveBufferSize());
            endpoint = newEndpoint();
            request.accept(endpoint);
            local = endpoint.address(false);
            remote = endpoint.address(true);
            endpoint.flush();
        } catch (IOException e) {
            request.refuse(new RefusedException(Refusal.LINK, e.getMessage()));
            fail(e);
        }
    }

    private UcxEndpoint newEndpoint() throws IOException {
        return new UcxEndpoint(handler, handler.worker(kind()), this, channel.config().getEndpointName());
    }

    @Override
    public boolean isNew() {
        return phase == Phase.NEW && isClient();
    }

    @Override
    public void deregister(Runnable done) {
        done.run();
    }

    @Override
    public void bind(SocketAddress localAddress) throws IOException {
        if (phase != Phase.NEW) {
            throw new SocketException("cannot bind to " + localAddress + " once connect() was called");
        }
        boundTo = checked(localAddress);
        local = boundTo;
    }

    /** An address that UCX's connection manager can be given. */
    static InetSocketAddress checked(SocketAddress address) throws IOException {
        if (!(address instanceof InetSocketAddress)) {
            throw new UnsupportedAddressTypeException();
        }
        InetSocketAddress inetAddress = (InetSocketAddress) address;
        if (inetAddress.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        InetAddress host = inetAddress.getAddress();
        if (!(host instanceof Inet4Address) && !Boolean.getBoolean(ALLOW_IPV6)) {
            throw new SocketException("CONNECTOR LISTENER does not use IPv6 (" + host.getHostAddress() + "): UCX's " +
                    "tcp connection manager would overflow the heap of the accepting process. Use an IPv4 address " +
                    "or CONNECTOR BOOTSTRAP; -D" + ALLOW_IPV6 + "=true allows it where only RDMA-CM is used");
        }
        return inetAddress;
    }

    @Override
    public void connect(SocketAddress remoteAddress, SocketAddress localAddress, int timeoutMillis) {
        phase = Phase.FLUSHING;
        if (timeoutMillis > 0) {
            deadline = handler.deadlines().schedule(timeoutMillis, () -> fail(new ConnectTimeoutException(
                    "connection timed out after " + timeoutMillis + " ms: " + target + describeTimeout())));
        }
        try {
            if (localAddress != null) {
                boundTo = checked(localAddress);
            }
            target = checked(remoteAddress);
        } catch (IOException | RuntimeException e) {
            fail(e);
            return;
        }
        remote = target;
        handler.workerCheck().whenReachable(this::connectNow);
    }

    private void connectNow() {
        if (phase != Phase.FLUSHING) {
            return;
        }
        try {
            connection().open(channel.config().getReceiveBufferSize());
            endpoint = newEndpoint();
            handler.warnOfManyWorkers();
            endpoint.connect(target, boundTo, sendsClientId());
            endpoint.flush();
        } catch (IOException e) {
            fail((ConnectException) new ConnectException("UCX cannot connect to " + target + ": " +
                    e.getMessage()).initCause(e));
        }
    }

    @Override
    public void endpointFlushed(int status) {
        if (phase != Phase.FLUSHING) {
            return;
        }
        if (status != 0) {
            endpointFailed(status);
            return;
        }
        phase = Phase.SHAKING_HANDS;
        endpoint.connected();
        InetSocketAddress localNow = endpoint.address(false);
        local = localNow == null ? local : localNow;
        try {
            shakeHands();
        } catch (RefusedException e) {
            refuse(e);
        } catch (IOException e) {
            fail(e);
        }
    }

    // ---- the end

    @Override
    public void endpointFailed(int status) {
        if (phase == Phase.CLOSED || endpoint == null) {
            return;
        }
        handler.workerCheck().peerDied(endpoint.transports());
        endpoint.close();
        if (phase == Phase.OPEN) {
            connection().peerLost((SocketException) new SocketException("Connection reset by peer").initCause(
                    new UcxException("endpoint", status)));
        } else if (phase == Phase.ENDING) {
            phase = Phase.CLOSED;
            cancelDeadline();
        } else {
            fail(new ConnectException(describeFailure(status)));
        }
    }

    private String describeFailure(int status) {
        String text = NativeText.ofStatus(status);
        if (!isClient()) {
            return "the connection from " + remote + " was lost during the handshake: " + text;
        }
        return status == STATUS_REJECTED
                ? "Connection refused: " + target + " (" + text + ": it does not want this client; do both sides use " +
                  "the same WIRE?)"
                : "Connection refused: " + target + " (" + text + ": is a server with CONNECTOR LISTENER there, and " +
                  "not one with BOOTSTRAP?)";
    }

    /** The connection will never be open. */
    void fail(Throwable cause) {
        fail(cause, 0);
    }

    /** As {@link #fail(Throwable)}; the endpoint stays for a while, so that what was sent arrives. */
    void fail(Throwable cause, int holdMillis) {
        if (phase == Phase.OPEN || phase == Phase.ENDING || phase == Phase.CLOSED) {
            return;
        }
        end(holdMillis);
        connection().openFailed(cause);
    }

    /** Closes the endpoint after a while. */
    void end(int holdMillis) {
        cancelDeadline();
        if (holdMillis > 0 && endpoint != null && endpoint.isOpen()) {
            phase = Phase.ENDING;
            deadline = handler.deadlines().schedule(holdMillis, this::closeNow);
        } else {
            closeNow();
        }
    }

    void closeNow() {
        phase = Phase.CLOSED;
        cancelDeadline();
        if (endpoint != null) {
            endpoint.close();
        }
    }

    @Override
    public void workerEnds() {
        // A connection that is still open has been told already.
        closeNow();
    }

    /** The channel was closed before it was open; or it was never registered. */
    @Override
    public void abort() {
        if (handler == null) {
            phase = Phase.CLOSED;
            refuse();
            return;
        }
        if (phase == Phase.ENDING || phase == Phase.CLOSED) {
            // It has failed, and the peer is being told why.
            return;
        }
        if (phase == Phase.NEW) {
            refuse();
        }
        closeNow();
    }

    private void refuse() {
        if (request != null) {
            request.refuse(new RefusedException(Refusal.CLOSED, "the server closed the channel before it was open"));
        }
    }

    private void cancelDeadline() {
        if (handler != null) {
            handler.deadlines().cancel(deadline);
        }
        deadline = null;
    }

    // ---- the rest

    @Override
    public void readyReceived(long value) {
        // READY is about links, of which there are none here: not for us.
    }

    @Override
    public void sendFailed(int status) {
        endpointFailed(status);
    }

    @Override
    public void operationDone() {
        // Nobody waits for the last one: closing the endpoint completes them all.
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public List<String> transports() {
        return endpoint == null ? List.of() : endpoint.transports();
    }
}
