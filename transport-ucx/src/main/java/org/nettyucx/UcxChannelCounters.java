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
 * What a channel has done up to now: {@link UcxSocketChannel#counters()}.
 *
 * @param sentBytes given to UCX
 * @param sentMessages UCX messages that carried them
 * @param receivedBytes that UCX has delivered
 * @param receivedMessages UCX messages that carried them
 * @param readBytes that the pipeline has got
 * @param creditStalls how often a flush had to wait because the peer has not read enough
 * @param creditStallNanos for how long altogether, up to the end of the latest such wait
 */
public record UcxChannelCounters(long sentBytes, long sentMessages, long receivedBytes, long receivedMessages,
                                 long readBytes, long creditStalls, long creditStallNanos) {
}
