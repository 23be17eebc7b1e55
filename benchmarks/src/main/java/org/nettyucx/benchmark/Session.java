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
package org.nettyucx.benchmark;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** One run. Transports take turns, so that whatever else the machine does meets them all; repetitions come last. */
final class Session implements AutoCloseable {
    /** To start and stop event loops. */
    private static final double OVERHEAD_SECONDS = 0.3;

    private final Settings settings;
    private final List<Subject> subjects = new ArrayList<>();
    private final Map<String, String> versions = new TreeMap<>();
    private final Results results = new Results();
    private int failures;

    Session(Settings settings) {
        this.settings = settings;
    }

    /**
     * A part of the plan.
     *
     * @param setup what is measured
     * @param transports the names of those that take part, empty for all
     */
    record Step(Setup setup, Set<String> transports) {
        private boolean includes(Subject subject) {
            return subject.supports(setup.scenario()) &&
                    (transports.isEmpty() || transports.contains(subject.transport().name()));
        }
    }

    /** Starts the processes of a transport, or says why not. */
    void open(Transport transport) throws BenchmarkException, InterruptedException {
        Subject subject = transport.kind() == Transport.Kind.NATIVE ? new NativePair(transport, settings) :
                new JvmPair(transport, settings);
        boolean usable = false;
        try {
            String obstacle = subject.open(versions);
            usable = obstacle == null;
            if (usable) {
                subjects.add(subject);
            } else {
                say(transport.name() + " is left out: " + obstacle);
            }
        } finally {
            if (!usable) {
                subject.close();
            }
        }
    }

    Results results() {
        return results;
    }

    String machine() {
        return Machine.describe(settings, versions);
    }

    /** Returns how many measurements failed. */
    int run(List<Step> plan, int repeat) throws InterruptedException, BenchmarkException {
        if (subjects.isEmpty()) {
            throw new BenchmarkException("there is nothing to measure");
        }
        int total = 0;
        double seconds = 0;
        for (Subject subject : subjects) {
            Set<Scenario> warm = EnumSet.noneOf(Scenario.class);
            for (Step step : plan) {
                Scenario scenario = step.setup().scenario();
                if (step.includes(subject)) {
                    total += repeat;
                    // Idle connections are measured while they are idle, and before and after that.
                    seconds += repeat * (scenario == Scenario.IDLE ? 3 : 1) *
                            (settings.warmUp() + settings.seconds() + OVERHEAD_SECONDS);
                    seconds += warm.add(scenario) ? settings.warmUp() * (scenario.cold() - 1) : 0;
                }
            }
        }
        say(machine());
        say(total + " measurements, about " + Math.round(seconds) + " s");
        int number = 0;
        for (int repetition = 0; repetition < repeat; repetition++) {
            for (Step step : plan) {
                for (Subject subject : subjects) {
                    if (step.includes(subject)) {
                        number++;
                        measure(subject, step.setup(), "[" + number + '/' + total + "] ");
                    }
                }
            }
        }
        return failures;
    }

    private void measure(Subject subject, Setup setup, String prefix) throws InterruptedException {
        String what = prefix + setup.scenario() + ", " + setup.size() + " B, " + subject.transport().name() + ": ";
        try {
            Sample sample = subject.measure(setup);
            results.add(setup, subject.transport(), sample);
            Metric primary = setup.scenario().primary();
            say(what + primary.label() + ' ' + Figures.text(sample.figures().get(primary)) + ' ' +
                    primary.plainUnit() + (sample.over() == null ? "" : ", over " + sample.over()));
        } catch (BenchmarkException e) {
            failures++;
            say(what + "FAILED: " + e.getMessage());
        }
    }

    /** To stderr, as stdout is for the table. */
    private static void say(String line) {
        System.err.println("bench: " + line);
    }

    @Override
    public void close() {
        subjects.forEach(Subject::close);
    }
}
