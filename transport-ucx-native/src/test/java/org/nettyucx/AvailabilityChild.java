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

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** What {@link AvailabilityTest} starts as a JVM of its own: prints lines that begin with "> ". */
final class AvailabilityChild {
    private static final String[] CLASSES = {"Ucx", "UcxChannelOption", "UcxIoHandlerConfig", "UcxWaitStrategy",
            "UcxException", "UcxIoHandler", "UcxEventLoopGroup", "UcxSocketChannel", "UcxServerSocketChannel",
            "UcxSocketChannelConfig", "UcxServerSocketChannelConfig"};

    private static volatile Object nothing;

    private AvailabilityChild() {
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "report":
                report();
                break;
            case "signals":
                signals();
                break;
            case "nulls":
                nulls();
                break;
            default:
                serve();
                break;
        }
    }

    private static void say(String what) {
        System.out.println("> " + what.replace('\n', ' '));
        System.out.flush();
    }

    private static void report() throws Exception {
        // No class initialiser may fail, whatever is missing: reflection and frameworks load classes freely.
        for (String name : CLASSES) {
            Class.forName("org.nettyucx." + name);
        }
        say("available " + Ucx.isAvailable());
        for (Throwable cause = Ucx.unavailabilityCause(); cause != null; cause = cause.getCause()) {
            say("cause " + cause);
        }
        attempt("group", () -> new UcxEventLoopGroup(1).shutdownGracefully(0, 0, TimeUnit.SECONDS));
        attempt("factory", UcxIoHandler::newFactory);
        attempt("channel", UcxSocketChannel::new);
        attempt("server", UcxServerSocketChannel::new);
        attempt("version", Ucx::version);
    }

    private static void attempt(String what, Supplier<?> action) {
        try {
            Object result = action.get();
            say(what + " ok " + (result instanceof String ? result : ""));
            if (result instanceof UcxSocketChannel) {
                ((UcxSocketChannel) result).unsafe().closeForcibly();
            } else if (result instanceof UcxServerSocketChannel) {
                ((UcxServerSocketChannel) result).unsafe().closeForcibly();
            }
        } catch (Throwable t) {
            say(what + " failed " + t + "; cause " + t.getCause());
        }
    }

    private static String signalMasks() throws Exception {
        StringBuilder masks = new StringBuilder();
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("SigBlk") || line.startsWith("SigIgn") || line.startsWith("SigCgt")) {
                masks.append(line.replaceAll("\\s+", " ")).append(' ');
            }
        }
        return masks.toString();
    }

    private static void signals() throws Exception {
        String before = signalMasks();
        try (TestPeers peers = new TestPeers().listen(EchoTest.EchoHandler::new)) {
            exchange(peers);
            say("signals " + (before.equals(signalMasks()) ? "unchanged" : before + " are now " + signalMasks()));
        }
    }

    private static void exchange(TestPeers peers) throws Exception {
        ReceivedBytes received = new ReceivedBytes();
        UcxSocketChannel channel = peers.connect(received);
        channel.writeAndFlush(TestBytes.write(channel.alloc().directBuffer(100_000), 0, 100_000));
        received.await(100_000);
    }

    /** In compiled code null is found by SIGSEGV. */
    private static void nulls() throws Exception {
        try (TestPeers peers = new TestPeers().listen(EchoTest.EchoHandler::new)) {
            exchange(peers);
            int caught = 0;
            for (int i = 0; i < 300_000; i++) {
                try {
                    touch(i % 100_000 == 99_999 ? nothing : "text");
                } catch (NullPointerException e) {
                    caught++;
                }
            }
            exchange(peers);
            say("nulls " + caught);
        }
    }

    private static int touch(Object object) {
        return ((String) object).length();
    }

    private static void serve() throws Exception {
        TestPeers peers = new TestPeers().listen(EchoTest.EchoHandler::new);
        exchange(peers);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            peers.close();
            say("shutdown hook");
        }));
        say("serving");
        // Until a signal comes, but not for ever if none does.
        Thread.sleep(TimeUnit.MINUTES.toMillis(1));
        Runtime.getRuntime().halt(1);
    }
}
