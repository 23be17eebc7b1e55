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

/** What UCX may use here, and what the user's settings leave out. */
final class TransportsCheck implements Check {
    private static final String TOPIC = "Transports";

    @Override
    public List<Finding> look(Machine machine) {
        List<String> transports = machine.transports();
        if (transports.isEmpty()) {
            return List.of();
        }
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.ok(TOPIC, String.join(", ", transports)));
        for (String name : List.of("TLS", "NET_DEVICES")) {
            String value = machine.setting(name);
            if (!value.isEmpty() && !value.equals("all")) {
                findings.add(Finding.warn(TOPIC, "UCX_" + name + '=' + value + " limits what UCX may use",
                        "keep it only if that is meant; the peer must have a transport in common"));
            }
        }
        if (!machine.rdmaDevices().isEmpty() && transports.stream().noneMatch(Transports::isRdma)) {
            findings.add(Finding.fail(TOPIC, "there are RDMA devices (" + String.join(", ", machine.rdmaDevices()) +
                    ") but UCX uses none of them", "see the lines on RDMA, UCX modules and UCX_TLS, UCX_NET_DEVICES"));
        }
        return findings;
    }
}
