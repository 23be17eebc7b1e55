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

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.nettyucx.example.grpc.proto.Entry;
import org.nettyucx.example.grpc.proto.GetRequest;
import org.nettyucx.example.grpc.proto.LoadReply;
import org.nettyucx.example.grpc.proto.PutReply;
import org.nettyucx.example.grpc.proto.ScanRequest;
import org.nettyucx.example.grpc.proto.StoreGrpc;

/**
 * The service. Nothing in it knows what it is called over.
 */
class StoreService extends StoreGrpc.StoreImplBase {

    private final ConcurrentNavigableMap<String, ByteString> values = new ConcurrentSkipListMap<>();

    @Override
    public void put(Entry request, StreamObserver<PutReply> replies) {
        try {
            replies.onNext(PutReply.newBuilder().setReplaced(keep(request)).build());
            replies.onCompleted();
        } catch (StatusRuntimeException e) {
            replies.onError(e);
        }
    }

    @Override
    public void get(GetRequest request, StreamObserver<Entry> replies) {
        try {
            replies.onNext(find(request.getKey()));
            replies.onCompleted();
        } catch (StatusRuntimeException e) {
            replies.onError(e);
        }
    }

    @Override
    public void scan(ScanRequest request, StreamObserver<Entry> replies) {
        if (request.getLimit() < 1) {
            replies.onError(Status.INVALID_ARGUMENT.withDescription("limit must be at least 1").asRuntimeException());
            return;
        }
        FlowControl.send(values.tailMap(request.getFrom()).entrySet().stream().limit(request.getLimit())
                .map(entry -> entry(entry.getKey(), entry.getValue())).iterator(),
                (ServerCallStreamObserver<Entry>) replies);
    }

    @Override
    public StreamObserver<Entry> load(StreamObserver<LoadReply> replies) {
        LoadReply.Builder reply = LoadReply.newBuilder();
        return new RequestObserver<>(replies) {
            @Override
            void accept(Entry request) {
                keep(request);
                reply.setEntries(reply.getEntries() + 1).setBytes(reply.getBytes() + request.getValue().size());
            }

            @Override
            void finish() {
                replies.onNext(reply.build());
            }
        };
    }

    @Override
    public StreamObserver<GetRequest> lookup(StreamObserver<Entry> replies) {
        return new RequestObserver<>(replies) {
            @Override
            void accept(GetRequest request) {
                replies.onNext(find(request.getKey()));
            }
        };
    }

    private boolean keep(Entry entry) {
        if (entry.getKey().isEmpty()) {
            throw Status.INVALID_ARGUMENT.withDescription("the key is empty").asRuntimeException();
        }
        return values.put(entry.getKey(), entry.getValue()) != null;
    }

    private Entry find(String key) {
        ByteString value = values.get(key);
        if (value == null) {
            throw Status.NOT_FOUND.withDescription("there is no key '" + key + "'").asRuntimeException();
        }
        return entry(key, value);
    }

    private static Entry entry(String key, ByteString value) {
        return Entry.newBuilder().setKey(key).setValue(value).build();
    }

    /** A stream of requests; the first one that is wrong ends the call. */
    private abstract static class RequestObserver<T> implements StreamObserver<T> {

        private final StreamObserver<?> replies;
        private boolean ended;

        RequestObserver(StreamObserver<?> replies) {
            this.replies = replies;
        }

        abstract void accept(T request);

        /** All requests have come. */
        void finish() {
            // What there is to say was said with the requests.
        }

        @Override
        public void onNext(T request) {
            if (ended) {
                return;
            }
            try {
                accept(request);
            } catch (StatusRuntimeException e) {
                ended = true;
                replies.onError(e);
            }
        }

        @Override
        public void onError(Throwable cause) {
            // The client is gone or has cancelled; nobody waits for an answer.
            ended = true;
        }

        @Override
        public void onCompleted() {
            if (!ended) {
                finish();
                replies.onCompleted();
            }
        }
    }
}
