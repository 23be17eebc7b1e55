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
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.List;

/**
 * The BOOTSTRAP connector: a TCP connection shakes hands, carries control messages and shows that the peer lives; the
 * bytes go over the link between the two workers.
 */
final class BootstrapWire implements ControlledWire, UcxLink.User {
    private static final InternalLogger logger = InternalLoggerFactory.getInstance(BootstrapWire.class);

    /** A client that has no answer to its READY for so long tries another link. */
    private static final int READY_RETRY_MILLIS = 1_000;

    private enum Phase { NEW, CONNECTING, TCP_CONNECTED, AWAIT_HELLO, AWAIT_READY, OPEN, CLOSED }

    private final UcxSocketChannel channel;
    /** Or what stands in for it: a {@link ControlChannel}. */
    private Channel tcp;
    private ControlHandler controlHandler;
    /** The HELLO of the client if this is the server's side. */
    private final Hello acceptedHello;
    private final int acceptTimeoutMillis;

    private UcxIoHandler handler;
    private Phase phase = Phase.NEW;
    private Deadlines.Deadline deadline;
    private Hello remote;
    private boolean descriptorsReserved;
    private UcxLink link;
    private long earlyFin = -1;
    private boolean linkRetried;
    private UcxLink linkBefore;
    private Deadlines.Deadline readyDeadline;
    private SocketAddress target;
    private int timeoutMillis;
    private int window;

    /** The client's side. */
    BootstrapWire(UcxSocketChannel channel) {
        this.channel = channel;
        EpollSocketChannel socket = new EpollSocketChannel();
        configure(socket);
        socket.config().setConnectTimeoutMillis(0);
        tcp = socket;
        controlHandler = new ControlHandler(this);
        tcp.pipeline().addLast(controlHandler);
        acceptedHello = null;
        acceptTimeoutMillis = 0;
    }

    /** The server's side: takes over what the acceptor has begun. */
    BootstrapWire(UcxSocketChannel channel, Channel tcp, ControlHandler controlHandler, Hello hello,
                  int acceptTimeoutMillis) {
        this.channel = channel;
        this.tcp = tcp;
        this.controlHandler = controlHandler;
        acceptedHello = hello;
        this.acceptTimeoutMillis = acceptTimeoutMillis;
    }

    /** What every bootstrap connection needs, whatever the user's options are. */
    static void configure(EpollSocketChannel tcp) {
        tcp.config().setTcpNoDelay(true).setAllowHalfClosure(true)
                .setRecvByteBufAllocator(new FixedRecvByteBufAllocator(2048));
    }

    @Override
    public Channel tcpConnection() {
        return isDirect() ? null : tcp;
    }

    /** Whether there is no TCP connection, as the peer is known by a worker address. */
    private boolean isDirect() {
        return tcp instanceof ControlChannel;
    }

    Channel tcp() {
        return tcp;
    }

    UcxLink link() {
        return link;
    }

    @Override
    public Connection connection() {
        return channel.connection();
    }

    @Override
    public boolean isOpen() {
        return phase == Phase.OPEN;
    }

    // ---- opening

    @Override
    public void register(UcxIoHandler handler, EventLoop eventLoop, ChannelPromise promise) {
        this.handler = handler;
        eventLoop.register(tcp).addListener((ChannelFutureListener) registered -> {
            if (!registered.isSuccess()) {
                promise.tryFailure(registered.cause());
            } else if (acceptedHello == null) {
                promise.trySuccess();
            } else {
                accept();
            }
        });
    }

    @Override
    public boolean isNew() {
        return phase == Phase.NEW && acceptedHello == null;
    }

    @Override
    public void deregister(Runnable done) {
        tcp.deregister().addListener(deregistered -> done.run());
    }

    /** The registration goes on in {@link UcxSocketChannel#connectionOpened} or connectionFailed. */
    private void accept() {
        deadline = handler.deadlines().schedule(acceptTimeoutMillis, () -> fail(new ConnectTimeoutException(
                "the handshake with " + tcp.remoteAddress() + " was not done in time")));
        handler.workerCheck().whenReachable(this::answerHello);
    }

