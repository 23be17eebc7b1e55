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

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nettyucx.info.Finding.Verdict;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What the doctor says of machines on which something is wrong: files as they are there, under another root. */
class ChecksTest {
    private static final String PORT = "/sys/class/infiniband/mlx5_0/ports/1/";

    @TempDir
    private Path root;
    private final Map<String, String> environment = new HashMap<>();
    private List<String> transports = List.of("tcp/lo", "tcp/eth0", "posix/memory", "sysv/memory", "cma/memory");
    private String version = "1.21.0";
    private Machine.Space space = new Machine.Space(1L << 30, 1L << 30);

    @BeforeEach
    void healthyMachine() throws IOException {
        file("/proc/self/maps", """
                7f0000000000-7f0000001000 r-xp 00000000 08:01 1 /usr/lib/x86_64-linux-gnu/libc.so.6
                7f0000002000-7f0000003000 r--p 00000000 08:01 1 /opt/ucx/lib/libucp.so.0.0.0
                7f0000003000-7f0000004000 r-xp 00000000 08:01 1 /opt/ucx/lib/libucp.so.0.0.0
                7f0000005000-7f0000006000 rw-p 00000000 00:00 0
                """);
        file("/opt/ucx/lib/ucx/libuct_ib.so.0", "");
        file("/opt/ucx/lib/ucx/libuct_cma.so.0", "");
        limits("unlimited", "65536");
        file("/proc/self/uid_map", "         0          0 4294967295");
        file("/proc/self/status", "Name:\tjava\nCapEff:\t0000000000000000");
        file("/proc/sys/kernel/yama/ptrace_scope", "1");
    }

    private void file(String name, String text) throws IOException {
        Path file = root.resolve(name.substring(1));
        Files.createDirectories(file.getParent());
        Files.writeString(file, text + '\n');
    }

    private void limits(String lockedMemory, String openFiles) throws IOException {
        file("/proc/self/limits", "Limit                     Soft Limit           Hard Limit           Units\n" +
                "Max locked memory         " + lockedMemory + "             " + lockedMemory + "              bytes\n" +
                "Max open files            " + openFiles + "                20000                files");
    }

    private void rdmaDevice(String state, String link) throws IOException {
        file(PORT + "state", "4: " + state);
        file(PORT + "link_layer", link);
        file(PORT + "gids/0", "0000:0000:0000:0000:0000:0000:0000:0000");
        file(PORT + "gids/3", "0000:0000:0000:0000:0000:ffff:0a01:0203");
        file(PORT + "gid_attrs/types/3", "RoCE v2");
        file("/sys/class/infiniband_verbs/uverbs0/dev", "231:192");
        file("/dev/infiniband/uverbs0", "");
    }

    private Machine machine() {
        return new Machine(root, environment) {
            @Override
            boolean isUcxAvailable() {
                return !version.isEmpty();
            }

            @Override
            String whyUcxIsUnavailable() {
                return "no libucp.so.0; install UCX";
            }

            @Override
            String ucxVersion() {
                return version;
            }

            @Override
            List<String> transports() {
                return transports;
            }

            @Override
            int processors() {
                return 8;
            }

            @Override
            Optional<Space> space(String directory) {
                return Optional.ofNullable(space);
            }
        };
    }

    /** The worst finding of a check; all must be ok if none is worse. */
    private Finding worst(Check check) throws Exception {
        return check.look(machine()).stream().reduce((first, second) ->
                second.verdict().compareTo(first.verdict()) > 0 ? second : first).orElseThrow();
    }

    private void assertFinding(Check check, Verdict verdict, String text, String fix) throws Exception {
        Finding finding = worst(check);
        assertEquals(verdict, finding.verdict(), finding.toString());
        assertTrue(finding.text().contains(text), finding.toString());
        assertTrue(finding.fix().contains(fix), finding.toString());
        assertEquals(verdict == Verdict.OK, finding.fix().isEmpty(), finding.toString());
    }

    @Test
    void healthy() throws Exception {
        rdmaDevice("ACTIVE", "Ethernet");
        transports = List.of("rc_mlx5/mlx5_0:1", "tcp/eth0", "posix/memory", "cma/memory");
        file("/proc/self/maps", Files.readString(root.resolve("proc/self/maps")) +
                "7f0000005000-7f0000006000 r-xp 00000000 08:01 1 /usr/lib/libibverbs.so.1.14.44.0");
        for (Check check : List.of(new JavaCheck("Linux", "amd64"), new LibraryCheck(), new TransportsCheck(),
                new RdmaCheck(), new SharedMemoryCheck(), new CmaCheck(), new LimitsCheck(), new ProcessCheck(),
                new InterfacesCheck())) {
            assertFinding(check, Verdict.OK, "", "");
        }
        List<Finding> rdma = new RdmaCheck().look(machine());
        assertEquals("mlx5_0:1 (RoCE) is ACTIVE, GIDs 3=0000:0000:0000:0000:0000:ffff:0a01:0203 RoCE v2",
                rdma.get(0).text());
    }

