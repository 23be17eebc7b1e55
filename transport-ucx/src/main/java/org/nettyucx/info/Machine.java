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

import org.nettyucx.Ucx;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** What the checks see of the machine and of this JVM. */
class Machine {
    private final Path root;
    private final Map<String, String> environment;

    Machine() {
        this(Path.of("/"), System.getenv());
    }

    /** Files such as /proc/self/limits are looked for under root. */
    Machine(Path root, Map<String, String> environment) {
        this.root = root;
        this.environment = environment;
    }

    private Path path(String name) {
        return root.resolve(name.substring(1));
    }

    boolean exists(String file) {
        return Files.exists(path(file));
    }

    boolean canBeOpened(String file) {
        return Files.isReadable(path(file)) && Files.isWritable(path(file));
    }

    /** The file's text without white space around it; empty if there is none or it cannot be read. */
    String read(String file) {
        try {
            return Files.readString(path(file)).trim();
        } catch (IOException e) {
            return "";
        }
    }

    /** The names in a directory, sorted; none if there is no such directory. */
    List<String> list(String directory) {
        List<String> names = new ArrayList<>();
        try (Stream<Path> entries = Files.list(path(directory))) {
            entries.forEach(entry -> names.add(entry.getFileName().toString()));
        } catch (IOException e) {
            return List.of();
        }
        Collections.sort(names);
        return names;
    }

    /** Bytes: all and usable. */
    record Space(long total, long usable) {
    }

    Optional<Space> space(String directory) {
        try {
            FileStore store = Files.getFileStore(path(directory));
            return Optional.of(new Space(store.getTotalSpace(), store.getUsableSpace()));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** The value that the user has set, or an empty text. */
    String environment(String name) {
        return environment.getOrDefault(name, "");
    }

    /** UCX's setting, which is a system property or else an environment variable; empty if the user has not set it. */
    String setting(String name) {
        return System.getProperty("org.nettyucx.ucx." + name, environment("UCX_" + name));
    }

    int processors() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** Whether UCX can be used; loads it. */
    boolean isUcxAvailable() {
        return Ucx.isAvailable();
    }

    String whyUcxIsUnavailable() {
        return String.valueOf(Ucx.unavailabilityCause().getMessage());
    }

    /** Of UCX, like 1.13.1. */
    String ucxVersion() {
        return Ucx.version();
    }

    /** Like tcp/eth0; none if UCX is not available. */
    List<String> transports() {
        return isUcxAvailable() ? Ucx.transports() : List.of();
    }

    /** The RDMA devices that the kernel knows. */
    List<String> rdmaDevices() {
        return list("/sys/class/infiniband");
    }

    /** Paths of the shared libraries in this process whose file name begins so. */
    List<String> libraries(String prefix) {
        List<String> found = new ArrayList<>();
        for (String line : read("/proc/self/maps").split("\n")) {
            int start = line.indexOf('/');
            String library = start < 0 ? "" : line.substring(start);
            if (library.substring(library.lastIndexOf('/') + 1).startsWith(prefix) && !found.contains(library)) {
                found.add(library);
            }
        }
        return found;
    }
}
