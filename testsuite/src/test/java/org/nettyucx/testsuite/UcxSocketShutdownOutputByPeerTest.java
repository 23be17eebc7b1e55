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
package org.nettyucx.testsuite;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.AbstractSocketShutdownOutputByPeerTest;

import java.io.IOException;
import java.net.SocketAddress;
import java.util.List;

class UcxSocketShutdownOutputByPeerTest extends AbstractSocketShutdownOutputByPeerTest<BlockingPeer> {
    @Override
    protected List<BootstrapFactory<ServerBootstrap>> newFactories() {
        return UcxSocketTestPermutation.INSTANCE.serverSocket();
    }

    @Override
    protected List<ByteBufAllocator> newAllocators() {
        return UcxSocketTestPermutation.allocators();
    }

    @Override
    protected BlockingPeer newSocket() {
        return new BlockingPeer();
    }

    @Override
    protected void connect(BlockingPeer peer, SocketAddress address) throws IOException {
        try {
            peer.connect(address);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Override
    protected void write(BlockingPeer peer, int data) throws IOException {
        peer.write(data);
    }

    @Override
    protected void shutdownOutput(BlockingPeer peer) throws IOException {
        peer.shutdownOutput();
    }

    @Override
    protected void close(BlockingPeer peer) throws IOException {
        peer.close();
    }
}