    private void answerHello() {
        if (phase != Phase.NEW) {
            return;
        }
        try {
            window = channel.config().getReceiveBufferSize();
            connection().open(window);
            Hello.checkSegments(newHello(0, 0), acceptedHello);
            phase = Phase.AWAIT_READY;
            remote = acceptedHello;
            use(handler.link(remote.worker(), remote.address()));
            checkTransports();
            sendHello(link.id(), link.confirmedPeer());
        } catch (RefusedException e) {
            handshakeFailed(e);
            return;
        } catch (IOException e) {
            handshakeFailed((RefusedException) new RefusedException(Refusal.LINK, e.getMessage()).initCause(e));
            return;
        }
        tcp.config().setAutoRead(true);
        controlHandler.resume(this);
    }

    private Hello newHello(int linkId, int linkPeer) {
        return Hello.of(handler.worker(), connection().id(), window, linkId, linkPeer);
    }

    private void sendHello(int linkId, int linkPeer) {
        tcp.writeAndFlush(ControlCodec.hello(tcp.alloc(), newHello(linkId, linkPeer)));
    }

    @Override
    public void bind(SocketAddress local) throws Exception {
        bind(tcp, local);
    }

    /** Binds a TCP channel, which is done when this returns. */
    static void bind(Channel tcp, SocketAddress local) throws Exception {
        ChannelPromise promise = tcp.newPromise();
        tcp.unsafe().bind(local, promise);
        if (promise.cause() instanceof Exception) {
            throw (Exception) promise.cause();
        } else if (promise.cause() != null) {
            throw new ChannelException(promise.cause());
        }
    }

    @Override
    public void connect(SocketAddress remoteAddress, SocketAddress local, int connectTimeoutMillis) {
        phase = Phase.CONNECTING;
        target = remoteAddress;
        timeoutMillis = connectTimeoutMillis;
        if (timeoutMillis > 0) {
            deadline = handler.deadlines().schedule(timeoutMillis, this::connectTimedOut);
        }
        if (remoteAddress instanceof UcxWorkerAddress) {
            connectDirectly((UcxWorkerAddress) remoteAddress);
            return;
        }
        tcp.connect(remoteAddress, local).addListener((ChannelFutureListener) this::tcpConnected);
    }

    /** Without TCP: the control messages go over a link, the first one to the server's worker. */
    private void connectDirectly(UcxWorkerAddress server) {
        if (server.server() == 0) {
            fail(new ConnectException("cannot connect to " + server + ": it is for servers to bind to"));
            return;
        }
        channel.config().detachTcp();
        controlHandler.pause();
        tcp.close();
        ControlChannel control = new ControlChannel(server, server.server());
        controlHandler = new ControlHandler(this);
        control.pipeline().addLast(controlHandler);
        tcp = control;
        channel.eventLoop().register(control).addListener((ChannelFutureListener) registered -> {
            if (phase != Phase.CONNECTING) {
                return;
            }
            if (!registered.isSuccess()) {
                fail(registered.cause());
                return;
            }
            try {
                reserveDescriptors();
                control.use(handler.link(server.worker(), server.address()));
            } catch (IOException e) {
                fail(e);
                return;
            }
            phase = Phase.TCP_CONNECTED;
            handler.workerCheck().whenReachable(this::sayHello);
        });
    }

    private void connectTimedOut() {
        String detail = phase.compareTo(Phase.AWAIT_HELLO) < 0 ? "" : phase == Phase.AWAIT_HELLO
                ? " (" + (isDirect() ? "the server" : "TCP is connected but the peer") +
                  " did not answer HELLO: is it a netty-ucx server with CONNECTOR BOOTSTRAP?)"
                : " (the peer answered HELLO but its messages do not arrive over UCX: compare UCX_TLS and " +
                  "UCX_NET_DEVICES of both sides)";
        fail(new ConnectTimeoutException("connection timed out after " + timeoutMillis + " ms: " + target + detail));
    }

    private void tcpConnected(ChannelFuture future) {
        if (phase != Phase.CONNECTING) {
            return;
        }
        if (!future.isSuccess()) {
            fail(future.cause());
            return;
        }
        phase = Phase.TCP_CONNECTED;
        handler.workerCheck().whenReachable(this::sayHello);
    }

