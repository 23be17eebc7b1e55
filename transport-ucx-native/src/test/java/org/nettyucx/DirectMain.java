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

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.SocketChannel;

/** An echo server that is reached by its worker address only, which it says in hexadecimal digits. */
final class DirectMain {
    private DirectMain() {
    }

    public static void main(String[] args) throws Exception {
        TestProcessMain.endOnError();
        ProbedLoops loops = new ProbedLoops(2);
        UcxServerSocketChannel server = (UcxServerSocketChannel) new ServerBootstrap().group(loops.group())
                .channel(UcxServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(new EchoTest.EchoHandler());
                    }
                })
                .bind(UcxWorkerAddress.any()).sync().channel();
        TestProcessMain.say("address " + ByteBufUtil.hexDump(server.workerAddress().toBytes()));
        TestProcessMain.takeCommands(loops);
    }
}
