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

import java.util.ArrayList;
import java.util.List;

/** RDMA devices: state of their ports, addresses (GIDs), access, libibverbs. */
final class RdmaCheck implements Check {
    private static final String TOPIC = "RDMA";
    private static final String DEVICES = "/sys/class/infiniband/";

    @Override
    public List<Finding> look(Machine machine) {
        List<String> devices = machine.rdmaDevices();
        if (devices.isEmpty()) {
            return List.of(Finding.ok(TOPIC, "no device: data goes over shared memory or TCP"));
        }
        List<Finding> findings = new ArrayList<>();
        for (String device : devices) {
            for (String port : machine.list(DEVICES + device + "/ports")) {
                findings.add(port(machine, device, port));
            }
        }
        findings.add(access(machine));
        if (machine.libraries("libibverbs.").isEmpty()) {
            findings.add(Finding.fail(TOPIC, "libibverbs is not loaded, without which UCX cannot use these devices",
                    "install rdma-core (Debian and Ubuntu: apt-get install libibverbs1 ibverbs-providers; Fedora and " +
                    "RHEL: dnf install libibverbs)"));
        }
        return findings;
    }

    private static Finding port(Machine machine, String device, String port) {
        String directory = DEVICES + device + "/ports/" + port + '/';
        String state = machine.read(directory + "state").replaceFirst("^\\d+: ", "");
        String link = machine.read(directory + "link_layer");
        List<String> addresses = new ArrayList<>();
        for (String index : machine.list(directory + "gids")) {
            String address = machine.read(directory + "gids/" + index);
            if (!address.replace("0", "").replace(":", "").isEmpty()) {
                addresses.add(index + '=' + address + ' ' + machine.read(directory + "gid_attrs/types/" + index));
            }
        }
        String text = device + ':' + port + ' ' + (link.equals("Ethernet") ? "(RoCE)" : "(" + link + ')') + " is " +
                state;
        if (!state.equals("ACTIVE")) {
            return Finding.fail(TOPIC, text + ": UCX cannot use it", link.equals("Ethernet")
                    ? "bring its network interface up (ip link set DEVICE up), check the cable"
                    : "check the cable, and that a subnet manager (opensm) runs in the fabric");
        }
        if (addresses.isEmpty()) {
            return Finding.fail(TOPIC, text + " but has no address (GID)", "give its network interface an IP address");
        }
        return Finding.ok(TOPIC, text + ", GIDs " + String.join(", ", addresses).replaceAll(" +", " ").trim());
    }

    private static Finding access(Machine machine) {
        List<String> closed = new ArrayList<>();
        for (String name : machine.list("/sys/class/infiniband_verbs")) {
            String file = "/dev/infiniband/" + name;
            if (name.startsWith("uverbs") && !machine.canBeOpened(file)) {
                closed.add(file);
            }
        }
        return closed.isEmpty() ? Finding.ok(TOPIC, "/dev/infiniband can be opened")
                : Finding.fail(TOPIC, "this process may not open " + String.join(", ", closed), "docker run --device " +
                "/dev/infiniband, in Kubernetes an RDMA device plugin; else chmod 666 it by a udev rule");
    }
}
