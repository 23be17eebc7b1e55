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

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What a JVM makes of UCX that is missing, broken or configured wrongly, and UCX of the JVM it is loaded into. */
@Tag("once")
@Timeout(120)
class AvailabilityTest {
    @TempDir
    private Path temp;

    /** A JVM that ran, its lines and what else it printed. */
    private record Result(int exitCode, List<String> lines, List<String> strayOutput, String errors) {
        String line(String beginning) {
            return lines.stream().filter(line -> line.startsWith(beginning)).findFirst()
                    .orElseThrow(() -> new AssertionError("no line " + beginning + " in " + this));
        }

        String causes() {
            return lines.stream().filter(line -> line.startsWith("cause ")).collect(Collectors.joining("\n"));
        }
    }

    private static String classPath(boolean withLibrary) {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> withLibrary || !hasLibrary(entry)).collect(Collectors.joining(File.pathSeparator));
    }

    private static boolean hasLibrary(String entry) {
        String libraries = System.getProperty("org.nettyucx.test.libraryDir");
        return entry.contains("netty-transport-native-ucx") ||
               Path.of(libraries).startsWith(Path.of(entry).toAbsolutePath());
    }

    private Process start(boolean withLibrary, Map<String, String> environment, String mode, String... options)
            throws IOException {
        // A shell's background job ignores SIGINT, and so would its children.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal"));
        command.addAll(ChildJvm.command(List.of("-Xcheck:jni", "-XX:-CreateCoredumpOnCrash",
                "-XX:ErrorFile=" + temp.resolve("hs_err.log"))));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", classPath(withLibrary), "org.nettyucx.AvailabilityChild", mode));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(temp.resolve("stderr").toFile());
        builder.environment().putAll(environment);
        return builder.start();
    }

    private Result finish(Process process, List<String> lines) throws Exception {
        try {
            List<String> stray = new ArrayList<>();
            BufferedReader reader = new BufferedReader(new InputStreamReader(process.getInputStream(),
                    StandardCharsets.UTF_8));
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (line.startsWith("> ")) {
                    lines.add(line.substring(2));
                } else {
                    stray.add(line);
                }
            }
            assertTrue(process.waitFor(TestPeers.TIMEOUT_SECONDS, TimeUnit.SECONDS));
            return new Result(process.exitValue(), lines, stray, Files.readString(temp.resolve("stderr")));
        } finally {
            process.destroyForcibly();
        }
    }

    /** Standard output belongs to the application. */
    private Result run(boolean withLibrary, Map<String, String> environment, String mode, String... options)
            throws Exception {
        Result result = finish(start(withLibrary, environment, mode, options), new ArrayList<>());
        assertEquals(0, result.exitCode, result.toString());
        assertEquals(List.of(), result.strayOutput, result.toString());
        assertFalse(result.errors.contains("in native method"), result.errors);
        assertFalse(result.errors.contains("ExceptionInInitializerError"), result.errors);
        assertFalse(result.errors.contains("NoClassDefFoundError"), result.errors);
        return result;
    }

    private Result report(String... options) throws Exception {
        return run(true, Map.of(), "report", options);
    }

    private static void assertUnavailable(Result result, String... texts) {
        assertEquals("available false", result.line("available"));
        for (String text : texts) {
            assertTrue(result.causes().contains(text), text + " is not in " + result.causes());
        }
        for (String what : new String[] {"group", "factory", "channel", "server", "version"}) {
            String line = result.line(what + " failed");
            assertTrue(line.contains("java.lang.UnsatisfiedLinkError: the UCX transport is not available: "), line);
            // The text of the first cause is in the message, and the cause is there for its stack trace.
            for (String text : texts) {
                assertTrue(line.contains(text), line);
            }
            assertFalse(line.endsWith("cause null"), line);
        }
    }

    @Test
    void available() throws Exception {
        Result result = report();
        assertEquals("available true", result.line("available"));
        assertEquals("", result.causes());
        for (String what : new String[] {"group", "factory", "channel", "server"}) {
            assertTrue(result.line(what).startsWith(what + " ok"));
        }
        assertTrue(result.line("version ok").matches("version ok 1\\.\\d+\\.\\d+"), result.line("version"));
    }

    @Test
    void noLibucp() throws Exception {
        assertUnavailable(report("-Dorg.nettyucx.libucp=libnope.so.0"), "libnope.so.0", "cannot open shared object",
                "libucx0");
    }

    /** A library that is not UCX. */
    @Test
    void wrongLibucp() throws Exception {
        assertUnavailable(report("-Dorg.nettyucx.libucp=libc.so.6"), "libc.so.6 cannot be used", "ucp_");
    }

    @Test
    void brokenLibucp() throws Exception {
        Path broken = Files.writeString(temp.resolve("libucp.so.0"), "this is no library");
        assertUnavailable(report("-Dorg.nettyucx.libucp=" + broken), broken + " cannot be used");
    }

    @Test
    void noNativeJar() throws Exception {
        assertUnavailable(run(false, Map.of(), "report"), "netty-transport-native-ucx");
    }

    @ParameterizedTest
    @ValueSource(strings = {"org.nettyucx.noNative", "io.netty.transport.noNative"})
    void disabled(String property) throws Exception {
        Result result = report("-D" + property + "=true");
        assertEquals("available false", result.line("available"));
        assertTrue(result.causes().contains("disabled") && result.causes().contains("noNative"), result.causes());
    }

    @Test
    void unknownTransport() throws Exception {
        assertUnavailable(report("-Dorg.nettyucx.ucx.TLS=nonsense"), "TLS");
    }

    @Test
    void unknownTransportInTheEnvironment() throws Exception {
        assertUnavailable(run(true, Map.of("UCX_TLS", "nonsense"), "report"), "UCX_TLS");
    }

    @Test
    void unknownDevice() throws Exception {
        assertUnavailable(report("-Dorg.nettyucx.ucx.NET_DEVICES=nonsense0"), "NET_DEVICES");
    }

    @ParameterizedTest
    @CsvSource({"RNDV_THRESH, bla", "MAX_EAGER_LANES, -x"})
    void wrongValueOfSetting(String name, String value) throws Exception {
        assertUnavailable(report("-Dorg.nettyucx.ucx." + name + "=" + value),
                "-Dorg.nettyucx.ucx." + name + "=" + value);
    }

    @Test
    void wrongSettingOfHandler() throws Exception {
        Result result = report("-Dorg.nettyucx.waitStrategy=x");
        assertEquals("available true", result.line("available"));
        String line = result.line("group failed");
        assertTrue(line.contains("IllegalArgumentException") && line.contains("BLOCK, ADAPTIVE, SPIN"), line);
        assertTrue(result.line("channel").startsWith("channel ok"));
    }

    // ---- the JVM's own

    @Test
    void signalsAreUnchanged() throws Exception {
        assertEquals("signals unchanged", run(true, Map.of(), "signals").line("signals"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Xcomp", "-XX:+TieredCompilation"})
    void implicitNullChecks(String option) throws Exception {
        // -Xcomp for everything would take minutes.
        String only = "-XX:CompileCommand=quiet";
        Result result = "-Xcomp".equals(option)
                ? run(true, Map.of(), "nulls", option, only, "-XX:CompileCommand=compileonly,*AvailabilityChild.*")
                : run(true, Map.of(), "nulls", option);
        assertEquals("nulls 3", result.line("nulls"));
    }

    @ParameterizedTest
    @CsvSource({"HUP, 129", "TERM, 143", "INT, 130"})
    void signalsRunShutdownHooks(String signal, int exitCode) throws Exception {
        Process process = start(true, Map.of(), "serve");
        List<String> lines = new ArrayList<>();
        // Byte by byte, so that nothing of what follows is read ahead.
        StringBuilder line = new StringBuilder();
        for (int next = process.getInputStream().read(); next != '\n' && next >= 0;
                next = process.getInputStream().read()) {
            line.append((char) next);
        }
        if (!"> serving".contentEquals(line)) {
            process.destroyForcibly();
            throw new AssertionError(line + Files.readString(temp.resolve("stderr")));
        }
        Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).inheritIO().start();
        assertEquals(0, kill.waitFor());
        Result result = finish(process, lines);
        assertEquals(List.of("shutdown hook"), result.lines, result.toString());
        assertEquals(exitCode, result.exitCode, result.toString());
    }

    // ---- the library as a file

    private static final int DYNAMIC_SYMBOLS = 11;
    private static final int DYNAMIC = 6;
    private static final int NEEDED = 1;
    private static final int FLAGS = 30;
    private static final int BIND_NOW = 8;
    private static final int RELRO = 0x6474e552;
    private static final int STACK = 0x6474e551;

    private static String string(ByteBuffer elf, long start) {
        StringBuilder text = new StringBuilder();
        for (int i = (int) start; elf.get(i) != 0; i++) {
            text.append((char) elf.get(i));
        }
        return text.toString();
    }

    /** Only what the JVM looks for is exported, libucp is not linked, and nothing can be overwritten. */
    @Test
    void libraryFile() throws Exception {
        List<Path> libraries;
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("org.nettyucx.test.libraryDir")))) {
            libraries = files.filter(file -> file.toString().endsWith(".so")).collect(Collectors.toList());
        }
        assertEquals(1, libraries.size(), libraries.toString());
        ByteBuffer elf;
        try (RandomAccessFile file = new RandomAccessFile(libraries.get(0).toFile(), "r")) {
            elf = file.getChannel().map(FileChannel.MapMode.READ_ONLY, 0, file.length()).order(ByteOrder.LITTLE_ENDIAN);
        }
        assertEquals(0x464c457f, elf.getInt(0));
        Set<String> exported = new TreeSet<>();
        Set<String> needed = new TreeSet<>();
        boolean bindNow = false;
        long sections = elf.getLong(40);
        for (int i = 0; i < elf.getShort(60); i++) {
            int section = (int) sections + i * 64;
            int offset = (int) elf.getLong(section + 24);
            int size = (int) elf.getLong(section + 32);
            long strings = elf.getLong((int) sections + elf.getInt(section + 40) * 64 + 24);
            if (elf.getInt(section + 4) == DYNAMIC_SYMBOLS) {
                for (int symbol = offset; symbol < offset + size; symbol += 24) {
                    boolean local = elf.get(symbol + 4) >> 4 == 0;
                    if (!local && elf.getShort(symbol + 6) != 0) {
                        exported.add(string(elf, strings + elf.getInt(symbol)));
                    }
                }
            } else if (elf.getInt(section + 4) == DYNAMIC) {
                for (int entry = offset; entry < offset + size; entry += 16) {
                    if (elf.getLong(entry) == NEEDED) {
                        needed.add(string(elf, strings + elf.getLong(entry + 8)));
                    }
                    bindNow |= elf.getLong(entry) == FLAGS && (elf.getLong(entry + 8) & BIND_NOW) != 0;
                }
            }
        }
        boolean relro = false;
        boolean executableStack = true;
        for (int i = 0; i < elf.getShort(56); i++) {
            int header = (int) elf.getLong(32) + i * 56;
            relro |= elf.getInt(header) == RELRO;
            if (elf.getInt(header) == STACK) {
                executableStack = (elf.getInt(header + 4) & 1) != 0;
            }
        }
        assertEquals(Set.of("JNI_OnLoad", "JNI_OnUnload"), exported);
        assertTrue(needed.stream().noneMatch(name -> name.startsWith("libuc")), needed.toString());
        assertTrue(relro && bindNow, "relro: " + relro + ", bind now: " + bindNow);
        assertFalse(executableStack);
    }
}
