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
package org.nettyucx.benchmark;

import java.util.Map;

/** What is measured: a transport, with the processes that it needs. */
interface Subject extends AutoCloseable {
    Transport transport();

    /**
     * Starts what stays for the whole run. Adds what versions it uses, and returns why it cannot
     * be measured here, or null.
     */
    String open(Map<String, String> versions) throws BenchmarkException, InterruptedException;

    boolean supports(Scenario scenario);

    Sample measure(Setup setup) throws BenchmarkException, InterruptedException;

    @Override
    void close();
}
