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
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The {@code ucp_context}s of the JVM: the one that everything uses, and one for UCX's stream ({@link UcxWire#RAW}).
 * Made on first use, never destroyed.
 */
final class UcxContext {
    /** {@code -Dorg.nettyucx.ucx.TLS=tcp} is UCX's setting {@code TLS}; it goes before the environment's. */
    static final String SETTING_PREFIX = "org.nettyucx.ucx.";

    private static final String LIBRARY = "libucp.so.0";
    private static final String INSTALL_HINT = "install UCX 1.13 or newer (Debian and Ubuntu: apt-get install " +
            "libucx0; Fedora and RHEL: dnf install ucx), or add its directory to LD_LIBRARY_PATH";
    private static final int OLDEST_VERSION = 1 << 16 | 13 << 8;
    private static final String SHARED_MEMORY = "/dev/shm";
    /** A queue of 256 messages and the memory for 512, measured. */
    private static final long SHARED_MEMORY_OF_A_WORKER = 4_300 * 1024;

    /** A line of ucp_context_print_info: {@code resource 0  :  md 0  dev 0  flags -- tcp/lo}. */
    private static final Pattern RESOURCE = Pattern.compile("resource\\s+\\d+\\s*:.*?\\s([^\\s/]+/\\S+)\\s*$",
            Pattern.MULTILINE);

    /**
     * UCX's defaults of 1.13 for what netty_ucx_environment.c sets for peers of ours; programs that know nothing of us
     * have them: segments that are larger than a peer's buffers would overflow these, and lanes that a peer does not
     * have abort one of the processes.
     */
    private static final Map<String, String> DEFAULTS_OF_STRANGERS = Map.of("MM_ERROR_HANDLING", "n",
            "TCP_TX_SEG_SIZE", "8kb", "TCP_RX_SEG_SIZE", "64kb", "KEEPALIVE_INTERVAL", "20s");

    private static long context;
    private static long streamContext;

    private UcxContext() {
    }

    static synchronized void ensureCreated() throws UcxException {
        if (context != 0) {
            return;
        }
        open();
        context = create(settings(), false);
    }

    private static synchronized long streamContext() throws UcxException {
        if (streamContext == 0) {
            List<String> settings = settings();
            DEFAULTS_OF_STRANGERS.forEach((name, value) -> {
                if (UcxSettings.value(name) == null) {
                    settings.addAll(List.of(name, value));
                }
            });
            streamContext = create(settings, true);
        }
        return streamContext;
    }

    private static long create(List<String> names, boolean stream) throws UcxException {
        NativeText settings = NativeText.of(names.toArray(new String[0]));
        NativeText culprit = new NativeText();
        long created = Native.contextCreate(settings.address(), stream, culprit.address(), culprit.capacity());
        Reference.reachabilityFence(settings);
        if (created < 0) {
            String name = culprit.toString();
            if (!name.isEmpty()) {
                throw new IllegalArgumentException("UCX refuses -D" + SETTING_PREFIX + name + "=" +
                        System.getProperty(SETTING_PREFIX + name) + " (" + NativeText.ofStatus((int) created) +
                        "); `ucx_info -c -f` lists the settings and their values (without the prefix UCX_)");
            }
            throw new UcxException("ucp_init", (int) created, NativeText.ofStatus((int) created) +
                    " (check the UCX_* environment variables, UCX_TLS and UCX_NET_DEVICES above all; `ucx_info -d` " +
                    "lists what this machine has)");
        }
        return created;
    }

    private static void open() {
        String name = System.getProperty("org.nettyucx.libucp", LIBRARY);
        NativeText error = new NativeText();
        NativeText nativeName = NativeText.of(name);
        int result = Native.open(nativeName.address(), error.address(), error.capacity());
        Reference.reachabilityFence(nativeName);
        if (result != 0) {
            throw new UnsatisfiedLinkError(name + " cannot be used: " + error + "; " + INSTALL_HINT);
        }
        if (Native.version() < OLDEST_VERSION) {
            throw new UnsatisfiedLinkError(name + " is UCX " + version() + ", which is too old; " + INSTALL_HINT);
        }
    }

    private static List<String> settings() {
        List<String> settings = new ArrayList<>();
        for (String property : new TreeSet<>(System.getProperties().stringPropertyNames())) {
            if (property.startsWith(SETTING_PREFIX)) {
                settings.add(property.substring(SETTING_PREFIX.length()));
                settings.add(System.getProperty(property));
            }
        }
        return settings;
    }

    /** Makes a worker, for UCX's stream or for all else; its handle belongs to the caller. */
    static long newWorker(boolean stream) throws IOException {
        Descriptors.requireForWorker();
        long worker = Native.workerCreate(stream ? streamContext() : context, stream);
        if (worker < 0) {
            throw new UcxException("ucp_worker_create", (int) worker, NativeText.ofStatus((int) worker) +
                    describeSharedMemory());
        }
        return worker;
    }

    /** Where shared memory ends first, above all in containers; UCX says so on standard error only. */
    private static String describeSharedMemory() {
        if (!transports().contains("posix/memory")) {
            return "";
        }
        try {
            long free = Files.getFileStore(Path.of(SHARED_MEMORY)).getUsableSpace();
            return free >= SHARED_MEMORY_OF_A_WORKER ? "" : " (" + SHARED_MEMORY + " has only " + free / 1024 +
                    " KiB left, UCX's transport posix needs about " + SHARED_MEMORY_OF_A_WORKER / 1024 + " KiB of it " +
                    "for each event loop: enlarge it, or leave posix out, for example with UCX_TLS=^posix)";
        } catch (IOException e) {
            return "";
        }
    }

    /** The transports and devices that UCX found and may use. */
    static List<String> transports() {
        NativeText text = new NativeText();
        Native.contextDescribe(context, text.address(), text.capacity());
        return parseTransports(text.toString());
    }

    static List<String> parseTransports(String text) {
        Set<String> found = new LinkedHashSet<>();
        Matcher resources = RESOURCE.matcher(text);
        while (resources.find()) {
            found.add(resources.group(1));
        }
        return List.copyOf(found);
    }

    static String version() {
        int version = Native.version();
        return (version >> 16) + "." + (version >> 8 & 0xff) + "." + (version & 0xff);
    }
}