    private void sayHello() {
        if (phase != Phase.TCP_CONNECTED) {
            return;
        }
        phase = Phase.AWAIT_HELLO;
        try {
            reserveDescriptors();
            window = channel.config().getReceiveBufferSize();
            connection().open(window);
        } catch (IOException e) {
            fail(e);
            return;
        }
        sendHello(0, 0);
    }

    private void reserveDescriptors() throws IOException {
        if (!descriptorsReserved) {
            Descriptors.reserveForClient();
            descriptorsReserved = true;
        }
    }

    private void use(UcxLink used) {
        if (link != used) {
            if (link != null) {
                link.removeUser(this);
            }
            link = used;
            used.addUser(this);
            if (isDirect()) {
                ((ControlChannel) tcp).use(used);
            }
        }
    }

    /** Before the peer is told that this side is content with the link. */
    private void checkTransports() throws RefusedException {
        channel.config().allowedTransports().check(link::transports);
    }

    /** Names the link that is used and the peer's one that it goes with; see docs/wire-protocol.md. */
    private void sendReady(int peerLink) {
        long value = (long) link.id() << 32 | peerLink & 0xffff_ffffL;
        int result = link.send(Native.MESSAGE_READY, remote.channel(), value, 0, 0, 0);
        if (result < 0) {
            link.failed(result);
        }
    }

    /** The client's part of agreeing on the links. */
    @Override
    public void helloReceived(Hello hello) {
        if (phase != Phase.AWAIT_HELLO) {
            return;
        }
        try {
            Hello.checkSegments(newHello(0, 0), hello);
            phase = Phase.AWAIT_READY;
            remote = hello;
            UcxLink current = handler.link(remote.worker(), remote.address());
            use(current.accepts(remote.link(), remote.linkPeer()) ? current
                    : handler.newLink(remote.worker(), remote.address()));
            link.offered(remote.link());
            checkTransports();
        } catch (RefusedException e) {
            refuse(e);
            return;
        } catch (IOException e) {
            fail(e);
            return;
        }
        sendReady(remote.link());
        long millis = timeoutMillis > 0 ? Math.min(READY_RETRY_MILLIS, timeoutMillis / 2) : READY_RETRY_MILLIS;
        readyDeadline = handler.deadlines().schedule(millis, this::readyIsLate);
    }

    /** UCX may have paired a new endpoint with one that is gone, and drops what it carries: another pair is needed. */
    private void readyIsLate() {
        readyDeadline = null;
        if (phase != Phase.AWAIT_READY || linkRetried || link == null) {
            return;
        }
        linkRetried = true;
        linkBefore = link;
        if (link.confirmedPeer() == 0) {
            link.suspect();
        }
        try {
            use(handler.newLink(remote.worker(), remote.address()));
            link.offered(remote.link());
            checkTransports();
            sendReady(remote.link());
        } catch (RefusedException e) {
            refuse(e);
        } catch (IOException e) {
            fail(e);
        }
    }

    @Override
    public void readyReceived(long value) {
        if (phase != Phase.AWAIT_READY && phase != Phase.OPEN) {
            return;
        }
        int peerLink = (int) (value >>> 32);
        int ownLink = (int) value;
        if (acceptedHello == null) {
            clientLinkConfirmed(peerLink, ownLink);
        } else {
            clientLinkOffered(peerLink, ownLink);
        }
    }

    private void clientLinkConfirmed(int serverLink, int ownLink) {
        if (phase == Phase.AWAIT_READY && linkBefore != null && linkBefore.id() == ownLink && linkBefore.isOpen()) {
            // It was just slow.
            use(linkBefore);
        }
        if (link != null && link.id() == ownLink) {
            link.confirm(serverLink);
            open();
        }
    }

    /** The server's part of agreeing on the links: its own one must be paired with the client's. */
    private void clientLinkOffered(int clientLink, int offered) {
        if (phase == Phase.OPEN && link != null && link.peer() == clientLink) {
            // A READY that was repeated.
            sendReady(clientLink);
            return;
        }
        if (phase == Phase.OPEN && !connection().isUnused()) {
            // The client did not wait for the READY that it has got meanwhile; or that one was lost, then it gives up.
            return;
        }
        try {
            UcxLink current = handler.link(remote.worker(), remote.address());
            use(current.matches(clientLink, offered) ? current
                    : handler.newLink(remote.worker(), remote.address()));
            checkTransports();
        } catch (IOException e) {
            fail(e);
            return;
        }
        link.confirm(clientLink);
        sendReady(clientLink);
        open();
    }

