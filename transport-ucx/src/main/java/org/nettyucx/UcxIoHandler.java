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

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.netty.util.collection.LongObjectHashMap;
import io.netty.util.collection.LongObjectMap;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The {@link IoHandler} of the UCX transport: Netty's own {@link EpollIoHandler}, to which everything is left that it
 * already does well (wakeups, timers, descriptors), and a UCX worker, whose event descriptor it watches. So one event
 * loop serves UCX channels and epoll channels side by side.
 *
 * <p>Obtain it by {@link #newFactory()}. A loop of it can be suspended: its worker does not depend on a thread.
 */
public final class UcxIoHandler implements IoHandler {
    private static final InternalLogger logger = InternalLoggerFactory.getInstance(UcxIoHandler.class);

    /** Polls of one turn that each filled the whole batch. */
    private static final int MAX_POLLS = 16;
    /** While there is no time to sleep, descriptors are looked at so often. */
    private static final long EPOLL_INTERVAL_NANOS = 20_000;
    private static final AtomicBoolean warnedOfManyWorkers = new AtomicBoolean();
    /** So long may UCX go on with its own handshakes, and peers take leave, before a loop that ends cuts them off. */
    private static final long FRESH_LINKS_NANOS = 50_000_000;

    private final UcxIoHandlerConfig config;
    private final ThreadAwareExecutor executor;
    private final IoHandler epoll;
    private final WaitPolicy waitPolicy;
    private final LoopRecorder recorder = new LoopRecorder();
    private final Deadlines deadlines = new Deadlines();
    private final WorkerCheck workerCheck = new WorkerCheck(this);
    private final ConnectionTable connections = new ConnectionTable();
    private final SendOperations operations = new SendOperations();
    /** The channels of this loop, to be closed when it ends; with the registration by which the loop counts them. */
    private final Map<UcxIoHandle, IoRegistration> channels = new IdentityHashMap<>();
    private final Map<WorkerId, UcxLink> linksByWorker = new HashMap<>();
    private final IntObjectMap<UcxLink> linksById = new IntObjectHashMap<>();
    private final EpollContext epollContext = new EpollContext(deadlines);
    private ArrayDeque<Connection> ready = new ArrayDeque<>();
    private ArrayDeque<Connection> delivering = new ArrayDeque<>();
    /** Have received bytes in memory that is theirs until the next poll. */
    private final ArrayList<Connection> borrowing = new ArrayList<>();
    private Gather gather;
    private UcxWorker worker;
    private EventFd eventFd;
    /** For channels of WIRE RAW; made when the first one needs it. */
    private UcxWorker rawWorker;
    private EventFd rawEventFd;
    private int eventFdEvents;
    /** The event fd has woken the loop, and there was nothing that UCX could do. */
    private boolean falseAlarm;
    /** Of channels of the connector LISTENER, by id and by UCX's handle. */
    private final IntObjectMap<UcxEndpoint> endpoints = new IntObjectHashMap<>();
    private final LongObjectMap<UcxEndpoint> endpointsByHandle = new LongObjectHashMap<>();
    private final IntObjectMap<UcxListener> listeners = new IntObjectHashMap<>();
    /** Of channels and servers that are known by worker addresses; their numbers begin at random. */
    private final LongObjectMap<DirectReceiver> directReceivers = new LongObjectHashMap<>();
    private long lastDirectReceiver = ThreadLocalRandom.current().nextLong() >>> 1;
    private int lastLink;
    private long lastEpoll;
    private boolean shuttingDown;
    private boolean shutDown;
    /** Why the loop cannot be used. */
    private IllegalStateException unusable;

    private UcxIoHandler(ThreadAwareExecutor executor, IoHandlerFactory epollFactory, UcxIoHandlerConfig config) {
        this.executor = executor;
        this.config = config;
        waitPolicy = new WaitPolicy(config);
        epoll = epollFactory.newHandler(executor);
    }

    /**
     * Returns a factory of handlers with the default configuration.
     *
     * @throws UnsatisfiedLinkError if {@linkplain Ucx UCX is not available}
     * @throws IllegalArgumentException as {@link UcxIoHandlerConfig#UcxIoHandlerConfig()}
     */
    public static IoHandlerFactory newFactory() {
        return newFactory(new UcxIoHandlerConfig());
    }

    /**
     * Returns a factory of handlers with a copy of this configuration.
     *
     * @throws UnsatisfiedLinkError if {@linkplain Ucx UCX is not available}
     */
    public static IoHandlerFactory newFactory(UcxIoHandlerConfig config) {
        Ucx.ensureAvailability();
        UcxIoHandlerConfig copy = config.copy();
        IoHandlerFactory epollFactory = EpollIoHandler.newFactory();
        return new IoHandlerFactory() {
            @Override
            public IoHandler newHandler(ThreadAwareExecutor executor) {
                return new UcxIoHandler(executor, epollFactory, copy);
            }

            @Override
            public boolean isChangingThreadSupported() {
                return true;
            }
        };
    }

    /**
     * Returns what each event loop with such a handler in this JVM has done up to now. By any thread; cheap, but not
     * more than a look at the moment.
     */
    public static List<UcxLoopCounters> counters() {
        return LoopRecorder.snapshots();
    }

    // ---- for the channels of this loop

    UcxIoHandlerConfig config() {
        return config;
    }

    UcxWorker worker() {
        return worker;
    }

    UcxWorker worker(UcxWire wire) throws IOException {
        if (wire == UcxWire.NETTY) {
            return worker;
        }
        if (rawWorker == null) {
            UcxWorker fresh = new UcxWorker(true);
            try {
                rawEventFd = new EventFd(epoll, fresh);
            } catch (Exception e) {
                fresh.destroy();
                throw new IOException("the event descriptor of a UCX worker cannot be watched", e);
            }
            rawWorker = fresh;
        }
        return rawWorker;
    }

    Deadlines deadlines() {
        return deadlines;
    }

    WorkerCheck workerCheck() {
        return workerCheck;
    }

    ConnectionTable connections() {
        return connections;
    }

    SendOperations operations() {
        return operations;
    }

    Gather gather() {
        return gather;
    }

    /** Returns the current link to the worker, or makes one from its address. */
    UcxLink link(WorkerId remote, byte[] address) throws IOException {
        UcxLink link = linksByWorker.get(remote);
        if (link != null && !link.hasAddress(address)) {
            throw new RefusedException(Refusal.MALFORMED, "worker " + remote + " is known by another address");
        }
        return link == null ? newLink(remote, address) : link;
    }

    /** Makes the link that is the current one from now on; one before it is left to those who use it. */
    UcxLink newLink(WorkerId remote, byte[] address) throws UcxException {
        UcxLink link = new UcxLink(this, remote, ++lastLink, address);
        linksByWorker.put(remote, link);
        linksById.put(link.id(), link);
        return link;
    }

    void linkClosed(UcxLink link) {
        linksByWorker.remove(link.remote(), link);
        linksById.remove(link.id());
    }

    int linkCount() {
        return linksById.size();
    }

    /** Links, endpoints and listeners share their numbers. */
    int nextEndpointId() {
        return ++lastLink;
    }

    void endpointOpened(UcxEndpoint endpoint) {
        endpoints.put(endpoint.id(), endpoint);
        endpointsByHandle.put(endpoint.ucpHandle(), endpoint);
    }

    void endpointClosed(UcxEndpoint endpoint) {
        endpoints.remove(endpoint.id());
        endpointsByHandle.remove(endpoint.ucpHandle());
    }

    /** Returns the number by which peers name it. */
    long directReceiverOpened(DirectReceiver receiver) {
        directReceivers.put(++lastDirectReceiver, receiver);
        return lastDirectReceiver;
    }

    void directReceiverClosed(long number) {
        directReceivers.remove(number);
    }

    /** How many channels of the connector LISTENER have an endpoint, also closed ones that take leave. */
    int endpointCount() {
        return endpoints.size();
    }

    void listenerOpened(UcxListener listener) {
        listeners.put(listener.id(), listener);
    }

    void listenerClosed(UcxListener listener) {
        listeners.remove(listener.id());
    }

    /** Runs it on this loop's thread. */
    void execute(Runnable task) {
        if (executor.isExecutorThread(Thread.currentThread())) {
            task.run();
        } else {
            executor.execute(task);
        }
    }

    /** To be called by what uses UCX's connection manager. */
    void warnOfManyWorkers() {
        // This loop's own second one is for other endpoints than its first.
        int own = rawWorker == null ? 1 : 2;
        if (UcxWorker.count() > own && warnedOfManyWorkers.compareAndSet(false, true)) {
            logger.warn("CONNECTOR LISTENER is used by a process with {} UCX workers (event loops): UCX may abort " +
                    "the process when connections come and go (async.c: \"handler->async == async\"); use one event " +
                    "loop, or CONNECTOR BOOTSTRAP", UcxWorker.count());
        }
    }

    /** Has {@link Connection#deliver} called before the next poll. */
    void deliverLater(Connection connection) {
        if (connection.markReady()) {
            ready.add(connection);
        }
    }

    /** Has {@link Connection#own} called at the beginning of the next poll. */
    void ownLater(Connection connection) {
        if (connection.markBorrowing()) {
            borrowing.add(connection);
        }
    }

    boolean hasReceivedProbe(long number) {
        poll(null);
        return workerCheck.latestProbe() == number;
    }

    /** All connections of this loop are lost, their peers are told so; new ones use the new worker. */
    void replaceWorker(String reason) {
        UcxWorker old = worker;
        UcxWorker fresh;
        try {
            fresh = new UcxWorker();
        } catch (IOException e) {
            logger.warn("{}; a new one cannot be made", reason, e);
            return;
        }
        logger.warn("{}: its {} connections are reset, a new worker is made", reason, connections.size());
        IOException cause = new IOException("Connection reset: the event loop's UCX worker had to be replaced");
        for (Connection connection : connections.copy()) {
            connection.workerLost(cause);
        }
        for (UcxLink link : new ArrayList<>(linksById.values())) {
            link.close("its worker is replaced");
        }
        listeners.values().forEach(UcxListener::close);
        closeEndpoints();
        completeOperations();
        eventFd.cancel();
        ReceiveProbe.forget(old.id());
        ownBorrowed();
        worker = fresh;
        try {
            eventFd = new EventFd(epoll, worker);
        } catch (Exception e) {
            logger.warn("the new UCX worker's event descriptor cannot be watched", e);
        }
        old.destroy();
        reopenListeners();
        directReceivers.values().forEach(DirectReceiver::workerChanged);
        deliverReady();
    }

    private void closeEndpoints() {
        for (UcxEndpoint endpoint : new ArrayList<>(endpoints.values())) {
            endpoint.owner().workerEnds();
        }
    }

    private void reopenListeners() {
        for (UcxListener listener : listeners.values()) {
            try {
                listener.reopen();
            } catch (IOException e) {
                logger.warn("{} cannot be listened on any more", listener.address(), e);
            }
        }
    }

    // ---- IoHandler

    @Override
    public void initialize() {
        epoll.initialize();
        recorder.started();
        if (worker != null) {
            return;
        }
        try {
            worker = new UcxWorker();
            gather = new Gather(UnpooledByteBufAllocator.DEFAULT);
            eventFd = new EventFd(epoll, worker);
            if (executor instanceof SingleThreadEventExecutor) {
                // A loop may end without prepareToDestroy(): when it is shut down, without a quiet period, by a task.
                ((SingleThreadEventExecutor) executor).addShutdownHook(this::prepareToDestroy);
            }
        } catch (Exception e) {
            // Ends the loop's thread, but not before the tasks that are there have run.
            unusable = new IllegalStateException("the UCX worker of an event loop cannot be made: " + e.getMessage(),
                    e);
            throw unusable;
        }
    }

    @Override
    public int run(IoHandlerContext context) {
        try {
            return runTurn(context);
        } catch (Error e) {
            throw e;
        } catch (Throwable t) {
            logger.warn("Unexpected exception in the event loop", t);
            return 0;
        }
    }

    private int runTurn(IoHandlerContext context) {
        int handled = poll(context);
        long now = System.nanoTime();
        deadlines.run(now);
        deliverReady();
        if (handled > 0 || !context.canBlock()) {
            return handled + (now - lastEpoll >= EPOLL_INTERVAL_NANOS ? runEpoll(context, false, now) : 0);
        }
        long idleSince = now;
        handled = spin(context, now, waitPolicy.spinNanos());
        recorder.spun(handled == 0);
        recorder.holds(connections.size(), linksById.size());
        if (handled == 0 && context.canBlock()) {
            handled = sleep(context);
            int polled = poll(context);
            falseAlarm = (falseAlarm || eventFdEvents > 0) && polled == 0 && worker.wasIdle() &&
                         (rawWorker == null || rawWorker.wasIdle());
            if (polled > 0) {
                waitPolicy.waited(System.nanoTime() - idleSince);
            } else {
                waitPolicy.waitedInVain(System.nanoTime() - idleSince);
            }
            handled += polled;
            deadlines.run(System.nanoTime());
            deliverReady();
        }
        return handled;
    }

    /** Polls until there is something to do or the time is over. */
    private int spin(IoHandlerContext context, long start, long spinNanos) {
        long now = start;
        while (now - start < spinNanos && context.canBlock()) {
            int handled = poll(context);
            now = System.nanoTime();
            if (handled > 0) {
                waitPolicy.waited(now - start);
                return handled;
            }
            if (now - lastEpoll >= EPOLL_INTERVAL_NANOS) {
                handled = runEpoll(context, false, now);
                if (handled > 0) {
                    return handled;
                }
            }
            if (deadlines.nanosLeft(now) == 0) {
                return 0;
            }
            Thread.onSpinWait();
        }
        return 0;
    }

    /** Waits for work: until there is some if UCX is able to say so. */
    private int sleep(IoHandlerContext context) {
        if (!waitPolicy.mayBlock()) {
            long now = System.nanoTime();
            return now - lastEpoll >= EPOLL_INTERVAL_NANOS ? runEpoll(context, false, now) : 0;
        }
        boolean armed = arm();
        if (armed && falseAlarm) {
            // Over tcp the descriptor is readable all the time while a peer that was stopped owes UCX an answer.
            watchEventFd(true);
            int handled = runEpoll(context, false, System.nanoTime());
            if (handled > 0) {
                return handled;
            }
            falseAlarm = eventFdEvents > 0;
            armed = !falseAlarm;
        }
        if (armed) {
            waitPolicy.armed();
            recorder.sleeps();
            watchEventFd(true);
            return runEpoll(context, true, System.nanoTime());
        }
        recorder.busy();
        long now = System.nanoTime();
        long nap = waitPolicy.napNanos(now);
        if (nap == 0) {
            return runEpoll(context, false, now);
        }
        // The descriptor may be readable all the time now.
        watchEventFd(false);
        epollContext.startNap(now + nap);
        recorder.naps();
        try {
            return runEpoll(context, true, now);
        } finally {
            epollContext.endNap();
        }
    }

    private void watchEventFd(boolean watch) {
        eventFd.watch(watch);
        if (rawEventFd != null) {
            rawEventFd.watch(watch);
        }
    }

    private boolean arm() {
        try {
            return worker.arm() && (rawWorker == null || rawWorker.arm());
        } catch (UcxException e) {
            logger.warn("UCX cannot wait for events, polling goes on", e);
            return false;
        }
    }

    private int runEpoll(IoHandlerContext context, boolean mayBlock, long now) {
        lastEpoll = now;
        int handled = epoll.run(epollContext.of(context, mayBlock));
        eventFdEvents = eventFd.takeEvents() + (rawEventFd == null ? 0 : rawEventFd.takeEvents());
        handled -= eventFdEvents;
        deliverReady();
        return handled;
    }

    /** Takes what UCX has, and tells the channels. */
    private int poll(IoHandlerContext context) {
        int handled = poll(worker, context);
        return rawWorker == null ? handled : handled + poll(rawWorker, context);
    }

    private int poll(UcxWorker polled, IoHandlerContext context) {
        int handled = 0;
        for (int i = 0; i < MAX_POLLS; i++) {
            int count;
            ownBorrowed();
            try {
                count = polled.poll();
            } catch (UcxException e) {
                failLinks(e);
                return handled;
            }
            if (count == 0) {
                break;
            }
            boolean report = context != null && context.shouldReportActiveIoTime();
            long start = report ? System.nanoTime() : 0;
            dispatchAll(polled.batch(), count);
            deliverReady();
            if (report) {
                context.reportActiveIoTime(System.nanoTime() - start);
            }
            handled += count;
            recorder.handled(count);
            if (count < EventBatch.CAPACITY) {
                break;
            }
        }
        return handled;
    }

    /** Not earlier: a channel that has more than it may read in one turn goes on in a task, before the next poll. */
    private void ownBorrowed() {
        // By index: it must not make garbage.
        for (int i = 0; i < borrowing.size(); i++) {
            borrowing.get(i).own();
        }
        borrowing.clear();
    }

    private void dispatchAll(EventBatch batch, int count) {
        for (int i = 0; i < count; i++) {
            try {
                dispatch(batch, i);
            } catch (Throwable t) {
                logger.warn("Unexpected exception while an event of UCX was handled", t);
            }
        }
    }

    private void dispatch(EventBatch batch, int index) {
        int type = batch.type(index);
        long target = batch.target(index);
        if (type == EventBatch.SENT) {
            operations.get(target).complete(batch.status(index));
            return;
        }
        if (type == EventBatch.LINK_FAILED) {
            UcxLink link = linksById.get((int) target);
            UcxEndpoint endpoint = endpoints.get((int) target);
            if (link != null) {
                link.failed(batch.status(index));
            } else if (endpoint != null) {
                endpoint.owner().endpointFailed(batch.status(index));
            }
            return;
        }
        if (type >= EventBatch.CONTROL) {
            dispatchOfEndpoint(batch, index, type, target);
            return;
        }
        if (type == EventBatch.GOODBYE) {
            UcxLink link = linksById.get((int) target);
            if (link != null) {
                link.goodbyeReceived();
            } else {
                workerCheck.lateGoodbye();
            }
            return;
        }
        if (type == EventBatch.PROBE) {
            workerCheck.probeReceived(target);
            return;
        }
        Connection connection = connections.get(target);
        if (connection == null) {
            return;
        }
        switch (type) {
            case EventBatch.DATA:
                connection.dataReceived(batch.value(index), batch.address(index), (int) batch.length(index));
                break;
            case EventBatch.CREDIT:
                connection.creditReceived(batch.value(index));
                break;
            case EventBatch.READY:
                connection.readyReceived(batch.value(index));
                break;
            case EventBatch.RENDEZVOUS:
                connection.rendezvousStarted();
                break;
            case EventBatch.RENDEZVOUS_DATA:
                connection.rendezvousReceived(batch.status(index), batch.value(index), batch.address(index),
                        (int) batch.length(index));
                break;
            case EventBatch.VIOLATION:
                connection.protocolViolated("DATA of " + batch.length(index) + " bytes at offset " +
                        batch.value(index) + " exceeds its credit");
                break;
            default:
                throw new IllegalStateException("event type " + type);
        }
    }

    private void dispatchOfEndpoint(EventBatch batch, int index, int type, long target) {
        if (type == EventBatch.DIRECT) {
            DirectReceiver receiver = directReceivers.get(target);
            if (receiver != null) {
                receiver.received(batch.value(index), batch.address(index), (int) batch.length(index));
            }
        } else if (type == EventBatch.CONTROL) {
            UcxEndpoint endpoint = endpointsByHandle.get(target);
            if (endpoint != null) {
                endpoint.owner().controlReceived(batch.address(index), (int) batch.length(index));
            }
        } else if (type == EventBatch.FLUSHED) {
            UcxEndpoint endpoint = endpoints.get((int) target);
            if (endpoint != null) {
                endpoint.owner().endpointFlushed(batch.status(index));
            }
        } else if (type == EventBatch.REQUEST) {
            listeners.get((int) target).requested(batch.address(index), batch.value(index), batch.status(index));
        }
    }

    private void deliverReady() {
        while (!ready.isEmpty()) {
            // What becomes ready meanwhile is delivered in the next round.
            ArrayDeque<Connection> round = ready;
            ready = delivering;
            delivering = round;
            for (Connection connection = round.poll(); connection != null; connection = round.poll()) {
                try {
                    connection.deliver();
                } catch (Throwable t) {
                    logger.warn("Unexpected exception while {} was told of received bytes", connection, t);
                }
            }
        }
    }

    /** The worker has lost something that it received (out of memory): none of its connections can be trusted. */
    private void failLinks(UcxException cause) {
        logger.warn("UCX lost received data, all connections of the event loop are reset", cause);
        for (UcxLink link : new ArrayList<>(linksById.values())) {
            link.failed(cause.status());
        }
        for (UcxEndpoint endpoint : new ArrayList<>(endpoints.values())) {
            endpoint.owner().endpointFailed(cause.status());
        }
    }

    @Override
    public void wakeup() {
        epoll.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return UcxIoHandle.class.isAssignableFrom(handleType) || epoll.isCompatible(handleType);
    }

    /**
     * Finds the handler of the event loop that a channel is to belong to, which closes the channel when the loop ends.
     * Its registration is left only if it counts: that of a TCP connection counts as its channel's.
     */
    static void join(EventLoop loop, UcxIoHandle channel, boolean counts, ChannelPromise promise,
                     Consumer<UcxIoHandler> joined) {
        ((IoEventLoop) loop).register(channel).addListener((Future<IoRegistration> registered) -> {
            if (!registered.isSuccess()) {
                promise.setFailure(registered.cause());
                return;
            }
            UcxIoHandler handler = registered.getNow().attachment();
            if (counts) {
                handler.channels.put(channel, registered.getNow());
            } else {
                registered.getNow().cancel();
                handler.channels.put(channel, null);
            }
            joined.accept(handler);
        });
    }

    void leave(UcxIoHandle channel) {
        IoRegistration registration = channels.remove(channel);
        if (registration != null) {
            registration.cancel();
        }
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        if (unusable != null) {
            throw unusable;
        }
        if (!(handle instanceof UcxIoHandle)) {
            return epoll.register(handle);
        }
        if (shuttingDown) {
            throw new IllegalStateException("UcxIoHandler is shutting down");
        }
        channels.putIfAbsent((UcxIoHandle) handle, null);
        handle.registered();
        return new Registration((UcxIoHandle) handle);
    }

    // ---- the end

    @Override
    public void prepareToDestroy() {
        shuttingDown = true;
        workerCheck.end();
        for (UcxIoHandle channel : new ArrayList<>(channels.keySet())) {
            try {
                channel.close();
            } catch (Exception e) {
                logger.debug("Exception while a channel was closed", e);
            }
        }
        if (worker != null && !shutDown) {
            shutDown = true;
            settle();
        }
        epoll.prepareToDestroy();
    }

    /** Lets closed connections deliver what was written, in bounded time; then gives them up. */
    private void settle() {
        long start = System.nanoTime();
        while ((System.nanoTime() - start) / 1_000_000 < config.shutdownMillis() && !isSettled()) {
            poll(null);
            deadlines.run(System.nanoTime());
            runEpoll(PollingContext.INSTANCE, false, System.nanoTime());
            Thread.onSpinWait();
        }
        for (Connection connection : connections.copy()) {
            connection.forceFinish();
        }
    }

    private boolean isSettled() {
        for (Connection connection : connections.copy()) {
            if (!connection.isSettled()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void destroy() {
        try {
            if (!shuttingDown) {
                prepareToDestroy();
            }
            if (worker != null) {
                eventFd.cancel();
                if (rawEventFd != null) {
                    rawEventFd.cancel();
                }
                listeners.values().forEach(UcxListener::close);
                sayGoodbye();
                for (UcxLink link : new ArrayList<>(linksById.values())) {
                    link.close("its event loop ends");
                }
                closeEndpoints();
                completeOperations();
                ReceiveProbe.forget(worker.id());
                ownBorrowed();
                worker.destroy();
                if (rawWorker != null) {
                    rawWorker.destroy();
                }
                gather.release();
            }
        } finally {
            recorder.ended();
            epoll.destroy();
        }
    }

    /** Peers may give up their side of the links now instead of finding out by themselves. A courtesy: may get lost. */
    private void sayGoodbye() {
        linksById.values().forEach(UcxLink::sayGoodbye);
        long deadline = System.nanoTime() + FRESH_LINKS_NANOS;
        do {
            for (int i = 0; i < MAX_POLLS; i++) {
                poll(null);
            }
        } while ((linksById.values().stream().anyMatch(UcxLink::isFresh) || !endpoints.isEmpty()) &&
                 System.nanoTime() < deadline);
    }

    /** Closing the links has completed, or will complete at once, all operations; their buffers must be released. */
    private void completeOperations() {
        long deadline = System.nanoTime() + 1_000_000_000;
        do {
            poll(null);
        } while (operations.inUse() > 0 && System.nanoTime() < deadline);
        if (operations.inUse() > 0) {
            logger.warn("{} sends were not completed by UCX, their buffers are leaked", operations.inUse());
        }
    }

    /** A channel of ours on this loop. */
    private final class Registration implements IoRegistration {
        private final UcxIoHandle handle;
        private volatile boolean valid = true;

        Registration(UcxIoHandle handle) {
            this.handle = handle;
        }

        @SuppressWarnings("unchecked")
        @Override
        public <T> T attachment() {
            return (T) UcxIoHandler.this;
        }

        @Override
        public long submit(IoOps ops) {
            throw new UnsupportedOperationException("UCX channels have no operations to submit");
        }

        @Override
        public boolean isValid() {
            return valid;
        }

        @Override
        public boolean cancel() {
            synchronized (this) {
                if (!valid) {
                    return false;
                }
                valid = false;
            }
            execute(this::cancelled);
            return true;
        }

        private void cancelled() {
            channels.remove(handle);
            handle.unregistered();
        }
    }
}
