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
package org.nettyucx.example.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

@Tag("once")
class AddressTest {

    private final Address converter = new Address();

    @Test
    void addresses() {
        assertEquals(new InetSocketAddress("127.0.0.1", 80), converter.convert("127.0.0.1:80"));
        assertEquals(new InetSocketAddress("::1", 0), converter.convert("[::1]:0"));
    }

    @Test
    void others() {
        for (String text : new String[] {"", "80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536"}) {
            TypeConversionException e = assertThrows(TypeConversionException.class, () -> converter.convert(text));
            assertEquals("'" + text + "' is not HOST:PORT", e.getMessage());
        }
    }
}
