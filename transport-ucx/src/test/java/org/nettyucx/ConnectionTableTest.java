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

import org.junit.jupiter.api.Test;

import java.lang.reflect.Field;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

class ConnectionTableTest {
    private static final long[] FORGED = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 0xffffff};

    private final ConnectionTable table = new ConnectionTable();

    /** The id is otherwise given by the native table. */
    private static Connection connection(long id) throws ReflectiveOperationException {
        Connection connection = new Connection(null, null);
        setId(connection, id);
        return connection;
    }

    private static void setId(Connection connection, long id) throws ReflectiveOperationException {
        Field field = Connection.class.getDeclaredField("id");
        field.setAccessible(true);
        field.setLong(connection, id);
    }

    private static long id(long random, int slot) {
        return random << 24 | slot;
    }

    @Test
    void findsByTheWholeId() throws Exception {
        long id = id(0x12345, 3);
        Connection connection = connection(id);
        table.put(id, connection);
        assertSame(connection, table.get(id));
        assertNull(table.get(id(0x12347, 3)));
        assertNull(table.get(id(0x12345, 4)));
        assertNull(table.get(3));
        for (long forged : FORGED) {
            assertNull(table.get(forged));
            table.remove(forged);
        }
        assertEquals(1, table.size());
        assertEquals(List.of(connection), table.copy());
        table.remove(id);
        table.remove(id);
        assertNull(table.get(id));
        assertEquals(0, table.size());
    }

    /** A late message for the one that had the slot before finds nothing. */
    @Test
    void slotThatIsUsedAgain() throws Exception {
        long first = id(-1, 0);
        long second = id(-3, 0);
        table.put(first, connection(first));
        table.remove(first);
        Connection connection = connection(second);
        table.put(second, connection);
        assertNull(table.get(first));
        table.remove(first);
        assertSame(connection, table.get(second));
    }

    @Test
    void grows() throws Exception {
        for (int slot : new int[] {0, 63, 64, 65, 1000, 5000}) {
            table.put(id(1, slot), connection(id(1, slot)));
        }
        for (int slot : new int[] {0, 63, 64, 65, 1000, 5000}) {
            assertEquals(id(1, slot), table.get(id(1, slot)).id());
        }
        assertNull(table.get(id(1, 4999)));
        assertEquals(6, table.size());
        assertEquals(6, table.copy().size());
    }
}
