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
package org.nettyucx.example;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads a whole number within bounds; whatever else is given, the error names the bounds.
 */
public abstract class WholeNumber implements ITypeConverter<Long> {

    private final long min;
    private final long max;

    protected WholeNumber(long min, long max) {
        this.min = min;
        this.max = max;
    }

    @Override
    public final Long convert(String text) {
        try {
            long value = Long.parseLong(text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // The same error as for a number out of bounds: both are told what is valid.
        }
        throw new TypeConversionException("'" + text + "' is not a whole number from " + min + " to " + max);
    }

    /** Zero or more. */
    public static final class NotNegative extends WholeNumber {
        public NotNegative() {
            super(0, Long.MAX_VALUE);
        }
    }

    /** One or more. */
    public static final class Positive extends WholeNumber {
        public Positive() {
            super(1, Long.MAX_VALUE);
        }
    }

    /** A time in seconds. */
    public static final class Seconds extends WholeNumber {
        public Seconds() {
            super(1, 1_000_000);
        }
    }

    /** A port to listen on, 0 for any. */
    public static final class ListenPort extends WholeNumber {
        public ListenPort() {
            super(0, 65535);
        }
    }

    /** A port to connect to. */
    public static final class ConnectPort extends WholeNumber {
        public ConnectPort() {
            super(1, 65535);
        }
    }
}
