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

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DeadlinesTest {
    private static final long HOUR = 3_600_000;

    private final Deadlines deadlines = new Deadlines();
    private final List<String> ran = new ArrayList<>();

    private Deadlines.Deadline schedule(long millis, String name) {
        return deadlines.schedule(millis, () -> ran.add(name));
    }

    private void runAfter(long millis) {
        deadlines.run(System.nanoTime() + millis * 1_000_000);
    }

    @Test
    void runInTheOrderOfTheirTimes() {
        schedule(3 * HOUR, "third");
        schedule(HOUR, "first");
        schedule(2 * HOUR, "second");
        runAfter(0);
        assertEquals(List.of(), ran);
        runAfter(2 * HOUR + 1);
        assertEquals(List.of("first", "second"), ran);
        runAfter(4 * HOUR);
        assertEquals(List.of("first", "second", "third"), ran);
        assertTrue(deadlines.isEmpty());
        runAfter(5 * HOUR);
        assertEquals(3, ran.size());
    }

    @Test
    void nothingScheduled() {
        assertTrue(deadlines.isEmpty());
        assertEquals(Deadlines.NONE, deadlines.nanosLeft(System.nanoTime()));
        assertEquals(Deadlines.NONE, deadlines.first());
        runAfter(HOUR);
    }

    @Test
    void timeLeft() {
        schedule(2 * HOUR, "second");
        Deadlines.Deadline first = schedule(HOUR, "first");
        long now = System.nanoTime();
        assertTrue(deadlines.nanosLeft(now) <= HOUR * 1_000_000);
        assertTrue(deadlines.nanosLeft(now) > HOUR * 1_000_000 / 2);
        assertEquals(0, deadlines.nanosLeft(now + HOUR * 2_000_000));
        long id = deadlines.first();
        deadlines.cancel(first);
        assertTrue(deadlines.first() > id);
        assertTrue(deadlines.nanosLeft(now) > HOUR * 1_000_000);
    }

    @Test
    void cancelled() {
        Deadlines.Deadline first = schedule(1, "first");
        schedule(1, "second");
        deadlines.cancel(first);
        deadlines.cancel(first);
        deadlines.cancel(null);
        runAfter(10);
        assertEquals(List.of("second"), ran);
        deadlines.cancel(first);
    }

    @Test
    void manyAtTheSameTime() {
        List<Deadlines.Deadline> all = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            all.add(schedule(0, "" + i));
        }
        for (int i = 0; i < 1000; i += 2) {
            deadlines.cancel(all.get(i));
        }
        runAfter(10);
        assertEquals(500, ran.size());
        assertEquals("1", ran.get(0));
        assertEquals("999", ran.get(499));
    }

    /** An action may cancel others, schedule more and fail; the others run in the next round. */
    @Test
    void actionsThatChangeTheDeadlines() {
        Deadlines.Deadline[] victim = new Deadlines.Deadline[1];
        deadlines.schedule(1, () -> {
            deadlines.cancel(victim[0]);
            schedule(HOUR, "later");
        });
        victim[0] = schedule(2, "cancelled");
        deadlines.schedule(3, () -> {
            throw new IllegalStateException("on purpose");
        });
        schedule(4, "last");
        assertThrows(IllegalStateException.class, () -> runAfter(100));
        runAfter(100);
        assertEquals(List.of("last"), ran);
        assertFalse(deadlines.isEmpty());
    }

    @Test
    void infinite() {
        schedule(Long.MAX_VALUE, "never");
        schedule(HOUR, "first");
        runAfter(24 * HOUR);
        assertEquals(List.of("first"), ran);
        assertTrue(deadlines.nanosLeft(System.nanoTime()) > 0);
    }
}
