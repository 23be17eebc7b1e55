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
package org.nettyucx.example.echo;

import org.nettyucx.example.Verdict;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/**
 * Entry point of the echo example. {@code run} shows everything at once, in two processes; {@code server} and
 * {@code client} are the two sides, to be started by hand, on one host or on two.
 */
@Command(name = "echo",
        description = "Echo over UCX: a Netty server, and a client that verifies every byte.",
        subcommands = {RunCommand.class, ServerCommand.class, ClientCommand.class})
public final class Echo {

    static final Verdict VERDICT = new Verdict("echo");

    @Option(names = {"-h", "--help"}, usageHelp = true, scope = ScopeType.INHERIT,
            description = "Show this help and exit.")
    private boolean help;

    private Echo() {
    }

    /**
     * Runs a subcommand and exits with its code: 0 for success, 1 for a failure, 2 for wrong arguments.
     *
     * @param args the subcommand and its options
     */
    public static void main(String[] args) {
        System.exit(VERDICT.execute(new CommandLine(new Echo()).setCaseInsensitiveEnumValuesAllowed(true), args));
    }
}
