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

import io.netty.channel.ChannelFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Processes whose /dev/shm is small, as in a container: each in a mount namespace of its own. */
class SharedMemoryTest {
    private static final String ALL = "tcp,posix,sysv,cma,self";
    private static final String WITHOUT_POSIX = "tcp,sysv,cma,self";
    /** So that UCX does not prefer the other one. */
    private static final String WITHOUT_SYSV = "tcp,posix,cma,self";
    private static final int BYTES = 20_000_000;

    private final TestPeers peers = new TestPeers();

    @BeforeEach
    void needNamespaces() throws Exception {
        Process unshare = new ProcessBuilder("sh", "-c", "unshare -m mount -t tmpfs tmpfs /dev/shm")
                .redirectErrorStream(true).start();
        assumeTrue(unshare.waitFor(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS) && unshare.exitValue() == 0,
                "a mount namespace needs root and unshare(1): " + new String(unshare.getInputStream().readAllBytes()));
    }

    @AfterEach
    void closePeers() {
        peers.close();
    }

    private static TestProcess.Builder builder(String size, String transports) {
        return TestProcess.builder().environment("UCX_TLS", transports)
                .after("mount -t tmpfs -o size=" + size + " tmpfs /dev/shm", "unshare", "-m");
    }

    /** UCX itself says on standard error only what is missing. */
    @Test
    void tooSmallForOneLoop() throws Exception {
        try (TestProcess child = builder("64k", ALL).start(AvailabilityChild.class, "report")) {
            assertEquals("false", child.await("> available"));
            String cause = child.await("> cause");
            assertTrue(cause.contains("/dev/shm has only 64 KiB left"), cause);
            String group = child.await("> group failed");
            assertTrue(group.contains("/dev/shm has only 64 KiB left"), group);
            child.awaitExit();
        }
    }

    @Test
    void otherTransportsDoNotNeedIt() throws Exception {
        try (TestProcess child = builder("64k", WITHOUT_POSIX).start(SharedMemoryMain.class, 1)) {
            echo(child.awaitNumber("port"));
            exit(child);
        }
    }

    /** The first loop works, the second one does not, and whoever uses it is told why. */
    @Test
    void enoughForOneLoopOfTwo() throws Exception {
        try (TestProcess child = builder("6m", ALL).start(SharedMemoryMain.class, 2)) {
            int port = child.awaitNumber("port");
            String failure = child.await("failed");
            assertTrue(failure.contains("/dev/shm has only "), failure);
            echo(port);
            exit(child);
        }
    }

    /** What UCX has of it was reserved in time: no SIGBUS, whatever others do. */
    @Test
    void usedUpByOthersLater() throws Exception {
        try (TestProcess child = builder("6m", WITHOUT_SYSV).start(SharedMemoryMain.class, 1)) {
            int port = child.awaitNumber("port");
            child.command("fill");
            child.await("filled");
            echo(port);
            exit(child);
        }
    }

    /** A client whose /dev/shm is not the server's. */
    @Test
    void clientWithItsOwn() throws Exception {
        peers.listen(EchoTest.EchoHandler::new);
        try (TestProcess child = builder("16m", WITHOUT_SYSV).start(TestProcessMain.class, "client",
                peers.address().getPort(), "source", BYTES)) {
            System.out.println("FIGURES between two mount namespaces: " + child.await("active"));
            child.await("complete");
            Until.done(peers.accepted().close());
            child.exit();
        }
    }

    /** Four at once, so that as much as possible is on its way. */
    private void echo(int port) throws InterruptedException {
        ReceivedBytes[] received = new ReceivedBytes[4];
        ChannelFuture[] channels = new ChannelFuture[received.length];
        for (int i = 0; i < received.length; i++) {
            received[i] = new ReceivedBytes();
            channels[i] = Until.done(peers.clientBootstrap.clone().handler(received[i]).connect("127.0.0.1", port));
            channels[i].channel().writeAndFlush(TestBytes.write(channels[i].channel().alloc().directBuffer(BYTES), 0,
                    BYTES));
        }
        System.out.println("FIGURES small /dev/shm: over " + ((UcxSocketChannel) channels[0].channel()).transports());
        for (int i = 0; i < received.length; i++) {
            received[i].await(BYTES);
            Until.done(channels[i].channel().close());
        }
    }

    private static void exit(TestProcess child) throws InterruptedException {
        child.command("exit");
        child.awaitExit();
    }
}
