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

import java.util.Locale;

/** UCX settings that both peers must agree on, as this JVM's UCX sees them. */
final class UcxSettings {
    /** Set in netty_ucx_environment.c unless the user did. */
    private static final String DEFAULT_SEGMENT = "256k";

    // UCX reads its settings once, when the context is made: what they are later does not matter.
    private static final int TCP_SENT_SEGMENT = segment("TCP_TX_SEG_SIZE");
    private static final int TCP_RECEIVED_SEGMENT = segment("TCP_RX_SEG_SIZE");

    private UcxSettings() {
    }

    static int tcpSentSegment() {
        return TCP_SENT_SEGMENT;
    }

    static int tcpReceivedSegment() {
        return TCP_RECEIVED_SEGMENT;
    }

    /** What the user has set, as a system property or in the environment, or {@code null}. */
    static String value(String name) {
        String value = System.getProperty(UcxContext.SETTING_PREFIX + name);
        return value == null ? System.getenv("UCX_" + name) : value;
    }

    private static int segment(String name) {
        String value = value(name);
        return parseSize(value == null ? DEFAULT_SEGMENT : value);
    }

    /** Parses UCX's memory units; 0 if that is not possible. */
    static int parseSize(String value) {
        String text = value.trim().toLowerCase(Locale.ROOT);
        if (text.endsWith("b")) {
            text = text.substring(0, text.length() - 1);
        }
        int shift = 0;
        if (text.endsWith("k")) {
            shift = 10;
        } else if (text.endsWith("m")) {
            shift = 20;
        } else if (text.endsWith("g")) {
            shift = 30;
        }
        try {
            long size = Long.parseLong(shift == 0 ? text : text.substring(0, text.length() - 1).trim()) << shift;
            return size > 0 && size <= Integer.MAX_VALUE ? (int) size : 0;
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
