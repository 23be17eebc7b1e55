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

/**
 * A failure whose message tells the user all there is to know.
 */
public final class ExampleException extends Exception {

    private static final long serialVersionUID = 1L;

    /** A failure that the message explains. */
    public ExampleException(String message) {
        super(message);
    }

    /** A failure that the message and the reason of the cause explain. */
    public ExampleException(String message, Throwable cause) {
        super(message + ": " + Reason.of(cause), cause);
    }
}