    @Test
    void platform() throws Exception {
        assertFinding(new JavaCheck("Mac OS X", "aarch64"), Verdict.FAIL, "Mac OS X on aarch64 is not supported",
                "Linux");
        assertFinding(new JavaCheck("Linux", "riscv64"), Verdict.FAIL, "riscv64 is not supported", "x86_64 or aarch64");
        file("/proc/self/maps", "7f00-7f01 r-xp 00000000 08:01 1 /lib/ld-musl-x86_64.so.1");
        assertFinding(new JavaCheck("Linux", "amd64"), Verdict.FAIL, "musl", "instead of Alpine");
    }

    @Test
    void noLibucp() throws Exception {
        version = "";
        assertFinding(new LibraryCheck(), Verdict.FAIL, "cannot be used: no libucp.so.0; install UCX", "epoll");
    }

    @ParameterizedTest
    @CsvSource(nullValues = "-", value = {"1.13.1,false,1.14", "1.13.1,true,1.20.1", "1.14.0,false,-",
        "1.18.1,false,-", "1.18.1,true,1.20.1", "1.20.0,true,1.20.1", "1.20.1,true,-", "1.22.0,true,-", "2.0.0,true,-"})
    void oldVersion(String installed, boolean rdma, String recommended) {
        Finding finding = LibraryCheck.version(installed, " in /lib/libucp.so.0", rdma);
        assertTrue(finding.text().startsWith("version " + installed + " in /lib/libucp.so.0"), finding.toString());
        assertEquals(recommended == null ? Verdict.OK : Verdict.WARN, finding.verdict());
        assertTrue(recommended == null || finding.fix().startsWith("UCX " + recommended + " or newer"), finding.fix());
    }

    @Test
    void missingModules() throws Exception {
        Files.delete(root.resolve("opt/ucx/lib/ucx/libuct_ib.so.0"));
        assertFinding(new LibraryCheck(), Verdict.OK, "", "");
        rdmaDevice("ACTIVE", "InfiniBand");
        assertFinding(new LibraryCheck(), Verdict.FAIL, "/opt/ucx/lib/ucx/libuct_ib.so.0 is missing", "ucx-ib");
        Files.delete(root.resolve("sys/class/infiniband/mlx5_0/ports/1/state"));
        deleteRdmaDevices();
        Files.delete(root.resolve("opt/ucx/lib/ucx/libuct_cma.so.0"));
        assertFinding(new LibraryCheck(), Verdict.WARN, "none in /opt/ucx/lib/ucx", "copy UCX's directory ucx");
    }

    private void deleteRdmaDevices() throws IOException {
        Files.move(root.resolve("sys/class/infiniband"), root.resolve("gone"));
    }

    @Test
    void transportsThatAreLeftOut() throws Exception {
        environment.put("UCX_TLS", "tcp");
        assertFinding(new TransportsCheck(), Verdict.WARN, "UCX_TLS=tcp limits", "in common");
        rdmaDevice("ACTIVE", "InfiniBand");
        assertFinding(new TransportsCheck(), Verdict.FAIL, "(mlx5_0) but UCX uses none", "UCX_NET_DEVICES");
    }

    @ParameterizedTest
    @CsvSource({"0,FAIL,will not work", "64,FAIL,64 KiB may be locked", "8192,WARN,may run out",
        "131072,OK,131072 KiB"})
    void lockedMemory(long kibibytes, Verdict verdict, String text) throws Exception {
        limits(Long.toString(kibibytes * 1024), "65536");
        assertFinding(new LimitsCheck(), Verdict.OK, "", "");
        rdmaDevice("ACTIVE", "InfiniBand");
        assertFinding(new LimitsCheck(), verdict, text, verdict == Verdict.OK ? "" : "ulimit -l unlimited");
    }

    @Test
    void fewDescriptors() throws Exception {
        limits("unlimited", "1024");
        assertFinding(new LimitsCheck(), Verdict.WARN, "1024 may be open", "ulimit -n 65536");
    }

    @ParameterizedTest
    @CsvSource({"64,60,WARN,16 event loops", "64,2,FAIL,even one event loop", "8,8,WARN,at least 16 MiB",
        "1024,1024,OK,1024 MiB of 1024 MiB free"})
    void sharedMemory(long total, long usable, Verdict verdict, String text) throws Exception {
        space = new Machine.Space(total << 20, usable << 20);
        assertFinding(new SharedMemoryCheck(), verdict, text, verdict == Verdict.OK ? "" : "--shm-size");
        transports = List.of("tcp/lo");
        assertFinding(new SharedMemoryCheck(), Verdict.OK, "UCX does not use it", "");
        space = null;
        assertFinding(new SharedMemoryCheck(), Verdict.WARN, "is not there", "--shm-size");
    }

