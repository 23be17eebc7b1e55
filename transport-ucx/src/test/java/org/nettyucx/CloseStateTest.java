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

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * What every event does in every state, as a table, and what holds after any sequence of events. A FIN or RESET of the
 * peer counts the bytes that are here, more (some are still on their way) or fewer.
 */
class CloseStateTest {
    private static final int LONGEST_SEQUENCE = 5;
    private static final int SOME = 10;

    /** What can happen to a connection. */
    private enum Event {
        SHUTDOWN_OUTPUT(machine -> machine.state.shutdownOutput()),
        CLOSE(machine -> machine.state.close(false)),
        CLOSE_UNREAD(machine -> machine.state.close(true)),
        ABORT(machine -> machine.state.abort(ResetReason.ABORTED)),
        BYTES(Machine::receive),
        FIN(machine -> machine.fin(machine.arrived)),
        FIN_MORE(machine -> machine.fin(machine.arrived + SOME)),
        FIN_FEWER(machine -> machine.fin(Math.max(0, machine.arrived - 1))),
        FIN_ACK(machine -> machine.state.finAckReceived()),
        RESET(machine -> machine.reset(machine.arrived)),
        RESET_MORE(machine -> machine.reset(machine.arrived + SOME)),
        RESET_FEWER(machine -> machine.reset(machine.arrived - 1)),
        RESET_UNKNOWN(machine -> machine.reset(-1)),
        PEER_LOST(Machine::losePeer),
        LINK_FAILED(machine -> machine.state.linkFailed(new IOException("link failed"))),
        VIOLATION(machine -> machine.state.violated("test")),
        DRAIN_EXPIRED(Machine::drainExpired),
        LINGER_EXPIRED(Machine::lingerExpired);

        private final Action action;

        Event(Action action) {
            this.action = action;
        }

        /** The peer says it over the control connection. */
        boolean isControl() {
            return name().startsWith("FIN") || name().startsWith("RESET");
        }
    }

    private interface Action {
        void on(Machine machine);
    }

    /** A state machine with what is around it in a connection: byte counts and deadlines. */
    private static final class Machine implements CloseState.Actions {
        final CloseState state = new CloseState(this);
        final List<String> actions = new ArrayList<>();
        /** Bytes that came before the user closed the channel. */
        long arrived;
        long finTotal = -1;
        boolean finReceived;
        boolean controlLost;
        boolean draining;
        boolean lingering;

        Machine(long arrived) {
            this.arrived = arrived;
            state.received(arrived);
        }

        /** Returns the new actions. */
        List<String> apply(Event event) {
            int before = actions.size();
            event.action.on(this);
            return actions.subList(before, actions.size());
        }

        void receive() {
            if (state.isFinished()) {
                return;
            }
            if (state.isClosed()) {
                state.receivedAfterClose();
            } else {
                arrived += SOME;
                state.received(arrived);
            }
        }

        void fin(long total) {
            if (!finReceived) {
                finReceived = true;
                finTotal = total;
            }
            state.finReceived(total);
        }

        void reset(long total) {
            state.resetReceived(ResetReason.ABORTED, total);
        }

        void losePeer() {
            controlLost = true;
            state.peerLost(new IOException("peer lost"));
        }

        void drainExpired() {
            if (draining && !state.isFinished()) {
                state.drainExpired();
            }
        }

        void lingerExpired() {
            if (lingering && !state.isFinished()) {
                state.lingerExpired();
            }
        }

        int count(String action) {
            return Collections.frequency(actions, action);
        }

        /** The state's name in the table: of the sending and of the receiving direction, and what else matters. */
        String describe() {
            String description = state.send() + "/" + state.receive();
            if (state.receive() == CloseState.Receive.OPEN && state.isExpectedKnown()) {
                description += " counted";
            }
            if (state.isClosed()) {
                description += " closed";
            }
            if (state.lost() != null) {
                description += " lost";
            }
            if (state.isFinished()) {
                description += " finished";
            }
            return description;
        }

        @Override
        public void sendFin() {
            actions.add("fin");
        }

        @Override
        public void sendFinAck() {
            assertEquals(finTotal, arrived, "FIN_ACK means that every byte is here");
            actions.add("finAck");
        }

        @Override
        public void sendReset(ResetReason reason) {
            actions.add("reset");
        }

        @Override
        public void inputEnded() {
            assertFalse(state.isClosed());
            assertEquals(finTotal, arrived, "the end of the stream comes after every byte");
            actions.add("inputEnded");
        }

