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

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** The end of a connection, which may be later than that of its channel. */
@Name("org.nettyucx.Close")
@Label("UCX Close")
@Description("A connection has ended, in good order or not")
@Category({"Netty", "UCX"})
@StackTrace(false)
final class CloseEvent extends Event {
    @Label("Channel")
    String channel;
    @Label("Remote Address")
    String remote;
    @Label("Reason")
    String reason;
    @Label("Sent")
    @DataAmount
    long sentBytes;
    @Label("Received")
    @DataAmount
    long receivedBytes;
    @Label("Read")
    @DataAmount
    long readBytes;
    @Label("Credit Stalls")
    long creditStalls;
    @Label("Time Stalled")
    @Timespan(Timespan.NANOSECONDS)
    long creditStallNanos;
}
