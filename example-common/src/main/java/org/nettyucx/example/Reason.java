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
 * Turns a throwable into one line for the user.
 */
public final class Reason {

    private Reason() {
    }

    /** The messages of the failure and its causes, each once. */
    public static String of(Throwable failure) {
        if (failure == null) {
            return "unknown reason";
        }
        StringBuilder reason = new StringBuilder(describe(failure));
        // The text that helps is often in a cause; one that is repeated by its wrapper is not shown twice.
        Throwable cause = failure.getCause();
        for (int depth = 0; cause != null && depth < 8; depth++) {
            String text = describe(cause);
            if (reason.indexOf(text) < 0) {
                reason.append(": ").append(text);
            }
            cause = cause.getCause();
        }
        return reason.toString().replaceAll("\\s*\\R\\s*", " ");
    }

    private static String describe(Throwable failure) {
        String message = failure.getMessage();
        return message == null || message.isBlank() ? failure.getClass().getSimpleName() : message;
    }
}
