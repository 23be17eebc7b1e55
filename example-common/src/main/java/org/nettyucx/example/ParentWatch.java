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

import java.util.Optional;

/**
 * Ends a process that {@link TwoProcesses} has started when the process of that is gone. It stops its processes itself,
 * unless it is killed in a way that leaves it no time to.
 */
final class ParentWatch {

    private static final String PROPERTY = "org.nettyucx.example.parent";

    /** How {@link #option()} starts. */
    static final String OPTION = "-D" + PROPERTY + '=';

    private static final int EXIT_CODE = 1;

    private ParentWatch() {
    }

    /** The JVM option that makes a child process watch this one. */
    static String option() {
        return OPTION + ProcessHandle.current().pid();
    }

    static void start() {
        Long parent = Long.getLong(PROPERTY);
        if (parent == null) {
            return;
        }
        // Compared with the real parent: the number alone may already belong to somebody else.
        Optional<ProcessHandle> handle = ProcessHandle.current().parent().filter(real -> real.pid() == parent);
        if (handle.isEmpty()) {
            System.exit(EXIT_CODE);
        }
        handle.get().onExit().thenRun(() -> System.exit(EXIT_CODE));
    }
}
