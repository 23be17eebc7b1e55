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

import io.netty.buffer.UnpooledByteBufAllocator;

import java.io.IOException;

/**
 * A connection request of a client of ours that is not wanted, accepted for just as long as it takes to say why:
 * ucp_listener_reject says nothing and may crash the process before UCX 1.21 (see netty_ucx_listener.h). It remains for
 * strangers: accepting them with lanes that they do not have aborts the process.
 */
final class RefusedEndpoint implements UcxEndpoint.Owner {
    private static final int LIFE_MILLIS = 2_000;

    private final UcxEndpoint endpoint;
    private final RefusedException reason;

    private RefusedEndpoint(UcxIoHandler handler, RefusedException reason) {
        // Not the worker of WIRE RAW, if the server has that: the client would not get on with it.
        endpoint = new UcxEndpoint(handler, handler.worker(), this, null);
        this.reason = reason;
    }

    static void refuse(UcxIoHandler handler, long request, RefusedException reason) {
        RefusedEndpoint refused = new RefusedEndpoint(handler, reason);
        try {
            refused.endpoint.accept(request);
            refused.endpoint.flush();
            handler.deadlines().schedule(LIFE_MILLIS, refused.endpoint::close);
        } catch (IOException e) {
            // The client is gone, or it will find out by itself.
            refused.endpoint.close();
        }
    }

    @Override
    public void endpointFlushed(int status) {
        if (status != 0 ||
            endpoint.sendControl(ControlCodec.refuse(UnpooledByteBufAllocator.DEFAULT, reason)) < 0) {
            endpoint.close();
        }
    }

    @Override
    public void endpointFailed(int status) {
        endpoint.close();
    }

    @Override
    public void controlReceived(long address, int length) {
        // HELLO of a client that is being told.
    }

    @Override
    public void workerEnds() {
        endpoint.close();
    }
}
