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

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Makes mistakes in a JVM of its own, which the sanitizers must see: else the other tests under them prove nothing. */
@Tag("asan")
class SanitizerTest {
    private static final String SURVIVED = "nobody has noticed";

    @ParameterizedTest
    @CsvSource({
        "freedSource, AddressSanitizer: heap-use-after-free, netty_ucx_native_copy",
        "recordsBeyondBatch, AddressSanitizer: heap-buffer-overflow, netty_ucx_worker_poll",
        "payloadOfThePollBefore, AddressSanitizer: use-after-poison, netty_ucx_native_copy",
        "freedWhileInFlight, AddressSanitizer: heap-use-after-free, ucp_worker_progress",
        "nullPointer, runtime error: null pointer passed, netty_ucx_native_copy"})
    void isSeen(String mistake, String report, String function) throws Exception {
        Map<String, String> environment = new HashMap<>();
        // Not to the file, where the report would fail the build.
        for (String name : List.of("ASAN_OPTIONS", "UBSAN_OPTIONS")) {
            environment.put(name, System.getenv(name) + ":log_path=stderr");
        }
        if (mistake.equals("payloadOfThePollBefore")) {
            // Over shared memory the payload may stay in UCX's own memory, which nobody poisons.
            environment.put("UCX_TLS", "tcp");
        }
        ChildJvm.Result result = ChildJvm.runToEnd(Main.class, environment, 50, mistake);
        assertFalse(result.printed().contains(SURVIVED), result.printed());
        assertTrue(result.printed().contains(report), result.printed());
        assertTrue(result.printed().contains(function), result.printed());
        assertNotEquals(0, result.exitCode());
    }

    /** The program of the child. */
    static final class Main {
        private Main() {
        }

        public static void main(String[] arguments) throws Exception {
            Ucx.ensureAvailability();
            switch (arguments[0]) {
                case "freedSource":
                    ByteBuf source = UnpooledByteBufAllocator.DEFAULT.directBuffer(100);
                    ByteBuf destination = UnpooledByteBufAllocator.DEFAULT.directBuffer(100);
                    long address = NativeMemory.address(source, 0, 100);
                    source.release();
                    NativeMemory.copy(address, destination, 100);
                    break;
                case "recordsBeyondBatch":
                    recordsBeyondBatch();
                    break;
                case "payloadOfThePollBefore":
                    payloadOfThePollBefore();
                    break;
                case "freedWhileInFlight":
                    freedWhileInFlight();
                    break;
                case "nullPointer":
                    Native.copy(0, 0, 0);
                    break;
                default:
                    throw new IllegalArgumentException(arguments[0]);
            }
            System.out.println(SURVIVED);
        }

        /** Two records, and room for one. */
        private static void recordsBeyondBatch() throws Exception {
            UcxWorker own = new UcxWorker();
            long worker = UcxContext.newWorker(false);
            long endpoint = own.createEndpoint(address(worker), 1);
            ByteBuffer room = ByteBuffer.allocateDirect(40);
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TestPeers.TIMEOUT_SECONDS);
            while (System.nanoTime() < deadline) {
                Native.send(endpoint, Native.MESSAGE_PROBE, 1, 0, 0, 0, 0);
                Native.send(endpoint, Native.MESSAGE_PROBE, 2, 0, 0, 0, 0);
                own.poll();
                Native.workerPoll(worker, 32, Native.directBufferAddress(room), 2);
            }
        }

        private static byte[] address(long worker) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(UcxWorker.MAX_ADDRESS_LENGTH);
            byte[] address = new byte[Native.workerAddress(worker, Native.directBufferAddress(buffer),
                    buffer.capacity())];
            buffer.get(address);
            return address;
        }

        private static void payloadOfThePollBefore() throws Exception {
            UcxWorker worker = new UcxWorker();
            long endpoint = worker.createEndpoint(worker.address(), 1);
            long channel = worker.openChannel(ScriptedPeer.WINDOW);
            ByteBuf payload = UnpooledByteBufAllocator.DEFAULT.directBuffer(100).writeZero(100);
            ByteBuffer iov = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder())
                    .putLong(0, NativeMemory.address(payload, 0, 100)).putLong(8, 100);
            Native.send(endpoint, Native.MESSAGE_DATA, channel, 0, Native.directBufferAddress(iov), 1, 1);
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TestPeers.TIMEOUT_SECONDS);
            while (System.nanoTime() < deadline) {
                for (int count = worker.poll(), i = 0; i < count; i++) {
                    if (worker.batch().type(i) == EventBatch.DATA) {
                        long address = worker.batch().address(i);
                        worker.poll();
                        NativeMemory.copy(address, payload.clear(), 100);
                        return;
                    }
                }
            }
        }

        /** Takes the references of a write away from the sends that hold them. */
        private static void freedWhileInFlight() throws Exception {
            try (InFlightMemoryTest.Writer writer = new InFlightMemoryTest.Writer(peer -> { })) {
                writer.writeBuffers();
                writer.awaitInFlight();
                Until.onLoop(writer.channel.eventLoop(), () -> {
                    writer.buffers.stream().filter(buffer -> buffer.refCnt() > 0)
                            .forEach(buffer -> buffer.release(buffer.refCnt()));
                    return null;
                });
                writer.goOn();
                writer.received.await(InFlightMemoryTest.WINDOW);
            }
        }
    }
}
