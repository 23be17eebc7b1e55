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
package org.nettyucx.benchmark;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;

/** The command line: measures transports beside each other, and shows the figures as a table, a file, a picture. */
@Command(name = "./run bench", sortOptions = false, usageHelpAutoWidth = true, description = {
    "Measures UCX beside Netty's other transports, server and client in two processes on this machine.",
    "Without MODE: a tour of all modes, about 3 minutes, that ends with a picture."})
public final class Benchmark implements Callable<Integer> {
    /** Where the tour leaves its files. */
    static final String DIRECTORY = "org.nettyucx.benchmark.directory";

    private static final List<String> DEFAULT_TRANSPORTS = List.of("nio", "epoll", "io_uring", "ucx-tcp", "ucx-shm");

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", arity = "0..1", paramLabel = "MODE", description = "${COMPLETION-CANDIDATES}")
    private Mode mode;

    @Option(names = "--transports", split = ",", paramLabel = "T", description = {
        "What to compare: nio, epoll, epoll-busy (never sleeps), epoll-uds (domain sockets), io_uring, ucx-shm, " +
        "ucx-tcp, ucx (what UCX picks); the last three also with -block or -spin, for the wait strategies. " +
        "Default: nio,epoll,io_uring,ucx-tcp,ucx-shm"})
    private List<String> transportNames;

    @Option(names = "--targets", description = {
        "Instead of a MODE: measures what docs/performance.md wants to be reached, about 6 minutes, and says what is."})
    private boolean targets;

    @Option(names = "--native", description =
        "Measure ucx_perftest too, as native-shm and native-tcp. The tour does so when it is installed.")
    private boolean withNative;

    @Option(names = "--sizes", split = ",", paramLabel = "BYTES", description = "Bytes of a message.")
    private List<Integer> sizes;

    @Option(names = "--seconds", paramLabel = "S", description =
        "Length of a measurement. Default: 2, targets 1.5, tour 1")
    private Double seconds;

    @Option(names = "--warmup", paramLabel = "S", description =
        "Seconds of traffic before each measurement, longer before the first one of its kind. Default: " +
        "1, tour 0.7")
    private Double warmUp;

    @Option(names = "--repeat", paramLabel = "R", description =
        "How often all is repeated; the median counts. Default: 3, tour 1")
    private Integer repeat;

    @Option(names = "--json", paramLabel = "FILE", description = "Write all figures there.")
    private Path json;

    @Option(names = "--plot", paramLabel = "FILE", description = "Draw a picture, FILE.svg or FILE.png.")
    private Path plot;

    @Option(names = "--flush-interval", paramLabel = "N", defaultValue = "16", description =
        "throughput, messages: writes between two flushes. Default: ${DEFAULT-VALUE}")
    private int flushInterval;

    @Option(names = "--water-mark", paramLabel = "BYTES", defaultValue = "1048576", description =
        "The high write-buffer water mark of all channels, which bounds what throughput has in flight; the low one " +
        "is half of it. Default: ${DEFAULT-VALUE}")
    private int waterMark;

    @Option(names = "--in-flight", paramLabel = "N", defaultValue = "256", description =
        "messages: messages under way at once. Default: ${DEFAULT-VALUE}")
    private int inFlight;

    @Option(names = "--connections", paramLabel = "N", defaultValue = "1000", description =
        "connections: idle connections. Default: ${DEFAULT-VALUE}")
    private int connections;

    @Option(names = "--concurrency", paramLabel = "N", description =
        "connections: connects at a time, default 16; grpc: calls at a time, default 64")
    private Integer concurrency;

    @Option(names = "--no-pin", description = "Let server and client run on all cores instead of one each.")
    private boolean noPin;

    @Option(names = "--jvm", paramLabel = "OPTION", description =
        "An option for the Java processes, like --jvm=-XX:+UseParallelGC. May be repeated.")
    private List<String> jvmArguments = new ArrayList<>();

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help and exit.")
    private boolean help;

    private Benchmark() {
    }

    /**
     * Runs the benchmark. The exit code is 0 if all was measured that can be measured here, 1 if something failed, 2
     * for wrong arguments.
     *
     * @param args the command line
     */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    static int run(String... args) {
        return new CommandLine(new Benchmark()).setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((failure, commandLine, parsed) -> {
                    if (!(failure instanceof BenchmarkException)) {
                        failure.printStackTrace();
                    }
                    System.err.println("bench failed: " + failure.getMessage());
                    return ExitCode.SOFTWARE;
                }).execute(args);
    }

