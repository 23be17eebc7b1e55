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

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The records that one poll of a worker returned; mirrors {@code netty_ucx_event_record_t}. */
final class EventBatch {
    static final int DATA = 1;
    static final int CREDIT = 2;
    static final int READY = 3;
    static final int RENDEZVOUS = 4;
    static final int RENDEZVOUS_DATA = 5;
    static final int VIOLATION = 6;
    static final int SENT = 7;
    static final int LINK_FAILED = 8;
    static final int GOODBYE = 9;
    static final int PROBE = 10;
    static final int CONTROL = 11;
    static final int FLUSHED = 12;
    static final int REQUEST = 13;
    static final int WITHDRAWN = 14;
    static final int DIRECT = 15;

    static final int CAPACITY = 256;

    private static final int RECORD_SIZE = 40;

    private final ByteBuffer records = ByteBuffer.allocateDirect(CAPACITY * RECORD_SIZE).order(ByteOrder.nativeOrder());
    private final long address = Native.directBufferAddress(records);

    long address() {
        return address;
    }

    int type(int index) {
        return records.getInt(index * RECORD_SIZE);
    }

    int status(int index) {
        return records.getInt(index * RECORD_SIZE + 4);
    }

    /** The id of the channel, the operation, the link or endpoint, the listener or the probe; CONTROL: UCX's handle. */
    long target(int index) {
        return records.getLong(index * RECORD_SIZE + 8);
    }

    /** A stream offset; in a CREDIT the total granted, in a READY the ids of two links. */
    long value(int index) {
        return records.getLong(index * RECORD_SIZE + 16);
    }

    long length(int index) {
        return records.getLong(index * RECORD_SIZE + 24);
    }

    /** Where the payload is until the next poll. */
    long address(int index) {
        return records.getLong(index * RECORD_SIZE + 32);
    }
}
