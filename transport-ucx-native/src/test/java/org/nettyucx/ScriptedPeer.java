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
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The other side of one connection, played by a test: a TCP socket and a UCX worker of its own, used by the test's
 * thread only, that says whatever the test wants and whenever it wants.
 */
final class ScriptedPeer implements AutoCloseable {
    static final int WINDOW = 64 * 1024;

    /** A control message that came. */
    record Control(int type, byte[] body) {
        int resetReason() {
            return type == ControlCodec.RESET ? ByteBuffer.wrap(body).getShort() : -1;
        }

        long finTotal() {
            return type == ControlCodec.FIN ? ByteBuffer.wrap(body).getLong() : -1;
        }

        @Override
        public String toString() {
            return type == ControlCodec.RESET ? "RESET(" + resetReason() + ')'
                    : type == ControlCodec.FIN ? "FIN(" + finTotal() + ')'
                    : type == ControlCodec.FIN_ACK ? "FIN_ACK" : "control " + type;
        }
    }

    /** The id of the only link of this peer; unsigned. */
    private static final int LINK = 0x8000_0001;

    final List<Control> controls = new ArrayList<>();
    private final UcxWorker worker;
    private final SocketChannel socket;
    private final long channel;
    private final ByteBuf in = UnpooledByteBufAllocator.DEFAULT.heapBuffer();
    private final ByteBuffer readBuffer = ByteBuffer.allocate(8192);
    /** UCX may read them until the worker is destroyed. */
    private final List<ByteBuffer> payloads = new ArrayList<>();
    private final ArrayDeque<byte[]> received = new ArrayDeque<>();
    private Hello theirs;
    private RefusedException refusal;
    private boolean ready;
    private int theirLink;
    private boolean ended;
    private boolean linkFailed;
    private long granted;
    private long endpoint;

    private ScriptedPeer(SocketChannel socket) throws IOException {
        this.socket = socket;
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        socket.configureBlocking(false);
        worker = new UcxWorker();
        channel = worker.openChannel(WINDOW);
    }

    /** A client. */
    static ScriptedPeer connect(InetSocketAddress server) throws IOException {
        return new ScriptedPeer(SocketChannel.open(server));
    }

    /** A server with one connection, which the other side has begun already. */
    static ScriptedPeer accept(ServerSocketChannel server) throws IOException {
        return new ScriptedPeer(server.accept());
    }

    static ServerSocketChannel listen() throws IOException {
        return ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
    }

    // ---- TCP

    Hello hello() {
        return Hello.of(worker, channel, WINDOW, LINK, 0);
    }

    static byte[] bytes(ByteBuf buffer) {
        byte[] bytes = new byte[buffer.readableBytes()];
        buffer.readBytes(bytes).release();
        return bytes;
    }

    static byte[] encoded(Hello hello) {
        return bytes(ControlCodec.hello(UnpooledByteBufAllocator.DEFAULT, hello));
    }

    static byte[] encodedFin(long total) {
        return bytes(ControlCodec.fin(UnpooledByteBufAllocator.DEFAULT, total));
    }

    static byte[] encodedFinAck() {
        return bytes(ControlCodec.finAck(UnpooledByteBufAllocator.DEFAULT));
    }

    static byte[] encodedReset(ResetReason reason, long total) {
        return bytes(ControlCodec.reset(UnpooledByteBufAllocator.DEFAULT, reason, total));
    }

    static byte[] encodedControl(int type, int length) {
        ByteBuf buffer = Unpooled.buffer(4 + length).writeByte(type).writeByte(0).writeShort(length).writeZero(length);
        return bytes(buffer);
    }

    /** Sends all parts in one TCP segment. */
    ScriptedPeer tcp(byte[]... parts) throws IOException {
        ByteBuffer out = ByteBuffer.wrap(bytes(Unpooled.wrappedBuffer(parts)));
        while (out.hasRemaining()) {
            socket.write(out);
        }
        return this;
    }

    void closeTcp() throws IOException {
        socket.close();
        ended = true;
    }

    /** Closes in a way that the other side sees RST. */
    void resetTcp() throws IOException {
        socket.setOption(StandardSocketOptions.SO_LINGER, 0);
        closeTcp();
    }

    private void readTcp() {
        try {
            int read = ended ? 0 : socket.read(readBuffer.clear());
            ended |= read < 0;
        } catch (IOException e) {
            ended = true;
        }
        in.writeBytes(readBuffer.flip());
        readBuffer.clear().flip();
        while (theirs == null && refusal == null ? readHandshake() : readControl()) {
            // Each call read one message.
        }
    }

    private boolean readHandshake() {
        if (in.readableBytes() < ControlCodec.HANDSHAKE_HEADER_LENGTH) {
            return false;
        }
        int length = in.getInt(in.readerIndex() + 12);
        if (in.readableBytes() < ControlCodec.HANDSHAKE_HEADER_LENGTH + length) {
            return false;
        }
        int type = in.getShort(in.readerIndex() + 10);
        ByteBuf body = in.skipBytes(ControlCodec.HANDSHAKE_HEADER_LENGTH).readSlice(length);
        if (type == ControlCodec.REFUSE) {
            refusal = ControlCodec.decodeRefuse(body);
            return true;
        }
        try {
            theirs = Hello.decode(body);
        } catch (RefusedException e) {
            throw new AssertionError(e);
        }
        return true;
    }