    @ParameterizedTest
    @CsvSource({"0,0,OK", "1,0,OK", "2,0,FAIL", "2,80000,OK", "3,80000,FAIL"})
    void ptrace(String scope, String capabilities, Verdict verdict) throws Exception {
        file("/proc/sys/kernel/yama/ptrace_scope", scope);
        file("/proc/self/status", "CapEff:\t0000000000" + capabilities);
        boolean ok = verdict == Verdict.OK;
        assertFinding(new CmaCheck(), verdict, ok ? "may read" : "ptrace_scope is " + scope, ok ? "" : "UCX_TLS=^cma");
        transports = List.of("posix/memory");
        assertFinding(new CmaCheck(), Verdict.OK, "copied twice", "");
    }

    @Test
    void userNamespace() throws Exception {
        file("/proc/self/uid_map", "0 1000 1\n1 100000 65536");
        assertFinding(new CmaCheck(), Verdict.WARN, "user namespace of its own", "UCX_TLS=^cma");
    }

    @ParameterizedTest
    @CsvSource({"UCX_ERROR_SIGNALS,SEGV,WARN", "UCX_HANDLE_ERRORS,bt,WARN", "UCX_DEBUG_SIGNO,HUP,WARN",
        "UCX_MEM_EVENTS,y,WARN", "UCX_RCACHE_ENABLE,try,FAIL", "UCX_RNDV_THRESH,8k,WARN"})
    void settingsThatHarmTheJvm(String name, String value, Verdict verdict) throws Exception {
        environment.put(name, value);
        assertFinding(new ProcessCheck(), verdict, name + '=' + value, "unset " + (name.equals("UCX_MEM_EVENTS")
                ? name + " UCX_RCACHE_ENABLE" : name));
    }

    @Test
    void rdmaPortThatIsDown() throws Exception {
        rdmaDevice("DOWN", "Ethernet");
        assertFinding(new RdmaCheck(), Verdict.FAIL, "mlx5_0:1 (RoCE) is DOWN", "ip link set");
        rdmaDevice("INIT", "InfiniBand");
        assertFinding(new RdmaCheck(), Verdict.FAIL, "mlx5_0:1 (InfiniBand) is INIT", "subnet manager");
        rdmaDevice("ACTIVE", "Ethernet");
        file(PORT + "gids/3", "0000:0000:0000:0000:0000:0000:0000:0000");
        assertFinding(new RdmaCheck(), Verdict.FAIL, "has no address", "IP address");
    }

    @Test
    void rdmaDeviceThatCannotBeOpened() throws Exception {
        rdmaDevice("ACTIVE", "InfiniBand");
        assertFinding(new RdmaCheck(), Verdict.FAIL, "libibverbs is not loaded", "ibverbs-providers");
        Files.delete(root.resolve("dev/infiniband/uverbs0"));
        assertFinding(new RdmaCheck(), Verdict.FAIL, "may not open /dev/infiniband/uverbs0",
                "--device /dev/infiniband");
    }

    @Test
    void extraInterfaces() throws Exception {
        transports = List.of("tcp/lo", "tcp/eth0", "tcp/docker0", "tcp/flannel.1");
        assertFinding(new InterfacesCheck(), Verdict.WARN, "docker0, flannel.1", "UCX_NET_DEVICES=lo,eth0");
        environment.put("UCX_TCP_PORT_RANGE", "7000-7999");
        assertTrue(new InterfacesCheck().look(machine()).get(1).text().contains("the ports 7000-7999"));
    }

    @Test
    void peers() throws Exception {
        assertFinding(new PeerCheck("127.0.0.1"), Verdict.OK, "would use posix/memory, because", "");
        assertEquals(Verdict.WARN, PeerCheck.local("here", List.of("tcp/lo")).verdict());
        assertEquals(Verdict.FAIL, PeerCheck.local("here", List.of("self/memory")).verdict());
        assertFinding(new PeerCheck("host.invalid"), Verdict.FAIL, "has no address", "DNS");
        Finding tcp = PeerCheck.remote("there", "eth0", machine());
        assertEquals("there is reached over eth0: this JVM would use tcp/eth0, because this machine has no RDMA device",
                tcp.text());
        Finding none = PeerCheck.remote("there", "eth1", machine());
        assertEquals(Verdict.FAIL, none.verdict());
        assertTrue(none.fix().contains("UCX_NET_DEVICES have eth1"), none.fix());
        transports = List.of("tcp/eth0", "rc_mlx5/mlx5_0:1");
        assertTrue(PeerCheck.remote("there", "eth0", machine()).text().contains("would use rc_mlx5/mlx5_0:1, because"));
        version = "";
        assertFinding(new PeerCheck("127.0.0.1"), Verdict.FAIL, "which cannot be used here", "UCX");
    }
}
