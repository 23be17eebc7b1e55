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
import io.netty.buffer.ByteBufUtil;

/**
 * HELLO: what each side tells the other over TCP before any UCX call is made for the connection. Layout in
 * docs/wire-protocol.md.
 *
 * @param channel    the sender's id of this channel, to be named in every active message to it
 * @param window     payload bytes that the sender takes before it grants more
 * @param worker     the sender's worker
 * @param link       server: the id of its link to the receiver's worker; client: 0
 * @param linkPeer   server: the id of the receiver's link which that one is known to be paired with, or 0; client: 0
 * @param ucxVersion {@code major << 16 | minor << 8 | release}
 * @param sentSegment     UCX_TCP_TX_SEG_SIZE in bytes, 0 if not known
 * @param receivedSegment UCX_TCP_RX_SEG_SIZE in bytes, 0 if not known
 * @param address    the sender's UCX worker address
 */
record Hello(long channel, long window, WorkerId worker, int link, int linkPeer, int ucxVersion, int sentSegment,
             int receivedSegment, byte[] address) {
    static final int FIXED_LENGTH = 60;
    /** Room for what later versions may append. */
    static final int MAX_LENGTH = FIXED_LENGTH + UcxWorker.MAX_ADDRESS_LENGTH + 4096;
    static final long SMALLEST_WINDOW = 4096;
    static final long LARGEST_WINDOW = 1L << 30;

    private static final int CONNECTOR_BOOTSTRAP = 1;
    private static final int SMALLEST_ADDRESS = 8;

    /** What this JVM says of a channel on this worker. */
    static Hello of(UcxWorker worker, long channel, long window, int link, int linkPeer) {
        return new Hello(channel, window, worker.id(), link, linkPeer, Native.version(), UcxSettings.tcpSentSegment(),
                UcxSettings.tcpReceivedSegment(), worker.address());
    }

    void encode(ByteBuf out) {
        out.writeByte(CONNECTOR_BOOTSTRAP);
        out.writeByte(0);
        out.writeShort(address.length);
        out.writeInt(0);
        out.writeLong(channel);
        out.writeLong(window);
        out.writeLong(worker.high());
        out.writeLong(worker.low());
        out.writeInt(link);
        out.writeInt(linkPeer);
        out.writeInt(ucxVersion);
        out.writeInt(sentSegment);
        out.writeInt(receivedSegment);
        out.writeBytes(address);
    }

    int length() {
        return FIXED_LENGTH + address.length;
    }

    /** Reads and validates the body of a HELLO. */
    static Hello decode(ByteBuf in) throws RefusedException {
        if (in.readableBytes() < FIXED_LENGTH) {
            throw new RefusedException(Refusal.MALFORMED, "HELLO has only " + in.readableBytes() + " bytes");
        }
        int connector = in.readUnsignedByte();
        if (connector != CONNECTOR_BOOTSTRAP) {
            throw new RefusedException(Refusal.CONNECTOR, "connector " + connector + " is not " + CONNECTOR_BOOTSTRAP +
                    " (BOOTSTRAP): both sides must use the same CONNECTOR");
        }
        in.skipBytes(1);
        int addressLength = in.readUnsignedShort();
        in.skipBytes(4);
        long channel = in.readLong();
        long window = in.readLong();
        WorkerId worker = new WorkerId(in.readLong(), in.readLong());
        int link = in.readInt();
        int linkPeer = in.readInt();
        int ucxVersion = in.readInt();
        int sentSegment = in.readInt();
        int receivedSegment = in.readInt();
        if (channel == 0) {
            throw new RefusedException(Refusal.MALFORMED, "channel id is 0");
        }
        if (window < SMALLEST_WINDOW || window > LARGEST_WINDOW) {
            throw new RefusedException(Refusal.MALFORMED, "window " + window + " is not between " + SMALLEST_WINDOW +
                    " and " + LARGEST_WINDOW);
        }
        if (sentSegment < 0 || receivedSegment < 0) {
            throw new RefusedException(Refusal.MALFORMED, "negative TCP segment size");
        }
        if (addressLength < SMALLEST_ADDRESS || addressLength > UcxWorker.MAX_ADDRESS_LENGTH ||
            addressLength > in.readableBytes()) {
            throw new RefusedException(Refusal.MALFORMED, "worker address has " + addressLength + " bytes");
        }
        byte[] address = ByteBufUtil.getBytes(in, in.readerIndex(), addressLength);
        checkAddressVersion(address);
        return new Hello(channel, window, worker, link, linkPeer, ucxVersion, sentSegment, receivedSegment, address);
    }

    /** UCX aborts the process on an address version that it does not know: the low 4 bits, version 1 is 0. */
    static void checkAddressVersion(byte[] address) throws RefusedException {
        int version = address[0] & 0xf;
        if (version > 1) {
            throw new RefusedException(Refusal.MALFORMED, "worker address of unknown version " + (version + 1));
        }
    }

    /** Both sides must be able to receive what the other side's UCX sends in one TCP segment. */
    static void checkSegments(Hello mine, Hello theirs) throws RefusedException {
        checkSegment(mine.sentSegment, theirs.receivedSegment);
        checkSegment(theirs.sentSegment, mine.receivedSegment);
    }

    private static void checkSegment(int sent, int received) throws RefusedException {
        if (sent != 0 && received != 0 && sent > received) {
            throw new RefusedException(Refusal.TCP_SEGMENTS, "one side's UCX_TCP_TX_SEG_SIZE (" + sent +
                    ") is larger than the other side's UCX_TCP_RX_SEG_SIZE (" + received +
                    "): set both alike on both sides");
        }
    }

    // The address may hold host details and is of no use in a log.
    @Override
    public String toString() {
        return "Hello(channel: " + Long.toHexString(channel) + ", window: " + window + ", worker: " + worker +
               ", UCX: " + (ucxVersion >> 16) + '.' + (ucxVersion >> 8 & 0xff) + '.' + (ucxVersion & 0xff) + ')';
    }
}
