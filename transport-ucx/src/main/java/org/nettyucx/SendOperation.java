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
import io.netty.util.ReferenceCountUtil;

import java.util.Arrays;

/**
 * A send that UCX has not completed: keeps the memory alive that UCX reads, whatever becomes of the channel. Reused;
 * its id names it in native code.
 */
final class SendOperation {
    private final long id;
    private ByteBuf[] buffers = new ByteBuf[4];
    private int bufferCount;
    private Connection connection;
    private SendCarrier carrier;
    private long end;
    private boolean done;
    private boolean buffered;

    SendOperation(long id) {
        this.id = id;
    }

    long id() {
        return id;
    }

    /** The stream offset behind its last byte. */
    long end() {
        return end;
    }

    boolean isDone() {
        return done;
    }

    void start(Connection connection, long end) {
        this.connection = connection;
        this.end = end;
        done = false;
        buffered = false;
    }

    /** UCX was done with the memory when the send call returned, or refused it. */
    void finishedAtOnce() {
        done = true;
        connection = null;
        carrier = null;
    }

    /** Its bytes are still in the channel's outbound buffer, so its sender decides when it can be reused. */
    void setBuffered(boolean buffered) {
        this.buffered = buffered;
    }

    boolean isBuffered() {
        return buffered;
    }

    void sentOver(SendCarrier carrier) {
        this.carrier = carrier;
    }

    /** Takes over one reference to the buffer until completion. */
    void hold(ByteBuf buffer) {
        if (bufferCount == buffers.length) {
            buffers = Arrays.copyOf(buffers, bufferCount << 1);
        }
        buffers[bufferCount++] = buffer;
    }

    /** UCX does not read the memory any more. */
    void complete(int status) {
        done = true;
        while (bufferCount > 0) {
            ByteBuf buffer = buffers[--bufferCount];
            buffers[bufferCount] = null;
            ReferenceCountUtil.safeRelease(buffer);
        }
        Connection sender = connection;
        connection = null;
        SendCarrier over = carrier;
        carrier = null;
        sender.sendCompleted(this, status);
        over.operationDone();
    }
}
