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
package org.nettyucx.example.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.nettyucx.example.grpc.proto.Entry;
import org.nettyucx.example.grpc.proto.GetRequest;
import org.nettyucx.example.grpc.proto.ScanRequest;
import org.nettyucx.example.grpc.proto.StoreGrpc;

class StoreServiceTest {

    private InProcess process;
    private StoreGrpc.StoreBlockingStub stub;

    @BeforeEach
    void start() throws Exception {
        process = new InProcess(new StoreService());
        stub = StoreGrpc.newBlockingStub(process.channel()).withDeadlineAfter(30, TimeUnit.SECONDS);
    }

    @AfterEach
    void stop() throws Exception {
        process.close();
    }

    private static Entry entry(String key, String value) {
        return Entry.newBuilder().setKey(key).setValue(ByteString.copyFromUtf8(value)).build();
    }

    private static GetRequest request(String key) {
        return GetRequest.newBuilder().setKey(key).build();
    }

    private static void assertStatus(Status.Code code, String text, Executable call) {
        StatusRuntimeException e = assertThrows(StatusRuntimeException.class, call);
        assertEquals(code, e.getStatus().getCode(), e.toString());
        assertTrue(e.getMessage().contains(text), e.toString());
    }

    @Test
    void keepsTheLastValue() {
        assertFalse(stub.put(entry("a", "1")).getReplaced());
        assertTrue(stub.put(entry("a", "2")).getReplaced());
        assertEquals(entry("a", "2"), stub.get(request("a")));
    }

    @Test
    void scansInTheOrderOfKeys() {
        for (String key : List.of("c", "a", "d", "b")) {
            stub.put(entry(key, key));
        }
        List<String> keys = new ArrayList<>();
        stub.scan(ScanRequest.newBuilder().setFrom("aa").setLimit(2).build())
                .forEachRemaining(entry -> keys.add(entry.getKey()));
        assertEquals(List.of("b", "c"), keys);
    }

    @Test
    void refusesWhatIsWrong() {
        assertStatus(Status.Code.NOT_FOUND, "there is no key 'x'", () -> stub.get(request("x")));
        assertStatus(Status.Code.INVALID_ARGUMENT, "the key is empty", () -> stub.put(entry("", "1")));
        assertStatus(Status.Code.INVALID_ARGUMENT, "limit", () -> stub.scan(ScanRequest.getDefaultInstance()).next());
    }

    /** What was loaded before the wrong entry stays; the call fails. */
    @Test
    void loadEndsAtAWrongEntry() throws Exception {
        CompletableFuture<Void> loaded = new CompletableFuture<>();
        Kind.load(StoreGrpc.newStub(process.channel()), List.of(entry("a", "1"), entry("", "2"), entry("b", "3")),
                cause -> loaded.completeExceptionally(cause == null ? new AssertionError("no failure") : cause));
        ExecutionException e = assertThrows(ExecutionException.class, () -> loaded.get(30, TimeUnit.SECONDS));
        assertEquals(Status.Code.INVALID_ARGUMENT, Status.fromThrowable(e.getCause()).getCode(), e.toString());
        assertEquals(entry("a", "1"), stub.get(request("a")));
    }
}
