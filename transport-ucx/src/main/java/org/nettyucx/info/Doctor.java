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
package org.nettyucx.info;

import org.nettyucx.info.Finding.Verdict;

import java.util.ArrayList;
import java.util.List;

/** All checks, and what they find as text or JSON. Not for programs: see {@link org.nettyucx.UcxInfo}. */
public final class Doctor {
    private static final int WIDTH = 100;

    private final List<Finding> findings = new ArrayList<>();

    private Doctor(Machine machine, List<Check> checks) {
        for (Check check : checks) {
            try {
                findings.addAll(check.look(machine));
            } catch (Exception | LinkageError e) {
                findings.add(Finding.fail(check.getClass().getSimpleName(), "could not be done: " + e, ""));
            }
        }
    }

    /** Looks at this machine, and at the way to the peer unless that is null. */
    public static Doctor examine(String peer) {
        return examine(new Machine(), peer);
    }

    static Doctor examine(Machine machine, String peer) {
        // The first ones that ask for UCX load it, so that its libraries are seen afterwards.
        List<Check> checks = new ArrayList<>(List.of(new JavaCheck(), new LibraryCheck(), new TransportsCheck(),
                new RdmaCheck(), new SharedMemoryCheck(), new CmaCheck(), new LimitsCheck(), new ProcessCheck(),
                new InterfacesCheck(), new ConnectionCheck()));
        if (peer != null) {
            checks.add(new PeerCheck(peer));
        }
        return new Doctor(machine, checks);
    }

    List<Finding> findings() {
        return findings;
    }

    private long count(Verdict verdict) {
        return findings.stream().filter(finding -> finding.verdict() == verdict).count();
    }

    /** Whether something does not work. */
    public boolean hasFailed() {
        return count(Verdict.FAIL) > 0;
    }

    /** For people. */
    public String toText() {
        StringBuilder out = new StringBuilder();
        for (Finding finding : findings) {
            String start = String.format("%-5s %-17s ", finding.verdict(), finding.topic());
            wrap(out, start, finding.text());
            if (!finding.fix().isEmpty()) {
                wrap(out, " ".repeat(start.length() - 2) + "> ", finding.fix());
            }
        }
        out.append(count(Verdict.FAIL) > 0 ? "UCX will not work here as it should"
                : count(Verdict.WARN) > 0 ? "UCX works here; see the warnings" : "UCX works here").append('\n');
        return out.toString();
    }

    private static void wrap(StringBuilder out, String start, String text) {
        int column = start.length();
        out.append(start);
        boolean first = true;
        for (String word : text.split(" ")) {
            if (!first && column + 1 + word.length() > WIDTH) {
                out.append('\n').append(" ".repeat(start.length()));
                column = start.length();
                first = true;
            }
            out.append(first ? "" : " ").append(word);
            column += word.length() + (first ? 0 : 1);
            first = false;
        }
        out.append('\n');
    }

    /** For programs. */
    public String toJson() {
        StringBuilder out = new StringBuilder("{\"failed\": ").append(hasFailed()).append(", \"findings\": [");
        String separator = "";
        for (Finding finding : findings) {
            out.append(separator).append("\n  {\"topic\": ").append(quote(finding.topic()))
                    .append(", \"verdict\": ").append(quote(finding.verdict().name()))
                    .append(", \"text\": ").append(quote(finding.text()))
                    .append(", \"fix\": ").append(quote(finding.fix())).append('}');
            separator = ",";
        }
        return out.append("\n]}\n").toString();
    }

    private static String quote(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }
}
