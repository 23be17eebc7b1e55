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
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * An echo server on each of N event loops, where shared memory may not be enough for all of them. Says what became of
 * each. Commands: {@code fill} (uses up what is left of /dev/shm), {@code exit}.
 */
final class SharedMemoryMain {
    private SharedMemoryMain() {
    }

    public static void main(String[] args) throws Exception {
        TestProcessMain.endOnError();
        EventLoopGroup group = new UcxEventLoopGroup(Integer.parseInt(args[0]));
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            listen(group);
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("fill")) {
                fill();
                TestProcessMain.say("filled");
            } else {
                group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
                System.exit(0);
            }
        }
        Runtime.getRuntime().halt(1);
    }

    /** The server and its channels are on one and the same loop. */
    private static void listen(EventLoopGroup group) throws InterruptedException {
        ChannelFuture bound = new ServerBootstrap().group(group.next()).channel(UcxServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(new EchoTest.EchoHandler());
                    }
                }).bind("127.0.0.1", 0).await();
        TestProcessMain.say(bound.isSuccess()
                ? "port " + ((UcxServerSocketChannel) bound.channel()).localAddress().getPort()
                : "failed " + bound.cause());
    }

    private static void fill() throws IOException {
        try (OutputStream out = Files.newOutputStream(Path.of("/dev/shm/filler"))) {
            byte[] page = new byte[4096];
            for (;;) {
                out.write(page);
            }
        } catch (IOException e) {
            // There is no space left, as it should be.
        }
    }
}