    private boolean readControl() {
        if (in.readableBytes() < 4 || in.readableBytes() < 4 + in.getUnsignedShort(in.readerIndex() + 2)) {
            return false;
        }
        int type = in.readUnsignedByte();
        in.skipBytes(1);
        byte[] body = new byte[in.readUnsignedShort()];
        in.readBytes(body);
        controls.add(new Control(type, body));
        return true;
    }

    // ---- UCX

    /** Sends an active message to the other side's channel. */
    void message(int type, long value, byte[] payload) {
        message(type, theirs.channel(), value, payload);
    }

    void message(int type, long toChannel, long value, byte[] payload) {
        ByteBuffer data = ByteBuffer.allocateDirect(Math.max(1, payload.length)).put(payload);
        ByteBuffer iov = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
        iov.putLong(Native.directBufferAddress(data)).putLong(payload.length);
        payloads.add(data);
        int result = Native.send(endpoint(), type, toChannel, value, Native.directBufferAddress(iov),
                payload.length == 0 ? 0 : 1, 0);
        if (result < 0) {
            throw new AssertionError(NativeText.ofStatus(result));
        }
        poll();
    }

    /** Sends bytes of {@link TestBytes}. */
    void data(long offset, int length) {
        message(Native.MESSAGE_DATA, offset, bytes(TestBytes.write(Unpooled.buffer(length), offset, length)));
    }

    void credit(long total) {
        message(Native.MESSAGE_CREDIT, total, new byte[0]);
    }

    /** A client's READY, or a server's after it has got the client's. */
    void ready() {
        message(Native.MESSAGE_READY, (long) LINK << 32 | (theirLink == 0 ? theirs.link() : theirLink), new byte[0]);
    }

    private long endpoint() {
        if (endpoint == 0) {
            try {
                endpoint = worker.createEndpoint(theirs.address(), 1);
            } catch (UcxException e) {
                throw new AssertionError(e);
            }
        }
        return endpoint;
    }

    long id() {
        return channel;
    }

    private void poll() {
        readTcp();
        try {
            for (int count = worker.poll(), i = 0; i < count; i++) {
                event(worker.batch(), i);
            }
        } catch (UcxException e) {
            throw new AssertionError(e);
        }
    }

    private void event(EventBatch batch, int index) {
        switch (batch.type(index)) {
            case EventBatch.READY:
                ready = true;
                theirLink = (int) (batch.value(index) >>> 32);
                break;
            case EventBatch.CREDIT:
                granted = batch.value(index);
                break;
            case EventBatch.DATA:
            case EventBatch.RENDEZVOUS_DATA:
                ByteBuf copy = UnpooledByteBufAllocator.DEFAULT.directBuffer((int) batch.length(index));
                NativeMemory.copy(batch.address(index), copy, (int) batch.length(index));
                received.add(bytes(copy));
                break;
            case EventBatch.LINK_FAILED:
                linkFailed = true;
                break;
            default:
                break;
        }
    }

    // ---- what the other side does

    /** Goes on with UCX and TCP until the condition holds. */
    void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + TestPeers.TIMEOUT_SECONDS * 1_000_000_000L;
        for (poll(); !condition.getAsBoolean(); poll()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("no " + what + "; HELLO: " + (theirs != null) + ", refused: " + refusal +
                        ", READY: " + ready + ", control messages: " + controls + ", TCP ended: " + ended +
                        ", link failed: " + linkFailed);
            }
            Thread.yield();
        }
    }

    Hello awaitHello() {
        await("HELLO", () -> theirs != null || refusal != null || ended);
        if (theirs == null) {
            throw new AssertionError("refused: " + refusal + ", TCP ended: " + ended);
        }
        return theirs;
    }

    RefusedException awaitRefusal() {
        await("REFUSE", () -> refusal != null || ended);
        if (refusal == null) {
            throw new AssertionError("TCP ended without REFUSE");
        }
        return refusal;
    }

    void awaitReady() {
        await("READY", () -> ready);
    }

    void awaitEnd() {
        await("end of TCP", () -> ended);
    }

    boolean isEnded() {
        return ended;
    }

    boolean hasHello() {
        return theirs != null;
    }

    boolean hasRefusal() {
        return refusal != null;
    }

    Control awaitControl(int type) {
        await("control message " + type, () -> ended || controls.stream().anyMatch(c -> c.type() == type));
        return controls.stream().filter(c -> c.type() == type).findFirst()
                .orElseThrow(() -> new AssertionError("TCP ended, no control message " + type + " in " + controls));
    }

    Control awaitReset() {
        return awaitControl(ControlCodec.RESET);
    }

    void awaitGrant(long total) {
        await("CREDIT up to " + total, () -> granted >= total);
    }

    /** Waits for so many bytes of DATA. */
    byte[] awaitData(int length) {
        await(length + " bytes of DATA", () -> received.stream().mapToInt(b -> b.length).sum() >= length);
        byte[] all = bytes(Unpooled.wrappedBuffer(received.toArray(new byte[0][])));
        received.clear();
        return all;
    }

    int receivedBytes() {
        poll();
        return received.stream().mapToInt(b -> b.length).sum();
    }

    /** The whole handshake; both sides have to do with it as it should be. */
    ScriptedPeer shakeHands() throws IOException {
        tcp(encoded(hello()));
        awaitHello();
        ready();
        awaitReady();
        return this;
    }

    @Override
    public void close() {
        try {
            if (socket.isOpen()) {
                socket.close();
            }
        } catch (IOException ignored) {
            // It is gone in any case.
        }
        poll();
        if (endpoint != 0) {
            Native.endpointClose(endpoint);
        }
        poll();
        worker.destroy();
        in.release();
    }
}
