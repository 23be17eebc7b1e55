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
package org.nettyucx.example.proxy;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.util.NettyRuntime;
import java.net.InetSocketAddress;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.nettyucx.example.ExampleException;
import org.nettyucx.example.PeerAddress;
import org.nettyucx.example.TwoProcesses;
import org.nettyucx.example.UcxSupport;
import org.nettyucx.example.Verdict;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/**
 * Entry point of the proxy.
 */
@Command(name = "proxy", description = "Forwards connections from TCP to UCX, or from UCX to TCP; half-closure, "
        + "back-pressure and resets go through. Ends on SIGTERM or SIGINT (Ctrl-C).")
public final class ProxyExample implements Callable<Integer> {

    private static final int STOP_SECONDS = 5;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help and exit.")
    private boolean help;

    @Option(names = "--listen", paramLabel = "H:P", defaultValue = "127.0.0.1:8080", converter = Address.class,
            description = "Address to listen on, port 0 for any free one (default: ${DEFAULT-VALUE}).")
    private InetSocketAddress listen;

    @Option(names = "--connect", paramLabel = "H:P", defaultValue = "127.0.0.1:7777", converter = Address.class,
            description = "Address of the server (default: ${DEFAULT-VALUE}).")
    private InetSocketAddress connect;

    @Option(names = "--from", paramLabel = "KIND", defaultValue = "tcp",
            description = "What clients come over: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private Side from;

    @Option(names = "--to", paramLabel = "KIND", defaultValue = "ucx",
            description = "What the server listens on: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private Side to;

    private ProxyExample() {
    }

    /**
     * Runs the proxy and exits: with 0 after a signal, 1 for a failure, 2 for wrong arguments.
     *
     * @param args its options
     */
    public static void main(String[] args) {
        System.exit(new Verdict("proxy").execute(new CommandLine(new ProxyExample()), args));
    }

    @Override
    public Integer call() throws ExampleException, InterruptedException {
        UcxSupport.requireAvailable();
        Map<Side, EventLoopGroup> loops = new EnumMap<>(Side.class);
        for (Side side : EnumSet.of(from, to)) {
            loops.put(side, side.newLoops(NettyRuntime.availableProcessors()));
        }
        try {
            ChannelFuture bound = new Proxy(loops, from, to, connect).listen(listen).await();
            if (!bound.isSuccess()) {
                throw new ExampleException("cannot listen on " + PeerAddress.of(listen), bound.cause());
            }
            Channel server = bound.channel();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(loops), "stop-proxy"));
            System.out.println(TwoProcesses.LISTENING + PeerAddress.of(server.localAddress()) + " for " + from
                    + ", connecting to " + PeerAddress.of(connect) + " over " + to);
            server.closeFuture().await();
            return ExitCode.OK;
        } finally {
            stop(loops);
        }
    }

    private static void stop(Map<Side, EventLoopGroup> loops) {
        loops.values().forEach(group -> group.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS));
        loops.values().forEach(group -> group.terminationFuture()
                .awaitUninterruptibly(STOP_SECONDS + 1, TimeUnit.SECONDS));
    }
}
