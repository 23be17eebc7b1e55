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
package org.nettyucx.benchmark;

import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The two methods that are called; their messages are plain bytes, so that nothing but gRPC itself is measured. */
final class GrpcMethods {
    static final String SERVICE = "org.nettyucx.Benchmark";
    static final MethodDescriptor<byte[], byte[]> UNARY = method("Unary", MethodType.UNARY);
    static final MethodDescriptor<byte[], byte[]> STREAMING = method("Streaming", MethodType.SERVER_STREAMING);

    private static final int LONGEST_STREAM = 10_000;
    private static final int LARGEST_STREAM = 64 * 1024 * 1024;

    private GrpcMethods() {
    }

    /**
     * Messages of one stream: many, so that its beginning does not matter; not endless, as gRPC complains in the log
     * about streams that are cut off.
     */
    static int streamLength(int messageSize) {
        return Math.max(1, Math.min(LONGEST_STREAM, LARGEST_STREAM / messageSize));
    }

    private static MethodDescriptor<byte[], byte[]> method(String name, MethodType type) {
        return MethodDescriptor.<byte[], byte[]>newBuilder().setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setRequestMarshaller(new Bytes()).setResponseMarshaller(new Bytes()).build();
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] message) {
            return new BytesStream(message);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Saves gRPC a copy. */
    private static final class BytesStream extends ByteArrayInputStream implements KnownLength {
        BytesStream(byte[] bytes) {
            super(bytes);
        }
    }
}
