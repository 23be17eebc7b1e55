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

import java.util.List;

/**
 * How all measurements of a run are made.
 *
 * @param seconds how long one measures
 * @param warmUp seconds of the same traffic before, when it is not the first time
 * @param cores the cores of server and client, empty if they may run anywhere
 * @param jvmArguments for the processes
 */
record Settings(double seconds, double warmUp, List<Integer> cores, List<String> jvmArguments) {
    void pause(double time) throws InterruptedException {
        Thread.sleep(Math.round(time * 1000));
    }
}
