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

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** Passes TCP connections on to a server, until a test cuts them. UCX goes its own ways beside it. */
final class TcpProxy implements AutoCloseable {
    enum Cut {
        /** Both sides see RST. */
        RESET,
        /** Both sides see the end of the other one's bytes. */
        END
    }

    private final InetSocketAddress target;
    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> sockets = new ArrayList<>();
    private long fromServer;
    private boolean held;
    private Cut cutAfterAnswer;

    TcpProxy(InetSocketAddress target) throws IOException {
        this.target = target;
        start(this::accept);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    /** From now on what the server says is kept. */
    synchronized void holdAnswers() {
        held = true;
    }

    synchronized long fromServer() {
        return fromServer;
    }

    /** Cuts the next connection as soon as the first bytes of the server have been passed on. */
    synchronized void cutAfterAnswer(Cut how) {
        cutAfterAnswer = how;
    }

    /** Cuts all connections that there are. */
    synchronized void cut(Cut how) throws IOException {
        for (Socket socket : sockets) {
            if (how == Cut.RESET) {
                socket.setSoLinger(true, 0);
                socket.close();
            } else if (!socket.isClosed() && !socket.isOutputShutdown()) {
                socket.shutdownOutput();
            }
        }
        sockets.clear();
    }

    private interface Job {
        void run() throws IOException;
    }

    private static void start(Job job) {
        Thread thread = new Thread(() -> {
            try {
                job.run();
            } catch (IOException e) {
                // The connection was cut, or the proxy was closed.
            }
        }, "tcpProxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        for (;;) {
            Socket client = server.accept();
            Socket upstream = new Socket(target.getAddress(), target.getPort());
            client.setTcpNoDelay(true);
            upstream.setTcpNoDelay(true);
            synchronized (this) {
                sockets.add(client);
                sockets.add(upstream);
            }
            start(() -> pass(client, upstream, false));
            start(() -> pass(upstream, client, true));
        }
    }

    private void pass(Socket from, Socket to, boolean answers) throws IOException {
        byte[] buffer = new byte[4096];
        for (int read = from.getInputStream().read(buffer); read >= 0; read = from.getInputStream().read(buffer)) {
            if (!answers || answered(read)) {
                to.getOutputStream().write(buffer, 0, read);
            }
            if (answers) {
                passedOn();
            }
        }
        if (!to.isClosed() && !to.isOutputShutdown()) {
            to.shutdownOutput();
        }
    }

    /** Whether the bytes shall be passed on. */
    private synchronized boolean answered(int bytes) {
        fromServer += bytes;
        return !held;
    }

    private synchronized void passedOn() throws IOException {
        if (cutAfterAnswer != null) {
            Cut how = cutAfterAnswer;
            cutAfterAnswer = null;
            cut(how);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        cut(Cut.RESET);
    }
}
