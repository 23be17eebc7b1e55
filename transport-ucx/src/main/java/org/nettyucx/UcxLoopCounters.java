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
package org.nettyucx;

/**
 * What an event loop has done up to now: {@link UcxIoHandler#counters()}.
 *
 * @param thread name of the loop's thread
 * @param connections that it has now, those that linger after the close of their channel among them
 * @param links UCX endpoints to other workers that it has now
 * @param events of UCX that were handled
 * @param spins how often it polled UCX for a while instead of going to sleep
 * @param spinsInVain how many of these found nothing
 * @param sleeps how often it went to sleep until UCX, a descriptor or a timer woke it
 * @param busyArms how often UCX did not let it sleep
 * @param naps how often it slept for a short fixed time, as UCX could not tell when it would have something to do
 */
public record UcxLoopCounters(String thread, int connections, int links, long events, long spins, long spinsInVain,
                              long sleeps, long busyArms, long naps) {
}
