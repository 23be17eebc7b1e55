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

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Settings and what is parsed of them; nothing here needs the native library. */
class ConfigurationTest {
    private static final String[] NAMES = {"waitStrategy", "maxSpinMicros", "lingerMillis", "shutdownMillis",
            "linkIdleMillis"};

    @AfterEach
    void clearProperties() {
        for (String name : NAMES) {
            System.clearProperty("org.nettyucx." + name);
        }
    }

    private static void set(String name, String value) {
        System.setProperty("org.nettyucx." + name, value);
    }

    // ---- UcxIoHandlerConfig

    @Test
    void defaults() {
        UcxIoHandlerConfig config = new UcxIoHandlerConfig();
        assertEquals(UcxWaitStrategy.ADAPTIVE, config.waitStrategy());
        assertEquals(50, config.maxSpinMicros());
        assertEquals(30_000, config.lingerMillis());
        assertEquals(2_000, config.shutdownMillis());
    }

    @Test
    void properties() {
        set("waitStrategy", " spin ");
        set("maxSpinMicros", " 0 ");
        set("lingerMillis", "9223372036854775807");
        set("shutdownMillis", "0");
        UcxIoHandlerConfig config = new UcxIoHandlerConfig();
        assertEquals(UcxWaitStrategy.SPIN, config.waitStrategy());
        assertEquals(0, config.maxSpinMicros());
        assertEquals(Long.MAX_VALUE, config.lingerMillis());
        assertEquals(0, config.shutdownMillis());
    }

