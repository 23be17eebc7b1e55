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
package org.nettyucx.example;

import java.util.Map;

/**
 * Which UCX transports the two processes may use. UCX calls its transports "TLs" and reads their list from the
 * environment variable {@code UCX_TLS}.
 */
public enum UcxTransports {
    /** TCP sockets only. */
    tcp("tcp"),
    /** Shared memory only: both processes are on one host. */
    shm("posix,sysv,cma,self"),
    /** Whatever UCX chooses, or whatever the user told it in the environment. */
    all(null);

    private static final String VARIABLE = "UCX_TLS";

    private final String list;

    UcxTransports(String list) {
        this.list = list;
    }

    /** Sets the variable in the environment of a process that is to be started. */
    public void applyTo(Map<String, String> environment) {
        if (list != null) {
            environment.put(VARIABLE, list);
        }
    }
}
