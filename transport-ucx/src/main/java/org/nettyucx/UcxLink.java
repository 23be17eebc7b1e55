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
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The UCX endpoint from this event loop's worker to one remote worker, shared by all channels between the two.
 *
 * <p>UCX pairs an endpoint with one of the remote worker, and sends to it: when that one is closed by FORCE nobody
 * tells this one, and messages of more than one fragment vanish without an error (ucp_am_long_first_handler drops what
 * names an endpoint that is gone). So a link is closed only when its peer has failed, is gone, or has said goodbye,
 * never because it is idle; and in every handshake the two sides agree on the pair of links that are to be used, so
 * that the loss of one replaces both.
 */
final class UcxLink implements SendCarrier {
    private static final InternalLogger logger = InternalLoggerFactory.getInstance(UcxLink.class);
    /** A line of ucp_ep_print_info: {@code lane[0]:  0:posix/memory.0 md[1] -> ...}. */
    private static final Pattern LANE = Pattern.compile("lane\\[\\d+]:\\s+\\d+:([^/\\s]+/\\S+?)(?:\\.\\d+)?\\s");

    /**
     * UCX before 1.14 aborts the process of a living peer that answers the first message of an endpoint which is closed
     * meanwhile (ucp_request.c: "req->send.wireup.type == EP_REMOVED || ..."): so not at once.
     */
    private static final int UNCONFIRMED_GRACE_MILLIS = 2_000;

    /** A connection whose data goes over the link. */
    interface User {
        void linkFailed(UcxLink link, IOException cause);
    }

    private final UcxIoHandler handler;
    private final WorkerId remote;
    private final int id;
    private final byte[] address;
    private final Set<User> users = Collections.newSetFromMap(new IdentityHashMap<>());
    private long endpoint;
    private int operations;
    private boolean suspect;
    /** The peer's worker ends in good order. */
    private boolean goodbye;
    private Deadlines.Deadline closing;
    private List<String> transports;

    /** The id of the peer's link that this one is, or may become, paired with; 0 if none is known. */
    private int peer;
    /** The peer has named this link. */
    private boolean confirmed;
    /** The peer's link that it has replaced because of this one. */
    private int supersededPeer;

    UcxLink(UcxIoHandler handler, WorkerId remote, int id, byte[] address) throws UcxException {
        this.handler = handler;
        this.remote = remote;
        this.id = id;
        this.address = address;
        endpoint = handler.worker().createEndpoint(address, id);
        logger.debug("link {} to worker {} opened", id, remote);
    }

    WorkerId remote() {
        return remote;
    }

    /** Whether the remote worker has this address: a peer must not pass itself off as another one's worker. */
    boolean hasAddress(byte[] remoteAddress) {
        return Arrays.equals(address, remoteAddress);
    }

    int id() {
        return id;
    }

    boolean isOpen() {
        return endpoint != 0;
    }

    void addUser(User user) {
        users.add(user);
        suspect = false;
        goodbye = false;
    }

    void removeUser(User user) {
        if (users.remove(user)) {
            checkUse();
        }
    }

    /** The peer of one of the users seems to have died: the link goes with its last user, not after it was idle. */
    void suspect() {
        suspect = true;
    }

    /** @return as {@link Native#send} */
    int send(int type, long channel, long value, long iov, int iovCount, long operation) {
        if (!isOpen()) {
            // It has just failed, and not all of its users have been told.
            return Native.STATUS_CONNECTION_RESET;
        }
        int result = Native.send(endpoint, type, channel, value, iov, iovCount, operation);
        if (result > 0 && operation != 0) {
            operations++;
        }
        return result;
    }

    @Override
    public void operationDone() {
        operations--;
        checkUse();
    }

    private void checkUse() {
        if (!isOpen() || !users.isEmpty()) {
            return;
        }
        if (suspect && confirmed) {
            // Also completes what is pinned by operations that a dead peer will never take.
            closeAfterPeer("its peer seems to be gone");
        } else if (closing == null && (suspect || operations > 0)) {
            // Operations that are left: no connection is there any more whose TCP would tell that the peer died.
            long delay = suspect ? UNCONFIRMED_GRACE_MILLIS : handler.config().lingerMillis();
            closing = handler.deadlines().schedule(delay, () -> {
                closing = null;
                if (users.isEmpty() && (suspect || operations > 0)) {
                    close("its peer does not answer");
                }
            });
        }
    }

