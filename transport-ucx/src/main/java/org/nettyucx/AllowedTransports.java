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
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Which of UCX's transports a connection may use: {@link UcxChannelOption#ALLOWED_TRANSPORTS}. Immutable. */
final class AllowedTransports {
    static final String PROPERTY = "org.nettyucx.allowedTransports";
    /** No restriction. */
    static final String ALL = "all";

    /** UCX's names, of all versions since 1.13. */
    private static final Map<String, List<String>> CLASSES = classes();

    private static AllowedTransports latestDefault = new AllowedTransports(ALL);

    private final String text;
    /** Null: all. */
    private final Set<String> names;

    private AllowedTransports(String text) {
        this.text = text;
        names = parse(text);
    }

    private static Map<String, List<String>> classes() {
        Map<String, List<String>> classes = new LinkedHashMap<>();
        classes.put("rdma", List.of("rc_verbs", "rc_mlx5", "dc_mlx5", "ud_verbs", "ud_mlx5", "srd", "gga_mlx5"));
        classes.put("shm", List.of("posix", "sysv", "xpmem", "cma", "knem", "self"));
        classes.put("tcp", List.of("tcp"));
        return classes;
    }

    /**
     * Understands a list like {@code rdma,posix}.
     *
     * @throws IllegalArgumentException if a word of it is neither a class nor the name of a transport
     */
    static AllowedTransports of(String text) {
        return new AllowedTransports(text);
    }

    /** What the system property says at this moment. */
    static synchronized AllowedTransports ofProperty() {
        String value = System.getProperty(PROPERTY, ALL);
        if (!latestDefault.text.equals(value)) {
            try {
                latestDefault = new AllowedTransports(value);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("-D" + PROPERTY + ": " + e.getMessage(), e);
            }
        }
        return latestDefault;
    }

    private static Set<String> parse(String text) {
        Set<String> names = new LinkedHashSet<>();
        boolean all = false;
        for (String part : text.split(",", -1)) {
            String word = part.trim().toLowerCase(Locale.ROOT);
            if (word.equals(ALL)) {
                all = true;
            } else if (CLASSES.containsKey(word)) {
                names.addAll(CLASSES.get(word));
            } else if (known().contains(word)) {
                names.add(word);
            } else {
                throw new IllegalArgumentException("allowed transports \"" + text + "\": \"" + part.trim() +
                        "\" is none of " + ALL + ", " + String.join(", ", CLASSES.keySet()) +
                        " and UCX's transports " + String.join(", ", known()));
            }
        }
        return all ? null : names;
    }

    /** UCX may be newer than this class. */
    private static Set<String> known() {
        Set<String> known = new LinkedHashSet<>();
        CLASSES.values().forEach(known::addAll);
        if (Ucx.isAvailable()) {
            Ucx.transports().forEach(transport -> known.add(nameOf(transport)));
        }
        return known;
    }

    /** {@code rc_verbs} of {@code rc_verbs/mlx5_0:1}. */
    private static String nameOf(String transport) {
        int slash = transport.indexOf('/');
        return slash < 0 ? transport : transport.substring(0, slash);
    }

    List<String> refusedOf(Collection<String> transports) {
        List<String> refused = new ArrayList<>();
        for (String transport : transports) {
            if (isLimited() && !names.contains(nameOf(transport))) {
                refused.add(transport);
            }
        }
        return refused;
    }

    /** Whether there is anything that is not allowed. */
    boolean isLimited() {
        return names != null;
    }

    /**
     * Fails if a connection with these transports may not be. If UCX does not tell them it may not, either; it is asked
     * only where something is not allowed.
     */
    void check(Supplier<List<String>> transports) throws RefusedException {
        if (!isLimited()) {
            return;
        }
        List<String> used = transports.get();
        List<String> refused = refusedOf(used);
        if (!refused.isEmpty() || used.isEmpty()) {
            throw new RefusedException(Refusal.TRANSPORT, describe(used, refused, Ucx.transports(),
                    UcxSettings.value("TLS"), UcxSettings.value("NET_DEVICES")));
        }
    }

    /** What is used, allowed and there, and the likely reason why it is not the one that is wanted. */
    String describe(List<String> used, List<String> refused, List<String> available, String tls, String devices) {
        List<String> wanted = new ArrayList<>(available);
        wanted.removeAll(refusedOf(available));
        String limits = (tls == null ? "" : "UCX_TLS=" + tls) + (tls == null || devices == null ? "" : ", ") +
                (devices == null ? "" : "UCX_NET_DEVICES=" + devices);
        String reason = wanted.isEmpty()
                ? "UCX finds none of the allowed ones on this machine" + (limits.isEmpty() ? "" : " with " + limits)
                : refused.size() < used.size()
                ? "it uses others beside the allowed ones: leave them out with UCX_TLS on both sides"
                : "the peer has none of the allowed ones, or is out of their reach";
        return "the connection would use " + (used.isEmpty() ? "unknown transports" : String.join(", ", used)) +
                ", but allowed are only " + text + "; available to UCX are " + String.join(", ", available) + " (" +
                reason + ')';
    }

    @Override
    public String toString() {
        return text;
    }
}
