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
import java.util.regex.Pattern;

/** Network interfaces that peers cannot reach, and the ports that a firewall must let through. */
final class InterfacesCheck implements Check {
    private static final String TOPIC = "Interfaces";
    private static final Pattern LOCAL_ONLY = Pattern.compile(
            "(docker|br-|virbr|lxcbr|lxdbr|cni|flannel|cali|veth|vxlan|kube|podman|tunl|tap|tun|ifb|dummy).*");

    @Override
    public List<Finding> look(Machine machine) {
        List<String> extra = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (String transport : machine.transports()) {
            if (Transports.isTcp(transport)) {
                String name = Transports.deviceOf(transport);
                (LOCAL_ONLY.matcher(name).matches() ? extra : others).add(name);
            }
        }
        if (extra.isEmpty() && others.isEmpty()) {
            return List.of();
        }
        List<Finding> findings = new ArrayList<>();
        if (!extra.isEmpty()) {
            List<String> devices = new ArrayList<>(others);
            machine.rdmaDevices().forEach(device -> devices.add(device + ":1"));
            findings.add(Finding.warn(TOPIC, "UCX also uses " + String.join(", ", extra) + ", which other machines " +
                    "hardly reach: connects may take long or fail", "UCX_NET_DEVICES=" + String.join(",", devices)));
        } else {
            findings.add(Finding.ok(TOPIC, "UCX uses " + String.join(", ", others) + " for tcp"));
        }
        String range = machine.setting("TCP_PORT_RANGE");
        findings.add(Finding.ok("Firewall", "open the server's own port, and for data over tcp " +
                (range.isEmpty() || range.equals("0") ? "any port from ip_local_port_range; UCX_TCP_PORT_RANGE=" +
                "13000-13999 would narrow that" : "the ports " + range + " (UCX_TCP_PORT_RANGE)") +
                ", between peers in both directions; NAT cannot work"));
        return findings;
    }
}
