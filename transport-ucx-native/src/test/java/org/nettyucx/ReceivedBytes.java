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
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

import java.util.ArrayList;
import java.util.List;

/**
 * A handler that checks every received byte against {@link TestBytes}, and can be asked by any thread how many came and
 * what came after them. Sees to it that nothing follows channelInactive.
 */
class ReceivedBytes extends ChannelInboundHandlerAdapter {
    private long count;
    private boolean inactive;
    private final List<Throwable> exceptions = new ArrayList<>();
    private final List<Object> userEvents = new ArrayList<>();
    private String mismatch;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        ByteBuf buffer = (ByteBuf) msg;
        try {
            received(buffer);
        } finally {
            buffer.release();
        }
    }

    private synchronized void received(ByteBuf buffer) {
        if (inactive) {
            fail("bytes after channelInactive");
        }
        byte[] bytes = new byte[buffer.readableBytes()];
        buffer.readBytes(bytes);
        for (byte actual : bytes) {
            byte expected = TestBytes.at(count);
            if (actual != expected) {
                fail("byte " + count + " is " + actual + ", expected " + expected);
            }
            count++;
        }
        notifyAll();
    }

    private void fail(String what) {
        if (mismatch == null) {
            mismatch = what;
        }
        notifyAll();
    }

    @Override
    public synchronized void channelInactive(ChannelHandlerContext ctx) {
        inactive = true;
        notifyAll();
    }

    @Override
    public synchronized void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (inactive) {
            fail("exception after channelInactive: " + cause);
        }
        exceptions.add(cause);
        notifyAll();
    }

    @Override
    public synchronized void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        userEvents.add(event);
        notifyAll();
    }

    synchronized long count() {
        check();
        return count;
    }

    synchronized boolean isInactive() {
        return inactive;
    }

    synchronized List<Throwable> exceptions() {
        return List.copyOf(exceptions);
    }

    synchronized List<Object> userEvents() {
        return List.copyOf(userEvents);
    }

    /** Waits until this many bytes have come, all of them right. */
    synchronized void await(long bytes) throws InterruptedException {
        long deadline = System.nanoTime() + TestPeers.TIMEOUT_SECONDS * 1_000_000_000L;
        while (count < bytes && mismatch == null) {
            if (inactive) {
                throw new AssertionError("inactive after " + count + " of " + bytes + " bytes: " + exceptions);
            }
            waitUntil(deadline, "only " + count + " of " + bytes + " bytes came");
        }
        check();
        if (count > bytes) {
            throw new AssertionError(count + " bytes came, only " + bytes + " were sent");
        }
    }

    synchronized void awaitInactive() throws InterruptedException {
        long deadline = System.nanoTime() + TestPeers.TIMEOUT_SECONDS * 1_000_000_000L;
        while (!inactive) {
            waitUntil(deadline, "still active after " + count + " bytes");
        }
        check();
    }

    private void waitUntil(long deadline, String otherwise) throws InterruptedException {
        long millis = (deadline - System.nanoTime()) / 1_000_000;
        if (millis <= 0) {
            throw new AssertionError(otherwise);
        }
        wait(millis);
    }

    private void check() {
        if (mismatch != null) {
            throw new AssertionError(mismatch);
        }
    }
}
