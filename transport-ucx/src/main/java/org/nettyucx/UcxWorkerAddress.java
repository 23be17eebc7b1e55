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
import io.netty.buffer.Unpooled;

import java.net.SocketAddress;
import java.util.Arrays;

/**
 * Where a server channel can be reached without TCP and without a listener: the address of its event loop's UCX worker
 * ({@code ucp_worker_get_address}) and the server's number there. A server that was bound to {@link #any()} has one,
 * {@link UcxServerSocketChannel#workerAddress()}; it reaches clients by whatever means the application has, as
 * {@linkplain #toBytes() bytes}, and they connect to it:
 *
 * <pre>{@code
 * bootstrap.connect(UcxWorkerAddress.of(bytes))
 * }</pre>
 *
 * Whoever has the address can reach the worker, and UCX trusts him. Immutable.
 */
public final class UcxWorkerAddress extends SocketAddress {
    private static final long serialVersionUID = 1L;

    private static final int VERSION = 1;
    private static final int FIXED_LENGTH = 1 + 16 + 8;
    private static final UcxWorkerAddress ANY = new UcxWorkerAddress(new WorkerId(0, 0), 0, new byte[0]);

    private final long workerHigh;
    private final long workerLow;
    private final long server;
    private final byte[] address;

    UcxWorkerAddress(WorkerId worker, long server, byte[] address) {
        workerHigh = worker.high();
        workerLow = worker.low();
        this.server = server;
        this.address = address;
    }

    /** For a server channel to bind to: it gets an address of its own, and no port. */
    public static UcxWorkerAddress any() {
        return ANY;
    }

    /**
     * Reads what {@link #toBytes} wrote.
     *
     * @throws IllegalArgumentException if that cannot be a worker address
     */
    public static UcxWorkerAddress of(byte[] bytes) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        if (bytes.length <= FIXED_LENGTH || bytes.length > FIXED_LENGTH + UcxWorker.MAX_ADDRESS_LENGTH ||
            in.readByte() != VERSION) {
            throw new IllegalArgumentException("these " + bytes.length + " bytes are no worker address");
        }
        WorkerId worker = new WorkerId(in.readLong(), in.readLong());
        long server = in.readLong();
        byte[] address = ByteBufUtil.getBytes(in, in.readerIndex(), in.readableBytes());
        try {
            Hello.checkAddressVersion(address);
        } catch (RefusedException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        if (server == 0) {
            throw new IllegalArgumentException("a worker address without a server");
        }
        return new UcxWorkerAddress(worker, server, address);
    }

    /** The address as bytes; some hundred, depending on the host's devices. */
    public byte[] toBytes() {
        ByteBuf out = Unpooled.buffer(FIXED_LENGTH + address.length);
        return out.writeByte(VERSION).writeLong(workerHigh).writeLong(workerLow).writeLong(server).writeBytes(address)
                .array();
    }

    WorkerId worker() {
        return new WorkerId(workerHigh, workerLow);
    }

    long server() {
        return server;
    }

    byte[] address() {
        return address;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof UcxWorkerAddress)) {
            return false;
        }
        UcxWorkerAddress that = (UcxWorkerAddress) other;
        return workerHigh == that.workerHigh && workerLow == that.workerLow && server == that.server &&
               Arrays.equals(address, that.address);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(workerLow ^ server);
    }

    /** Without the address itself, which may hold host details. */
    @Override
    public String toString() {
        return server == 0 ? "ucx:any" : "ucx:" + worker() + '/' + Long.toHexString(server);
    }
}
