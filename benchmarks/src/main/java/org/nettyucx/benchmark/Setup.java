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

/**
 * How a scenario is run, the same for both processes.
 *
 * @param scenario what is measured
 * @param size bytes of a message
 * @param flushInterval writes between two flushes
 * @param inFlight messages that are under way at once
 * @param waterMark bytes that may wait in a channel before it is no longer writable
 * @param concurrency connects, or calls of gRPC, at once
 * @param connections idle connections
 */
record Setup(Scenario scenario, int size, int flushInterval, int inFlight, int waterMark, int concurrency,
                  int connections) {
}
