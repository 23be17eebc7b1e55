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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The connections of one event loop by channel id. The low bits of an id are a slot; mirrors the native table. */
final class ConnectionTable {
    private static final int SLOT_MASK = (1 << 24) - 1;

    private Connection[] slots = new Connection[64];
    private int size;

    void put(long id, Connection connection) {
        int slot = (int) id & SLOT_MASK;
        if (slot >= slots.length) {
            slots = Arrays.copyOf(slots, Math.max(slots.length << 1, slot + 1));
        }
        slots[slot] = connection;
        size++;
    }

    /** Returns {@code null} if there is no such connection any more. */
    Connection get(long id) {
        int slot = (int) id & SLOT_MASK;
        Connection connection = slot < slots.length ? slots[slot] : null;
        return connection != null && connection.id() == id ? connection : null;
    }

    void remove(long id) {
        if (get(id) != null) {
            slots[(int) id & SLOT_MASK] = null;
            size--;
        }
    }

    int size() {
        return size;
    }

    List<Connection> copy() {
        List<Connection> connections = new ArrayList<>(size);
        for (Connection connection : slots) {
            if (connection != null) {
                connections.add(connection);
            }
        }
        return connections;
    }
}
