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

import io.netty.channel.ChannelPromise;

import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** Where a server channel's connections come from. On its event loop unless said otherwise. */
interface Acceptor {
    /** Takes it to the server channel's event loop. */
    void register(UcxIoHandler handler, ChannelPromise promise);

    void bind(SocketAddress address) throws Exception;

    /** Any thread. */
    boolean isActive();

    /** Any thread; {@code null} while it is not bound. */
    InetSocketAddress localAddress();

    /** The server channel wants to accept. */
    void read();

    /** Nothing more is accepted. Any thread as long as {@link #register} was not called. */
    void close();
}