    private void open() {
        if (phase == Phase.AWAIT_READY && link != null) {
            phase = Phase.OPEN;
            handshakeOver();
            connection().opened(remote.window());
            if (earlyFin >= 0) {
                connection().finReceived(earlyFin);
            }
        }
    }

    @Override
    public void handshakeFailed(RefusedException cause) {
        if (phase == Phase.CLOSED || phase == Phase.OPEN) {
            return;
        }
        if (acceptedHello != null) {
            ByteBuf refuse = ControlCodec.refuse(tcp.alloc(), cause);
            fail(cause, () -> tcp.writeAndFlush(refuse).addListener(ChannelFutureListener.CLOSE));
        } else {
            fail(cause.failureOf(target));
        }
    }

    /** The client's side has got HELLO and does not go on. */
    private void refuse(RefusedException cause) {
        ByteBuf refused = ControlCodec.refused(tcp.alloc(), cause);
        fail(cause.failureOf(target), () -> tcp.writeAndFlush(refused).addListener(ChannelFutureListener.CLOSE));
    }

    private void fail(Throwable cause) {
        fail(cause, ResetReason.ABORTED);
    }

    private void fail(Throwable cause, ResetReason reason) {
        Phase last = phase;
        fail(cause, () -> closeTcp(last, reason));
    }

    /** Tells a peer that has got HELLO why, or else it takes the end of TCP for this side's death. */
    private void closeTcp(Phase last, ResetReason reason) {
        if (last == Phase.AWAIT_READY && tcp.isActive()) {
            sendReset(reason, 0);
        }
        tcp.close();
    }

    private void fail(Throwable cause, Runnable end) {
        if (phase == Phase.OPEN || phase == Phase.CLOSED) {
            return;
        }
        phase = Phase.CLOSED;
        abandonLink();
        end.run();
        connection().openFailed(cause);
    }

    // ---- control messages and the end of TCP

    @Override
    public void finReceived(long total) {
        if (phase == Phase.AWAIT_READY && earlyFin < 0) {
            // The peer may be done before its first message over UCX is here.
            earlyFin = total;
        } else {
            ControlledWire.super.finReceived(total);
        }
    }

    @Override
    public void resetReceived(ResetReason reason, long total) {
        if (phase == Phase.OPEN) {
            connection().resetReceived(reason, total);
        } else {
            fail(new SocketException("Connection reset by peer during the handshake (" + reason.text() + ')'));
        }
    }

    @Override
    public void refusedReceived(RefusedException cause) {
        if (phase == Phase.AWAIT_READY && acceptedHello != null) {
            fail(cause.failureOf(tcp.remoteAddress()), () -> tcp.close());
        } else {
            controlViolated("unexpected REFUSED");
        }
    }

    @Override
    public void failHandshake(ResetReason reason, String what) {
        fail(new ConnectException("handshake with " + tcp.remoteAddress() + " failed: " + what), reason);
    }

    @Override
    public void ended(Throwable cause) {
        if (phase == Phase.OPEN) {
            if (link != null && connection().state().lost() == null) {
                // Neither FIN and FIN_ACK nor RESET: nobody at the other end has closed this.
                link.suspect();
            }
            IOException reset = new SocketException("Connection reset by peer");
            if (cause != null) {
                reset.initCause(cause);
            }
            connection().peerLost(reset);
        } else if (phase != Phase.CONNECTING && phase != Phase.CLOSED) {
            if (link != null) {
                link.suspect();
            }
            IOException closed = new ConnectException("the peer " + tcp.remoteAddress() +
                    " closed the TCP connection during the handshake: is it a netty-ucx peer with CONNECTOR " +
                    "BOOTSTRAP?");
            if (cause != null) {
                closed.initCause(cause);
            }
            fail(closed);
        }
    }

