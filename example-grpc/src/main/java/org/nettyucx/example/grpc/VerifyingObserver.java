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

import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.Iterator;
import org.nettyucx.example.ExampleException;

/**
 * Compares the replies to a call with what they must be.
 */
class VerifyingObserver<Q, P> implements ClientResponseObserver<Q, P> {

    private final Iterator<? extends P> expected;
    private final Completion completion;
    private ClientCallStreamObserver<Q> requests;
    private int replies;
    private ExampleException mismatch;

    VerifyingObserver(Iterable<? extends P> expected, Completion completion) {
        this.expected = expected.iterator();
        this.completion = completion;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<Q> stream) {
        requests = stream;
    }

    final ClientCallStreamObserver<Q> requests() {
        return requests;
    }

    /** A reply was as expected. */
    void accepted() {
        // Most calls have no more to say.
    }

    @Override
    public final void onNext(P reply) {
        if (mismatch != null) {
            return;
        }
        replies++;
        if (!expected.hasNext()) {
            fail("more than the " + (replies - 1) + " replies expected");
        } else if (!expected.next().equals(reply)) {
            fail("reply " + replies + " is not what was expected");
        } else {
            accepted();
        }
    }

    private void fail(String text) {
        mismatch = new ExampleException(text);
        // Ends in onError(), or in onCompleted() when the end of the call has come already.
        requests.cancel(text, mismatch);
    }

    @Override
    public final void onError(Throwable cause) {
        completion.completed(mismatch != null ? mismatch : cause);
    }

    @Override
    public final void onCompleted() {
        if (mismatch == null && expected.hasNext()) {
            mismatch = new ExampleException("only " + replies + " replies");
        }
        completion.completed(mismatch);
    }
}
