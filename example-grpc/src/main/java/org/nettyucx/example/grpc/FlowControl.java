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

import io.grpc.stub.CallStreamObserver;
import java.util.Iterator;

/**
 * Sends a stream no faster than the peer takes it, so that it is never in memory as a whole.
 */
final class FlowControl {

    private FlowControl() {
    }

    /** To be called where a ready handler may still be set. */
    static <T> void send(Iterator<T> messages, CallStreamObserver<? super T> target) {
        target.setOnReadyHandler(new Runnable() {
            private boolean completed;

            @Override
            public void run() {
                while (!completed && target.isReady()) {
                    if (messages.hasNext()) {
                        target.onNext(messages.next());
                    } else {
                        completed = true;
                        target.onCompleted();
                    }
                }
            }
        });
    }
}
