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
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.nettyucx.example.grpc.proto.Entry;
import org.nettyucx.example.grpc.proto.GetRequest;
import org.nettyucx.example.grpc.proto.LoadReply;
import org.nettyucx.example.grpc.proto.PutReply;
import org.nettyucx.example.grpc.proto.ScanRequest;
import org.nettyucx.example.grpc.proto.StoreGrpc.StoreStub;

/**
 * The kinds of calls that the client makes.
 */
enum Kind {
    GET("unary") {
        @Override
        void start(StoreStub stub, Entries entries, long number, Completion completion) {
            Entry entry = entries.get(number);
            stub.get(request(entry), new VerifyingObserver<GetRequest, Entry>(List.of(entry), completion));
        }
    },
    PUT("unary") {
        @Override
        void start(StoreStub stub, Entries entries, long number, Completion completion) {
            PutReply expected = PutReply.newBuilder().setReplaced(true).build();
            stub.put(entries.get(number), new VerifyingObserver<Entry, PutReply>(List.of(expected), completion));
        }
    },
    SCAN("server stream") {
        @Override
        void start(StoreStub stub, Entries entries, long number, Completion completion) {
            Entry first = entries.get(number);
            stub.scan(ScanRequest.newBuilder().setFrom(first.getKey()).setLimit(STREAM_LENGTH).build(),
                    new VerifyingObserver<ScanRequest, Entry>(entries.range(first, STREAM_LENGTH), completion));
        }
    },
    LOAD("client stream") {
        @Override
        void start(StoreStub stub, Entries entries, long number, Completion completion) {
            load(stub, some(entries, number), completion);
        }
    },
    /** The next key is asked for when the answer for the last one is there. */
    LOOKUP("bidirectional") {
        @Override
        void start(StoreStub stub, Entries entries, long number, Completion completion) {
            List<Entry> wanted = some(entries, number);
            Iterator<Entry> keys = wanted.iterator();
            VerifyingObserver<GetRequest, Entry> observer = new VerifyingObserver<>(wanted, completion) {
                @Override
                void accepted() {
                    if (keys.hasNext()) {
                        requests().onNext(request(keys.next()));
                    } else {
                        requests().onCompleted();
                    }
                }
            };
            stub.lookup(observer).onNext(request(keys.next()));
        }
    };

    /** Messages in a stream. */
    static final int STREAM_LENGTH = 16;

    /** What is called how often: of ten calls seven are unary. */
    private static final List<Kind> MIX = List.of(GET, PUT, SCAN, GET, PUT, LOAD, GET, PUT, LOOKUP, GET);

    private final String type;

    Kind(String type) {
        this.type = type;
    }

    /** The kind of the call of this number. */
    static Kind of(long number) {
        return MIX.get((int) (number % MIX.size()));
    }

    /** How gRPC calls it. */
    String type() {
        return type;
    }

    /** Makes the call of this number; all entries are in the store. */
    abstract void start(StoreStub stub, Entries entries, long number, Completion completion);

    /** Stores these entries. */
    static void load(StoreStub stub, List<Entry> entries, Completion completion) {
        LoadReply expected = LoadReply.newBuilder().setEntries(entries.size())
                .setBytes(entries.stream().mapToLong(entry -> entry.getValue().size()).sum()).build();
        stub.load(new VerifyingObserver<Entry, LoadReply>(List.of(expected), completion) {
            @Override
            public void beforeStart(ClientCallStreamObserver<Entry> stream) {
                super.beforeStart(stream);
                FlowControl.send(entries.iterator(), stream);
            }
        });
    }

    private static List<Entry> some(Entries entries, long number) {
        List<Entry> some = new ArrayList<>();
        for (int i = 0; i < STREAM_LENGTH; i++) {
            some.add(entries.get(number + i));
        }
        return some;
    }

    private static GetRequest request(Entry entry) {
        return GetRequest.newBuilder().setKey(entry.getKey()).build();
    }
}
