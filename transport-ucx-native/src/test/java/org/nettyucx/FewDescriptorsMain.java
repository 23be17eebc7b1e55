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

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.util.internal.logging.InternalLoggerFactory;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A process that may have few file descriptors. {@code server}: an echo server of one loop, with the commands
 * {@code fill} (opens files until no descriptor is left), {@code release} (closes them) and {@code exit}.
 * {@code client PORT N}: connects N times from one loop, says what came of it, closes, and connects once more.
 * {@code loop N}: makes an event loop when N descriptors are left, says what came of it, and makes one with more.
 */
final class FewDescriptorsMain {
    private static final int BYTES = 1_000_000;

    private FewDescriptorsMain() {
    }

    public static void main(String[] args) throws Exception {
        TestProcessMain.endOnError();
        needNoMoreFiles();
        switch (args[0]) {
            case "server":
                serve();
                break;
            case "client":
                connect(Integer.parseInt(args[1]), Integer.parseInt(args[2]));
                break;
            default:
                makeLoop(Integer.parseInt(args[1]));
                break;
        }
    }

    private static void makeLoop(int descriptors) throws Exception {
        Ucx.ensureAvailability();
        ProbedLoops early = new ProbedLoops(1);
        ProbedLoops late = new ProbedLoops(1);
        UcxSocketChannel channel = new UcxSocketChannel();
        List<FileInputStream> files = new ArrayList<>();
        fill(files);
        release(files.subList(0, descriptors));
        TestProcessMain.say("failed " + early.group().register(channel).await().cause());
        release(files);
        ChurnMain.listen(late);
        late.group().shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }

    private static void connect(int port, int count) throws Exception {
        ProbedLoops loops = new ProbedLoops(1);
        // With its worker.
        loops.group().submit(() -> { }).sync();
        Bootstrap bootstrap = new Bootstrap().group(loops.group()).channel(UcxSocketChannel.class);
        List<ChannelFuture> connects = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            connects.add(bootstrap.clone().handler(new ReceivedBytes()).connect("127.0.0.1", port));
        }
        int connected = 0;
        Set<String> causes = new TreeSet<>();
        for (ChannelFuture connect : connects) {
            if (connect.await().isSuccess()) {
                connected++;
            } else {
                causes.add(connect.cause().toString());
            }
        }
        TestProcessMain.say("connected " + connected);
        TestProcessMain.say("failed " + causes);
        for (ChannelFuture connect : connects) {
            if (connect.isSuccess()) {
                connect.channel().close().await();
            }
        }
        loops.awaitIdle(0);
        ReceivedBytes received = new ReceivedBytes();
        Channel channel = bootstrap.clone().handler(received).connect("127.0.0.1", port).sync().channel();
        channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(BYTES), 0, BYTES));
        received.await(BYTES);
        channel.close().sync();
        loops.group().shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }

    private static void serve() throws Exception {
        ProbedLoops loops = new ProbedLoops(1);
        TestProcessMain.say("port " + ChurnMain.listen(loops).getPort());
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        List<FileInputStream> files = new ArrayList<>();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            switch (line) {
                case "fill":
                    fill(files);
                    TestProcessMain.say("filled");
                    break;
                case "release":
                    release(files);
                    break;
                default:
                    loops.group().shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
                    System.exit(0);
                    break;
            }
        }
        Runtime.getRuntime().halt(1);
    }

    /** Classes in a directory are opened one by one, unlike those in a jar, and the first log reads time zones. */
    private static void needNoMoreFiles() throws Exception {
        Path directory = Path.of(Ucx.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (Files.isDirectory(directory)) {
            try (Stream<Path> files = Files.list(directory.resolve("org/nettyucx"))) {
                for (Path file : (Iterable<Path>) files::iterator) {
                    String name = file.getFileName().toString();
                    if (name.endsWith(".class") && !name.startsWith("package-info")) {
                        Class.forName("org.nettyucx." + name.substring(0, name.length() - ".class".length()));
                    }
                }
            }
        }
        InternalLoggerFactory.getInstance(FewDescriptorsMain.class).warn("the first log message");
    }

    private static void release(List<FileInputStream> files) throws IOException {
        for (FileInputStream file : files) {
            file.close();
        }
    }

    private static void fill(List<FileInputStream> files) {
        try {
            for (;;) {
                files.add(new FileInputStream("/dev/null"));
            }
        } catch (FileNotFoundException e) {
            // There are no more.
        }
    }
}
