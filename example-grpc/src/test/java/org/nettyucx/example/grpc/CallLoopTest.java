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
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.nettyucx.example.ExampleException;
import org.nettyucx.example.Reason;
import org.nettyucx.example.grpc.proto.Entry;
import org.nettyucx.example.grpc.proto.GetRequest;
import org.nettyucx.example.grpc.proto.PutReply;
import org.nettyucx.example.grpc.proto.ScanRequest;
import org.nettyucx.example.grpc.proto.StoreGrpc;
import org.nettyucx.example.grpc.proto.StoreGrpc.StoreStub;

/** What the client makes of servers, good and bad ones. */
class CallLoopTest {

    private static Latencies call(StoreService service, long count, int concurrency) throws Exception {
        try (InProcess process = new InProcess(service)) {
            StoreStub stub = StoreGrpc.newStub(process.channel());
            Entries entries = new Entries(50);
            CompletableFuture<Throwable> loaded = new CompletableFuture<>();
            Kind.load(stub, entries.all(), loaded::complete);
            assertEquals(null, loaded.get(30, TimeUnit.SECONDS));
            return new CallLoop(stub, entries, count, concurrency).start().get(60, TimeUnit.SECONDS);
        }
    }

    private static void assertFails(StoreService service, String reason) {
        ExecutionException e = assertThrows(ExecutionException.class, () -> call(service, 100, 1));
        assertEquals(ExampleException.class, e.getCause().getClass(), e.toString());
        assertEquals(reason, Reason.of(e.getCause()));
    }

    @Test
    void makesAllCalls() throws Exception {
        String table = call(new StoreService(), 1000, 7).table();
        assertTrue(table.matches("(?s).*\\bget +unary +400 .*\\bput +unary +300 .*\\bscan +server stream +100 .*"
                + "\\bload +client stream +100 .*\\blookup +bidirectional +100 .*"), table);
    }

    @Test
    void makesFewerCallsThanAtATime() throws Exception {
        assertTrue(call(new StoreService(), 3, 50).table().contains("get     unary                  1"));
    }

    @Test
    void wrongValue() {
        assertFails(new StoreService() {
            @Override
            public void get(GetRequest request, StreamObserver<Entry> replies) {
                replies.onNext(Entry.newBuilder().setKey(request.getKey()).setValue(ByteString.copyFromUtf8("?"))
                        .build());
                replies.onCompleted();
            }
        }, "1 of 1 calls failed, the first one: call 0 (GET): reply 1 is not what was expected");
    }

    @Test
    void replyIsMissing() {
        assertFails(new StoreService() {
            @Override
            public void scan(ScanRequest request, StreamObserver<Entry> replies) {
                super.scan(request.toBuilder().setLimit(3).build(), replies);
            }
        }, "1 of 3 calls failed, the first one: call 2 (SCAN): only 3 replies");
    }

    @Test
    void oneReplyTooMany() {
        assertFails(new StoreService() {
            @Override
            public void scan(ScanRequest request, StreamObserver<Entry> replies) {
                super.scan(request.toBuilder().setLimit(request.getLimit() + 1).build(), replies);
            }
        }, "1 of 3 calls failed, the first one: call 2 (SCAN): more than the 16 replies expected");
    }

    @Test
    void wrongReplyInAConversation() {
        assertFails(new StoreService() {
            @Override
            public StreamObserver<GetRequest> lookup(StreamObserver<Entry> replies) {
                StreamObserver<GetRequest> requests = super.lookup(replies);
                return new StreamObserver<>() {
                    @Override
                    public void onNext(GetRequest request) {
                        requests.onNext(request.toBuilder().setKey("key-08").build());
                    }

                    @Override
                    public void onError(Throwable cause) {
                        requests.onError(cause);
                    }

                    @Override
                    public void onCompleted() {
                        requests.onCompleted();
                    }
                };
            }
        }, "1 of 9 calls failed, the first one: call 8 (LOOKUP): reply 2 is not what was expected");
    }

    @Test
    void status() {
        assertFails(new StoreService() {
            @Override
            public void put(Entry request, StreamObserver<PutReply> replies) {
                replies.onError(Status.RESOURCE_EXHAUSTED.withDescription("full").asRuntimeException());
            }
        }, "1 of 2 calls failed, the first one: call 1 (PUT): RESOURCE_EXHAUSTED: full");
    }
}
