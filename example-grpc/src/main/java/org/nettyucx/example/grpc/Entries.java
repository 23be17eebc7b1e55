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
package org.nettyucx.example.grpc;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.nettyucx.example.grpc.proto.Entry;

/**
 * What the client stores. Every key has one value for ever, so each answer can be verified, whatever calls are made at
 * the same time.
 */
final class Entries {

    static final int COUNT = 100;

    private final List<Entry> entries = new ArrayList<>();

    /** Entries with pseudo-random values of this size. */
    Entries(int valueBytes) {
        for (int i = 0; i < COUNT; i++) {
            byte[] value = new byte[valueBytes];
            new SplittableRandom(i).nextBytes(value);
            entries.add(Entry.newBuilder().setKey(String.format("key-%02d", i)).setValue(ByteString.copyFrom(value))
                    .build());
        }
    }

    List<Entry> all() {
        return entries;
    }

    /** The entry of this number; after the last one comes the first one. */
    Entry get(long number) {
        return entries.get((int) (number % COUNT));
    }

    /** Entries in the order of their keys. */
    List<Entry> range(Entry first, int limit) {
        int from = entries.indexOf(first);
        return entries.subList(from, Math.min(from + limit, COUNT));
    }
}