    @Override
    public Integer call() throws BenchmarkException, InterruptedException, IOException {
        boolean tour = mode == null && !targets;
        checkArguments();
        Set<Transport> transports = transports(tour);
        if (mode == null) {
            Path directory = Path.of(System.getProperty(DIRECTORY, "target"));
            Files.createDirectories(directory);
            json = json == null ? directory.resolve("bench.json") : json;
            plot = plot == null ? directory.resolve("bench.svg") : plot;
        }
        if (plot != null) {
            try {
                Chart.checkPossible(plot);
            } catch (BenchmarkException e) {
                throw new ParameterException(spec.commandLine(), e.getMessage(), e);
            }
        }
        Settings settings = new Settings(seconds == null ? tour ? 1 : targets ? 1.5 : 2 : seconds,
                warmUp == null ? tour ? 0.7 : 1 : warmUp,
                noPin ? List.of() : Cores.choose(), jvmArguments);
        try (Session session = new Session(settings)) {
            for (Transport transport : transports) {
                session.open(transport);
            }
            int failures = session.run(plan(tour), repeat == null ? tour ? 1 : 3 : repeat);
            report(session, settings);
            return failures == 0 ? ExitCode.OK : ExitCode.SOFTWARE;
        }
    }

    private Set<Transport> transports(boolean tour) {
        Set<Transport> transports = new LinkedHashSet<>();
        try {
            (transportNames != null ? transportNames : targets ? Targets.transports() : DEFAULT_TRANSPORTS)
                    .forEach(name -> transports.add(Transport.of(name)));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
        if (withNative || tour && transportNames == null) {
            transports.add(Transport.of("native-tcp"));
            transports.add(Transport.of("native-shm"));
        }
        return transports;
    }

    private void checkArguments() {
        if (targets && (mode != null || sizes != null)) {
            throw new ParameterException(spec.commandLine(), "--targets goes with neither MODE nor --sizes");
        }
        require(seconds == null || seconds > 0, "--seconds");
        require(warmUp == null || warmUp > 0, "--warmup");
        require(repeat == null || repeat > 0, "--repeat");
        require(sizes == null || sizes.stream().allMatch(size -> size > 0), "--sizes");
        require(flushInterval > 0, "--flush-interval");
        require(waterMark > 1, "--water-mark");
        require(inFlight > 0, "--in-flight");
        require(connections > 0, "--connections");
        require(concurrency == null || concurrency > 0, "--concurrency");
    }

    private void require(boolean condition, String option) {
        if (!condition) {
            throw new ParameterException(spec.commandLine(), option + " must be greater than 0");
        }
    }

    private List<Session.Step> plan(boolean tour) {
        List<Session.Step> plan = new ArrayList<>();
        if (targets) {
            Targets.needed().forEach((scenario, bySize) -> bySize.forEach((size, transports) ->
                    plan.add(new Session.Step(setup(scenario, size), transports))));
            return plan;
        }
        for (Mode each : tour ? List.of(Mode.values()) : List.of(mode)) {
            for (Scenario scenario : each.scenarios()) {
                for (int size : sizes == null ? each.sizes(tour) : sizes) {
                    plan.add(new Session.Step(setup(scenario, size), Set.of()));
                }
            }
        }
        return plan;
    }

    private Setup setup(Scenario scenario, int size) {
        return new Setup(scenario, size, flushInterval, inFlight, waterMark,
                concurrency != null ? concurrency : scenario == Scenario.UNARY_CONCURRENT ? 64 : 16, connections);
    }

    private void report(Session session, Settings settings) throws BenchmarkException {
        Results results = session.results();
        System.out.println(session.machine());
        System.out.print(Table.of(results));
        System.out.println();
        if (targets) {
            System.out.println("targets:");
            Targets.report(results).forEach(System.out::println);
            System.out.println();
        }
        try {
            if (json != null) {
                Json.MAPPER.writerWithDefaultPrettyPrinter().writeValue(json.toFile(), results.toJson(settings));
                System.out.println("figures: " + json);
            }
            if (plot != null && !results.isEmpty()) {
                new Chart(results, session.machine(), commandAndDate()).writeTo(plot);
                System.out.println("picture: " + plot);
            }
        } catch (IOException e) {
            throw new BenchmarkException("cannot write a file: " + e, e);
        }
    }

    private String commandAndDate() {
        return "./run bench " + String.join(" ", spec.commandLine().getParseResult().originalArgs()) + "; " +
                LocalDate.now(ZoneOffset.UTC);
    }
}