    @Test
    void settersWinOverProperties() {
        set("waitStrategy", "SPIN");
        set("lingerMillis", "1");
        UcxIoHandlerConfig config = new UcxIoHandlerConfig().waitStrategy(UcxWaitStrategy.BLOCK)
                .linger(2, TimeUnit.SECONDS).maxSpin(3, TimeUnit.MILLISECONDS).shutdown(4, TimeUnit.SECONDS);
        UcxIoHandlerConfig copy = config.copy();
        config.waitStrategy(UcxWaitStrategy.ADAPTIVE).linger(1, TimeUnit.HOURS).maxSpin(0, TimeUnit.SECONDS)
                .shutdown(0, TimeUnit.SECONDS);
        assertEquals(UcxWaitStrategy.BLOCK, copy.waitStrategy());
        assertEquals(2_000, copy.lingerMillis());
        assertEquals(3_000, copy.maxSpinMicros());
        assertEquals(4_000, copy.shutdownMillis());
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "", "BLOCKED", "1"})
    void wrongWaitStrategyNamesTheValidOnes(String value) {
        set("waitStrategy", value);
        assertEquals("-Dorg.nettyucx.waitStrategy=" + value + ": valid values are [BLOCK, ADAPTIVE, SPIN]",
                assertThrows(IllegalArgumentException.class, UcxIoHandlerConfig::new).getMessage());
    }

    /** In Turkish the lower case of I is not i. */
    @Test
    void waitStrategyInEveryLanguage() {
        Locale before = Locale.getDefault();
        Locale.setDefault(new Locale("tr", "TR"));
        try {
            set("waitStrategy", "adaptive");
            assertEquals(UcxWaitStrategy.ADAPTIVE, new UcxIoHandlerConfig().waitStrategy());
            assertEquals(1 << 30, UcxSettings.parseSize("1GB"));
        } finally {
            Locale.setDefault(before);
        }
    }

    @ParameterizedTest
    @CsvSource({"maxSpinMicros, -1, 0", "maxSpinMicros, 1us, 0", "lingerMillis, 0, 1", "lingerMillis, 1.5, 1",
            "shutdownMillis, -1, 0", "shutdownMillis, '', 0",
            "lingerMillis, 9223372036854775808, 1"})
    void wrongNumberNamesTheValidOnes(String name, String value, long smallest) {
        set(name, value);
        assertEquals("-Dorg.nettyucx." + name + "=" + value + ": valid values are whole numbers from " + smallest,
                assertThrows(IllegalArgumentException.class, UcxIoHandlerConfig::new).getMessage());
    }

    @Test
    void wrongArguments() {
        UcxIoHandlerConfig config = new UcxIoHandlerConfig();
        assertThrows(NullPointerException.class, () -> config.waitStrategy(null));
        assertThrows(IllegalArgumentException.class, () -> config.maxSpin(-1, TimeUnit.SECONDS));
        assertThrows(IllegalArgumentException.class, () -> config.linger(0, TimeUnit.SECONDS));
        assertThrows(IllegalArgumentException.class, () -> config.shutdown(-1, TimeUnit.SECONDS));
    }

    // ---- UcxSettings

    @ParameterizedTest
    @CsvSource({"1, 1", "8192, 8192", "256k, 262144", "256K, 262144", "256kb, 262144", "256KB, 262144", "1m, 1048576",
            "1MB, 1048576", "1g, 1073741824", "' 8k ', 8192", "'8 k', 8192", "8192b, 8192", "2147483647, 2147483647"})
    void sizes(String text, int expected) {
        assertEquals(expected, UcxSettings.parseSize(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "k", "b", "inf", "auto", "0", "-1", "-1k", "2147483648", "2g", "9999999999999g",
            "1.5k", "1kk", "8t", "x", "9223372036854775807k", "16777216g"})
    void sizesThatAreNotKnown(String text) {
        assertEquals(0, UcxSettings.parseSize(text));
    }

    // ---- UcxLink.parseTransports

    @Test
    void transportsOfQuery() {
        assertEquals(List.of("rc_mlx5/mlx5_0:1", "posix/memory", "tcp/lo"),
                UcxLink.parseTransports("rc_mlx5/mlx5_0:1\nposix/memory\ntcp/lo\nposix/memory\n"));
        // A connection manager, which has no device, carries no data.
        assertEquals(List.of("tcp/lo"), UcxLink.parseTransports("rdmacm/\ntcp/lo\n"));
    }

    @Test
    void transportsOfPrintInfo() {
        assertEquals(List.of("posix/memory", "cma/memory", "tcp/eth0", "rc_mlx5/mlx5_0:1"), UcxLink.parseTransports("""
                #
                # UCP endpoint\s
                #
                #               peer: <no debug data>
                #                 lane[0]:  0:posix/memory.0 md[1]      -> md[1]/posix/sysdev[255] am am_bw#0
                #                 lane[1]:  5:cma/memory.0 md[4]        -> md[4]/cma/sysdev[255] rma_bw#0
                #                 lane[2]:  2:tcp/eth0.12 md[3]         -> md[3]/tcp/sysdev[255] wireup
                #                lane[10]: 15:rc_mlx5/mlx5_0:1.0 md[3]  -> md[3]/ib/sysdev[0] keepalive
                #                lane[11]:  0:posix/memory.0 md[1]      -> md[1]/posix/sysdev[255] am
                #
                #                tag_send: 0..<egr/short>..8184..<egr/bcopy>..8192..<rndv>..(inf)
                #
                """));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n\n", "# UCP endpoint\n#\n"})
    void noTransports(String text) {
        assertEquals(List.of(), UcxLink.parseTransports(text));
    }

    // ---- UcxChannelOption

    @Test
    void channelOptionsNeedNoLibrary() {
        assertTrue(UcxChannelOption.HANDSHAKE_TIMEOUT_MILLIS.name().contains("HANDSHAKE_TIMEOUT_MILLIS"));
        assertTrue(UcxChannelOption.MAX_PENDING_HANDSHAKES.name().contains("MAX_PENDING_HANDSHAKES"));
        assertFalse(UcxChannelOption.HANDSHAKE_TIMEOUT_MILLIS.equals(UcxChannelOption.MAX_PENDING_HANDSHAKES));
    }
}