        @Override
        public void inputFailed(IOException cause) {
            assertFalse(state.isClosed());
            assertNotNull(cause);
            actions.add("inputFailed");
        }

        @Override
        public void outputFailed(IOException cause) {
            assertFalse(state.isClosed());
            assertNotNull(cause);
            actions.add("outputFailed");
        }

        @Override
        public void startDrain() {
            draining = true;
            actions.add("drain");
        }

        @Override
        public void startLinger() {
            assertTrue(state.isClosed());
            lingering = true;
            actions.add("linger");
        }

        @Override
        public void finished() {
            actions.add("finished");
        }
    }

    /**
     * The table close-state.txt: every state that a connection with some bytes can come to (with a shortest way to it)
     * and, indented below it, every event that changes something in this state, what is done and the next state.
     */
    @Test
    void everyEventInEveryState() throws IOException {
        Map<String, List<Event>> ways = new LinkedHashMap<>();
        Deque<String> states = new ArrayDeque<>();
        List<String> lines = new ArrayList<>();
        ways.put(new Machine(SOME).describe(), List.of());
        states.add(new Machine(SOME).describe());
        while (!states.isEmpty()) {
            String name = states.remove();
            List<Event> way = ways.get(name);
            lines.add(String.format("%-61s %s", name, way.isEmpty() ? "at first" : "after " + way.stream()
                    .map(Event::name).collect(Collectors.joining(", "))));
            for (Event event : Event.values()) {
                Machine machine = new Machine(SOME);
                way.forEach(machine::apply);
                List<String> actions = machine.apply(event);
                String next = machine.describe();
                if (!actions.isEmpty() || !next.equals(name)) {
                    lines.add(String.format("    %-16s %-40s %s", event, String.join(" ", actions), next));
                }
                List<Event> longer = new ArrayList<>(way);
                longer.add(event);
                if (ways.putIfAbsent(next, longer) == null) {
                    states.add(next);
                }
            }
        }
        assertEquals(String.join("\n", table("close-state.txt")), String.join("\n", lines));
    }

