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
package org.nettyucx.info;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** What this JVM would use for a peer, and why. Nothing is sent to it. */
final class PeerCheck implements Check {
    private static final String TOPIC = "Peer";
    /** Any: a datagram socket is only told its route by it. */
    private static final int PORT = 9;

    private final String host;

    PeerCheck(String host) {
        this.host = host;
    }

    @Override
    public List<Finding> look(Machine machine) {
        InetAddress address;
        try {
            address = InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            return List.of(Finding.fail(TOPIC, host + " has no address", "check the name and the DNS"));
        }
        String name = address.getHostAddress().equals(host) ? host : host + " (" + address.getHostAddress() + ')';
        if (!machine.isUcxAvailable()) {
            return List.of(Finding.fail(TOPIC, name + " cannot be reached over UCX, which cannot be used here",
                    "see the line on UCX"));
        }
        try {
            if (address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null) {
                return List.of(local(name, machine.transports()));
            }
            return List.of(remote(name, interfaceTo(address), machine));
        } catch (IOException e) {
            return List.of(Finding.fail(TOPIC, name + " cannot be reached: " + e.getMessage(),
                    "check the routes (ip route get " + address.getHostAddress() + ')'));
        }
    }

    private static String interfaceTo(InetAddress address) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(new InetSocketAddress(address, PORT));
            NetworkInterface route = NetworkInterface.getByInetAddress(socket.getLocalAddress());
            if (route == null) {
                throw new IOException("no network interface leads there");
            }
            return route.getName();
        }
    }

    private static Optional<String> first(List<String> transports, Predicate<String> wanted) {
        return transports.stream().filter(wanted).findFirst();
    }

    static Finding local(String name, List<String> transports) {
        String start = name + " is this machine: this JVM would use ";
        Optional<String> memory = first(transports, Transports::isSharedMemory);
        if (memory.isPresent()) {
            return Finding.ok(TOPIC, start + memory.get() + ", because shared memory is the fastest way");
        }
        Optional<String> other = first(transports, transport -> Transports.isRdma(transport) ||
                Transports.isTcp(transport));
        String fix = "let UCX_TLS have posix or sysv, unless the processes are in containers without common memory";
        return other.isPresent() ? Finding.warn(TOPIC, start + other.get() + ", because there is no shared memory " +
                "among UCX's transports", fix) : Finding.fail(TOPIC, name + " is this machine, but UCX has no " +
                "transport for other processes of it", fix);
    }

    static Finding remote(String name, String route, Machine machine) {
        List<String> transports = machine.transports();
        Optional<String> rdma = first(transports, Transports::isRdma);
        Optional<String> tcp = first(transports, transport -> transport.equals("tcp/" + route));
        String start = name + " is reached over " + route + ": this JVM would use ";
        if (rdma.isPresent()) {
            return Finding.ok(TOPIC, start + rdma.get() + ", because UCX prefers RDMA" + (tcp.isPresent()
                    ? "; if the peer has no RDMA device in the same network, " + tcp.get() : ""));
        }
        String reason = machine.rdmaDevices().isEmpty() ? "this machine has no RDMA device"
                : "UCX uses none of the RDMA devices here";
        if (tcp.isPresent()) {
            return Finding.ok(TOPIC, start + tcp.get() + ", because " + reason);
        }
        return Finding.fail(TOPIC, name + " is reached over " + route + ", but UCX has no transport there: " + reason +
                ", and tcp/" + route + " is not among UCX's transports",
                "let UCX_TLS have tcp and UCX_NET_DEVICES have " + route);
    }
}
