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
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.stub.StreamObserver;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.nettyucx.example.Reason;
import org.nettyucx.example.grpc.proto.Entry;
import org.nettyucx.example.grpc.proto.GetRequest;
import org.nettyucx.example.grpc.proto.StoreGrpc;

/** The other cases are in {@link CallLoopTest}. */
class VerifyingObserverTest {

    private final CountDownLatch ended = new CountDownLatch(1);

    /** What is expected is only known when the server has ended the call. */
    private final class Late implements Iterator<Entry> {

        private boolean read;

        @Override
        public boolean hasNext() {
            return !read;
        }

        @Override
        public Entry next() {
            read = true;
            try {
                assertTrue(ended.await(30, TimeUnit.SECONDS));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return Entry.newBuilder().setKey("right").build();
        }
    }

    /** Then it is too late to cancel the call, and it is still wrong. */
    @Test
    void callEndsBeforeItsReplyIsRead() throws Exception {
        StoreService service = new StoreService() {
            @Override
            public void get(GetRequest request, StreamObserver<Entry> replies) {
                replies.onNext(Entry.newBuilder().setKey("wrong").build());
                replies.onCompleted();
                ended.countDown();
            }
        };
        try (InProcess process = new InProcess(service)) {
            CompletableFuture<Throwable> result = new CompletableFuture<>();
            StoreGrpc.newStub(process.channel()).get(GetRequest.getDefaultInstance(),
                    new VerifyingObserver<GetRequest, Entry>(Late::new, result::complete));
            assertEquals("reply 1 is not what was expected", Reason.of(result.get(60, TimeUnit.SECONDS)));
        }
    }
}