    private static List<String> table(String name) throws IOException {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                CloseStateTest.class.getResourceAsStream(name), StandardCharsets.UTF_8))) {
            return reader.lines().filter(line -> !line.startsWith("#") && !line.isBlank()).collect(Collectors.toList());
        }
    }

    /** All sequences of up to {@value #LONGEST_SEQUENCE} events, each run from the start. */
    @Test
    void invariantsOfAllSequences() {
        Deque<Event> sequence = new ArrayDeque<>();
        sequences(sequence, 0);
        sequences(sequence, SOME);
    }

    private static void sequences(Deque<Event> sequence, long arrived) {
        if (sequence.size() == LONGEST_SEQUENCE) {
            return;
        }
        for (Event event : Event.values()) {
            sequence.addLast(event);
            try {
                if (check(sequence, arrived)) {
                    sequences(sequence, arrived);
                }
            } catch (AssertionError e) {
                throw new AssertionError("after " + arrived + " bytes and " + sequence + ": " + e.getMessage(), e);
            }
            sequence.removeLast();
        }
    }

    /** Returns whether the sequence can go on. After the end one more event is enough to see that nothing is done. */
    private static boolean check(Deque<Event> sequence, long arrived) {
        Machine machine = new Machine(arrived);
        boolean allWasHere = false;
        boolean finished = false;
        for (Event event : sequence) {
            if (machine.controlLost && event.isControl()) {
                return false;
            }
            finished = machine.state.isFinished();
            boolean wasLost = machine.state.lost() != null;
            List<String> actions = machine.apply(event);
            assertFalse(finished && !actions.isEmpty(), "nothing is done after the end");
            assertFalse(allWasHere && actions.contains("inputFailed"),
                    "who sent everything and FIN cannot fail the input");
            assertFalse(wasLost && actions.contains("fin"), "no FIN when nothing can be sent");
            allWasHere |= machine.state.receive() == CloseState.Receive.ENDED;
        }
        invariants(machine);
        ends(machine);
        return !finished;
    }

    private static void invariants(Machine machine) {
        CloseState state = machine.state;
        for (String once : new String[] {"finished", "fin", "finAck", "outputFailed", "drain", "linger"}) {
            assertTrue(machine.count(once) <= 1, once + " more than once: " + machine.actions);
        }
        assertTrue(machine.count("inputEnded") + machine.count("inputFailed") <= 1,
                "the input ends once: " + machine.actions);
        assertFalse(machine.draining && machine.lingering, "drain and linger share one deadline");
        assertEquals(state.isFinished(), machine.count("finished") == 1);
        if (state.isFinished()) {
            assertEquals("finished", machine.actions.get(machine.actions.size() - 1), "finished is the last action");
        }
        if (state.receive() == CloseState.Receive.ENDED && state.send() == CloseState.Send.FIN_ACKED) {
            assertTrue(state.isFinished(), "over in both directions");
        }
        int reset = machine.actions.indexOf("reset");
        assertFalse(reset >= 0 && machine.actions.lastIndexOf("fin") > reset, "no FIN after RESET");
        if (state.lost() == null && machine.count("reset") == 0 && !state.isClosed() &&
            state.receive() == CloseState.Receive.ENDED) {
            assertEquals(1, machine.count("finAck"));
            assertEquals(1, machine.count("inputEnded"));
        }
        if (state.lost() != null) {
            assertFalse(state.send() == CloseState.Send.OPEN || state.send() == CloseState.Send.FIN_SENT,
                    "nothing can be sent after the peer was lost");
        }
    }

    /** Whatever happened, the deadline that runs, or else the user's close() and its deadline, end the connection. */
    private static void ends(Machine machine) {
        if (machine.state.lost() != null && !machine.state.isClosed()) {
            machine.drainExpired();
            assertTrue(machine.state.isFinished(), "a lost connection is drained");
            assertEquals(1, machine.count("inputEnded") + machine.count("inputFailed"),
                    "the user is told: " + machine.actions);
            assertTrue(machine.count("inputFailed") + machine.count("outputFailed") > 0,
                    "the user is told of the failure: " + machine.actions);
        }
        machine.apply(Event.CLOSE);
        machine.lingerExpired();
        assertTrue(machine.state.isFinished(), "a closed connection lingers");
        invariants(machine);
    }

    @Test
    void orderlyCloseOfBothSides() {
        Machine machine = new Machine(0);
        assertEquals(List.of("fin", "linger"), machine.apply(Event.CLOSE));
        assertEquals(List.of(), machine.apply(Event.FIN_ACK));
        assertEquals(List.of("finAck", "finished"), machine.apply(Event.FIN));
        assertNull(machine.state.lost());
    }

    @Test
    void finIsFasterThanItsBytes() {
        Machine machine = new Machine(0);
        assertEquals(List.of(), machine.apply(Event.FIN_MORE));
        assertEquals(List.of("finAck", "inputEnded"), machine.apply(Event.BYTES));
        assertEquals(List.of("fin"), machine.apply(Event.SHUTDOWN_OUTPUT));
        assertEquals(List.of("finished"), machine.apply(Event.FIN_ACK));
        assertEquals(List.of(), machine.apply(Event.CLOSE));
    }

    /** Half-closure: what we still send after the peer's FIN fails alone. */
    @Test
    void peerIsLostAfterItsFin() {
        Machine machine = new Machine(SOME);
        machine.apply(Event.FIN);
        assertEquals(List.of("outputFailed", "finished"), machine.apply(Event.PEER_LOST));
        assertEquals(CloseState.Receive.ENDED, machine.state.receive());
    }

    /** All that the peer had sent arrives after it was lost: the FIN counts more than the loss. */
    @Test
    void bytesOfFinArriveWhileDraining() {
        Machine machine = new Machine(0);
        machine.apply(Event.FIN_MORE);
        assertEquals(List.of("drain"), machine.apply(Event.PEER_LOST));
        assertEquals(List.of("inputEnded", "outputFailed", "finished"), machine.apply(Event.BYTES));
    }

    @Test
    void bytesBeforeResetArriveAfterIt() {
        Machine machine = new Machine(0);
        assertEquals(List.of("drain"), machine.apply(Event.RESET_MORE));
        assertEquals(List.of("inputFailed", "finished"), machine.apply(Event.BYTES));
    }

    @Test
    void lingerEndsWithoutResetOnceEverythingWasAcknowledged() {
        Machine machine = new Machine(0);
        machine.apply(Event.CLOSE);
        machine.apply(Event.FIN_ACK);
        assertEquals(List.of("finished"), machine.apply(Event.LINGER_EXPIRED));
        Machine unacknowledged = new Machine(0);
        unacknowledged.apply(Event.CLOSE);
        assertEquals(List.of("reset", "finished"), unacknowledged.apply(Event.LINGER_EXPIRED));
    }
}
