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

import io.netty.util.internal.logging.InternalLoggerFactory;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * An echo server of one loop that may have few file descriptors. Commands: {@code fill} (opens files until no
 * descriptor is left), {@code release} (closes them), {@code exit}.
 */
final class FewDescriptorsMain {
    private FewDescriptorsMain() {
    }

    public static void main(String[] args) throws Exception {
        TestProcessMain.endOnError();
        needNoMoreFiles();
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
                    for (FileInputStream file : files) {
                        file.close();
                    }
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
