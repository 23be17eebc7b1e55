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
package org.nettyucx.testsuite.grpc;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertNotNull;

/** What comes back of a call, and its end. */
final class Responses<T> implements StreamObserver<T> {
    static final int TIMEOUT_SECONDS = 30;

    private final BlockingQueue<T> messages = new LinkedBlockingQueue<>();
    private final CompletableFuture<Status> status = new CompletableFuture<>();

    @Override
    public void onNext(T message) {
        messages.add(message);
    }

    @Override
    public void onError(Throwable cause) {
        status.complete(Status.fromThrowable(cause));
    }

    @Override
    public void onCompleted() {
        status.complete(Status.OK);
    }

    T awaitMessage() throws InterruptedException {
        T message = messages.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        assertNotNull(message, () -> "no message; status " + status.getNow(null));
        return message;
    }

    Status awaitStatus() throws Exception {
        return status.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    boolean isOpen() {
        return !status.isDone();
    }
}