    @Override
    public void linkFailed(UcxLink failed, IOException cause) {
        if (failed != link) {
            return;
        }
        link = null;
        if ((phase == Phase.AWAIT_READY || phase == Phase.OPEN && connection().isUnused()) && !linkRetried) {
            // The peer may just have lost its side of a link that nobody used: its worker still is there for a new
            // one. Nothing but READY can have been lost. A server that was not told of a link yet waits for it.
            linkRetried = true;
            try {
                use(handler.link(remote.worker(), remote.address()));
                if (acceptedHello == null) {
                    link.offered(remote.link());
                    sendReady(remote.link());
                } else if (phase == Phase.OPEN) {
                    link.confirm(failed.peer());
                    sendReady(failed.peer());
                }
                return;
            } catch (IOException e) {
                cause.addSuppressed(e);
            }
        }
        if (phase == Phase.OPEN) {
            connection().linkFailed(cause);
        } else {
            fail((ConnectException) new ConnectException("UCX cannot reach the peer " + tcp.remoteAddress() +
                    ": " + cause.getMessage()).initCause(cause));
        }
    }

    // ---- what goes out

    @Override
    public int send(long offset, long iov, int iovCount, SendOperation operation) {
        operation.sentOver(link);
        return link.send(Native.MESSAGE_DATA, remote.channel(), offset, iov, iovCount, operation.id());
    }

    @Override
    public void sendFailed(int status) {
        if (link != null) {
            link.failed(status);
        }
    }

    @Override
    public void sendCredit(long total) {
        if (link != null) {
            int result = link.send(Native.MESSAGE_CREDIT, remote.channel(), total, 0, 0, 0);
            if (result < 0) {
                link.failed(result);
            }
        }
    }

    @Override
    public void sendFin(long total) {
        tcp.writeAndFlush(ControlCodec.fin(tcp.alloc(), total));
    }

    @Override
    public void sendFinAck() {
        tcp.writeAndFlush(ControlCodec.finAck(tcp.alloc()));
    }

    @Override
    public void sendReset(ResetReason reason, long total) {
        tcp.writeAndFlush(ControlCodec.reset(tcp.alloc(), reason, total));
        if (reason == ResetReason.LINGER_TIMEOUT && link != null) {
            // A peer that took nothing for so long is as good as dead.
            link.suspect();
        }
    }

    @Override
    public void close() {
        phase = Phase.CLOSED;
        releaseLink();
        // What was written is in the kernel's hands, unless the peer stopped reading long ago.
        tcp.close();
    }

    @Override
    public void abort() {
        Phase last = phase;
        phase = Phase.CLOSED;
        abandonLink();
        if (tcp.isRegistered()) {
            closeTcp(last, ResetReason.ABORTED);
        } else {
            tcp.unsafe().closeForcibly();
            controlHandler.release();
        }
    }

    /** After a handshake that failed: a link over which nobody has ever answered is not worth keeping. */
    private void abandonLink() {
        if (link != null && link.confirmedPeer() == 0) {
            link.suspect();
        }
        releaseLink();
    }

    private void releaseLink() {
        handshakeOver();
        if (link != null) {
            UcxLink used = link;
            link = null;
            used.removeUser(this);
        }
    }

    private void handshakeOver() {
        if (descriptorsReserved) {
            descriptorsReserved = false;
            Descriptors.release();
        }
        if (handler != null) {
            handler.deadlines().cancel(deadline);
            deadline = null;
            handler.deadlines().cancel(readyDeadline);
            readyDeadline = null;
        }
    }

    // ---- queries

    @Override
    public InetSocketAddress localAddress() {
        return tcp.localAddress() instanceof InetSocketAddress ? (InetSocketAddress) tcp.localAddress() : null;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return tcp.remoteAddress() instanceof InetSocketAddress ? (InetSocketAddress) tcp.remoteAddress() : null;
    }

    @Override
    public List<String> transports() {
        if (link == null) {
            return List.of();
        }
        List<String> transports = link.transports();
        logger.trace("{} uses {}", channel, transports);
        return transports;
    }

    @Override
    public String toString() {
        return "BootstrapWire(" + phase + ", " + tcp + (link == null ? "" : ", link: " + link.id()) + ')';
    }
}
