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
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

/** What an event loop has done up to now: {@link UcxLoopCounters}. */
@Name("org.nettyucx.EventLoop")
@Label("UCX Event Loop")
@Description("Totals of an event loop since its start")
@Category({"Netty", "UCX"})
@Period("1 s")
@StackTrace(false)
final class LoopEvent extends Event {
    @Label("Event Loop")
    String loop;
    @Label("Connections")
    int connections;
    @Label("Links")
    int links;
    @Label("Events of UCX")
    long events;
    @Label("Spins")
    long spins;
    @Label("Spins in Vain")
    long spinsInVain;
    @Label("Sleeps")
    long sleeps;
    @Label("Busy Arms")
    long busyArms;
    @Label("Naps")
    long naps;
}
