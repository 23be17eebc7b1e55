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

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** As with eager messages, now with UCX's rendezvous from 1 KiB on, which small and large messages overtake. */
class RendezvousTest {
    private static final String DONE = "all scenarios are done";

    @ParameterizedTest
    @CsvSource({"mixedSizes", "endOfOne", "closeDelivers", "backPressure", "inFlight"})
    @Timeout(100)
    void inChildJvm(String scenario) throws Exception {
        String printed = ChildJvm.run(Main.class, Map.of("UCX_RNDV_THRESH", "1k"), 90, scenario);
        assertTrue(printed.contains(DONE), printed);
    }

    /** The program of the child. */
    static final class Main {
        private Main() {
        }

        public static void main(String[] arguments) throws Exception {
            switch (arguments[0]) {
                case "mixedSizes":
                    mixedSizes();
                    break;
                case "endOfOne":
                    for (SharedLinkTest.End end : SharedLinkTest.End.values()) {
                        SharedLinkTest.endOfOneDuringItsWrites(end, true);
                        SharedLinkTest.endOfOneDuringItsWrites(end, false);
                    }
                    break;
                case "closeDelivers":
                    for (CloseTest.Reading reading : CloseTest.Reading.values()) {
                        if (reading != CloseTest.Reading.AFTER_CLOSE) {
                            new CloseTest().everythingArrivesBeforeTheEnd(reading);
                        }
                    }
                    new CloseTest().readsOnlyAfterThePeerHasClosed(512 * 1024);
                    new CloseTest().unreadInputResetsThePeerAfterItsBytes();
                    break;
                case "backPressure":
                    BackPressureTest blocked = new BackPressureTest();
                    blocked.bothBlockedAtOnce(1 << 20);
                    blocked.close();
                    blocked = new BackPressureTest();
                    blocked.bothBlockedAtOnce(4096);
                    blocked.close();
                    blocked = new BackPressureTest();
                    blocked.readerThatDoesNotRead(100_001);
                    blocked.close();
                    break;
                case "inFlight":
                    for (InFlightMemoryTest.End end : InFlightMemoryTest.End.values()) {
                        // UCX from 1.16 on crashes when a rendezvous ends with an error, see
                        // netty_ucx_environment.c. So it is off by default.
                        if (end != InFlightMemoryTest.End.LOOP_ENDS || Native.version() < (1 << 16 | 14 << 8)) {
                            new InFlightMemoryTest().buffers(end);
                        }
                    }
                    break;
                default:
                    throw new IllegalArgumentException(arguments[0]);
            }
            System.gc();
            System.out.println(DONE);
        }

        /** Small and large ones in turns, over several channels: the eager ones may overtake. */
        private static void mixedSizes() throws Exception {
            try (TestPeers peers = new TestPeers().listen(EchoTest.EchoHandler::new)) {
                ReceivedBytes[] received = {new ReceivedBytes(), new ReceivedBytes()};
                UcxSocketChannel[] channels = {peers.connect(received[0]), peers.connect(received[1])};
                int[] sizes = {1, 1000, 1025, 5000, 100_000, 3, 1_000_000, 1500, 700};
                long total = 0;
                for (int i = 0; i < 400; i++) {
                    int size = sizes[i * 7 % sizes.length];
                    for (UcxSocketChannel channel : channels) {
                        channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(size), total, size));
                    }
                    total += size;
                }
                received[0].await(total);
                received[1].await(total);
                SharedLinkTest.awaitNoOperation(channels);
            }
        }
    }
}