    /** Sends control messages to a control channel of the peer's worker. Releases the buffer. */
    void sendControl(long channel, long sender, ByteBuf message) {
        int status = 0;
        try {
            if (isOpen()) {
                status = Native.sendControl(endpoint, channel, sender, NativeMemory.address(message),
                        message.readableBytes());
            }
        } finally {
            message.release();
        }
        if (status < 0) {
            failed(status);
        }
    }

    /** Whether UCX may still be in its own handshake over this link. */
    boolean isFresh() {
        return isOpen() && !confirmed;
    }

    // ---- the pair

    /** What a server's HELLO says of its peer's link: only what is certain. */
    int confirmedPeer() {
        return confirmed ? peer : 0;
    }

    int peer() {
        return peer;
    }

    /** Client: whether this link can be used with the one that the server offers, which knows linkPeer. */
    boolean accepts(int link, int linkPeer) {
        return peer == 0 || linkPeer == id || peer == link && (linkPeer == 0 || !confirmed) || link == supersededPeer;
    }

    /** Client: this link shall be used with the one that the server offers. */
    void offered(int link) {
        if (peer != link && link != supersededPeer) {
            peer = link;
            confirmed = false;
        }
    }

    /** Server: whether this link can be used with the client's link, which was made for the link offered. */
    boolean matches(int clientLink, int offered) {
        return peer == clientLink || !confirmed && (id == offered || peer == 0);
    }

    /** The peer uses this link with its own one of this id. */
    void confirm(int link) {
        if (peer != link) {
            supersededPeer = peer;
        }
        peer = link;
        confirmed = true;
    }

    /** The peer's worker is about to be destroyed. */
    void goodbyeReceived() {
        goodbye = true;
        suspect();
        checkUse();
    }

    /** This worker is about to be destroyed. */
    void sayGoodbye() {
        if (isOpen() && peer != 0) {
            send(Native.MESSAGE_GOODBYE, peer, 0, 0, 0, 0);
        }
    }

    /** UCX reported that the peer cannot be reached. */
    void failed(int status) {
        if (!isOpen()) {
            return;
        }
        UcxException cause = new UcxException("link", status, NativeText.ofStatus(status) +
                ": Connection reset by peer");
        logger.debug("link {} to worker {} failed", id, remote, cause);
        List<User> failed = new ArrayList<>(users);
        users.clear();
        closeAfterPeer("it failed");
        for (User user : failed) {
            user.linkFailed(this, cause);
        }
    }

    private void closeAfterPeer(String reason) {
        close(reason);
        if (!goodbye) {
            handler.workerCheck().peerDied(transports == null ? List.of() : transports);
        }
    }

    void close(String reason) {
        if (isOpen()) {
            logger.debug("link {} to worker {} closed: {}", id, remote, reason);
            handler.deadlines().cancel(closing);
            handler.linkClosed(this);
            long closed = endpoint;
            endpoint = 0;
            Native.endpointClose(closed);
        }
    }

    /** Whether a peer writes into memory of this process by one of these. */
    static boolean areSharedMemory(List<String> transports) {
        return transports.stream().anyMatch(
                name -> name.startsWith("posix/") || name.startsWith("sysv/") || name.startsWith("xpmem/"));
    }

    /** The transports and devices that UCX uses for this link, like {@code posix/memory}. */
    List<String> transports() {
        if (transports == null && isOpen()) {
            transports = transportsOf(endpoint);
        }
        return transports == null ? List.of() : transports;
    }

    /** Asks UCX what an endpoint uses. */
    static List<String> transportsOf(long endpoint) {
        NativeText text = new NativeText();
        int length = Native.endpointTransports(endpoint, text.address(), text.capacity());
        return length < 0 ? List.of() : parseTransports(text.toString());
    }

    /** Understands both what ucp_ep_query names (a transport a line) and what ucp_ep_print_info prints. */
    static List<String> parseTransports(String text) {
        Set<String> found = new LinkedHashSet<>();
        Matcher lanes = LANE.matcher(text);
        while (lanes.find()) {
            found.add(lanes.group(1));
        }
        if (found.isEmpty()) {
            for (String line : text.split("\n")) {
                // A connection manager, which carries no data, has no device: "rdmacm/".
                if (!line.isBlank() && !line.startsWith("#") && !line.endsWith("/")) {
                    found.add(line.trim());
                }
            }
        }
        return List.copyOf(found);
    }
}
