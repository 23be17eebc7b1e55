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

import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/**
 * The last line of an example's output, which says whether all went well: {@code echo ok: ...} or
 * {@code echo failed: ...}.
 */
public final class Verdict {

    private final String ok;
    private final String failed;

    /** The verdict of the program of this name. */
    public Verdict(String program) {
        ok = program + " ok: ";
        failed = program + " failed: ";
    }

    /** The line that says that all went well. */
    public String ok(String text) {
        return ok + text;
    }

    /** Runs a command line and returns its exit code; a failure ends in a verdict and 1. */
    public int execute(CommandLine commandLine, String... arguments) {
        ParentWatch.start();
        return commandLine.setExecutionExceptionHandler(this::reportFailure).execute(arguments);
    }

    private int reportFailure(Exception failure, CommandLine commandLine, ParseResult parsed) {
        if (!(failure instanceof ExampleException)) {
            // Not one of the failures that we can explain, so whoever looks into it needs the place.
            failure.printStackTrace();
        }
        // On stdout like its counterpart, so that the last line of the output is always the verdict.
        System.out.println(failed + Reason.of(failure));
        return CommandLine.ExitCode.SOFTWARE;
    }

    boolean isVerdict(String line) {
        return isOk(line) || isFailed(line);
    }

    boolean isOk(String line) {
        return line.startsWith(ok);
    }

    boolean isFailed(String line) {
        return line.startsWith(failed);
    }

    /** What a line that {@link #isFailed} says. */
    String reason(String line) {
        return line.substring(failed.length());
    }
}
