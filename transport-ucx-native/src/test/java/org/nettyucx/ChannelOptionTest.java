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

import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannelConfig;
import io.netty.channel.socket.nio.NioChannelOption;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** docs/options.md: what acts on the TCP connection, what on the channel, and what is only kept. */
@Tag("once")
class ChannelOptionTest {
    private final TestPeers peers = new TestPeers();

    @AfterEach
    void tearDown() {
        peers.close();
    }

    private static EpollSocketChannelConfig tcp(UcxSocketChannel channel) {
        return (EpollSocketChannelConfig) ((BootstrapWire) channel.wire()).tcp().config();
    }

    private static ChannelOption<Integer> ofIoUring(String name) {
        return ChannelOption.valueOf("io.netty.channel.uring.IoUringChannelOption#" + name);
    }

    @Test
    void optionsOfTheTcpConnection() throws Exception {
        peers.option(ChannelOption.SO_KEEPALIVE, true).option(ChannelOption.IP_TOS, 0x10)
                .option(EpollChannelOption.TCP_USER_TIMEOUT, 12_345).option(EpollChannelOption.TCP_KEEPIDLE, 67)
                .option(EpollChannelOption.TCP_KEEPINTVL, 8).option(EpollChannelOption.TCP_KEEPCNT, 3);
        peers.listen(ReceivedBytes::new);
        UcxSocketChannel client = peers.connect(new ReceivedBytes());
        for (UcxSocketChannel channel : new UcxSocketChannel[] {client, peers.accepted()}) {
            assertTrue(tcp(channel).isKeepAlive());
            assertEquals(0x10, tcp(channel).getTrafficClass());
            assertEquals(12_345, tcp(channel).getTcpUserTimeout());
            assertEquals(67, tcp(channel).getTcpKeepIdle());
            assertEquals(8, tcp(channel).getTcpKeepIntvl());
            assertEquals(3, tcp(channel).getTcpKeepCnt());
            assertEquals(67, channel.config().getOption(EpollChannelOption.TCP_KEEPIDLE));
            assertEquals(67, channel.config().getOptions().get(EpollChannelOption.TCP_KEEPIDLE));
        }
    }

    @Test
    void optionsOfTheTcpServer() {
        peers.serverBootstrap.option(ChannelOption.SO_BACKLOG, 77).option(ChannelOption.SO_REUSEADDR, false)
                .option(EpollChannelOption.SO_REUSEPORT, true);
        peers.listen(ReceivedBytes::new);
        assertEquals(77, peers.server().config().getBacklog());
        assertFalse(peers.server().config().isReuseAddress());
        assertEquals(true, peers.server().config().getOption(EpollChannelOption.SO_REUSEPORT));
        TestPeers second = new TestPeers();
        second.serverBootstrap.option(EpollChannelOption.SO_REUSEPORT, true)
                .childHandler(new ReceivedBytes()).group(second.serverGroup);
        assertTrue(second.serverBootstrap.bind(peers.address()).awaitUninterruptibly().isSuccess());
        second.close();
    }

    @Test
    void optionsOfOtherTransportsThatMeanOneOfOurs() {
        UcxSocketChannel channel = new UcxSocketChannel();
        UcxSocketChannelConfig config = channel.config();
        set(config, StandardSocketOptions.SO_KEEPALIVE, true);
        set(config, StandardSocketOptions.TCP_NODELAY, false);
        set(config, StandardSocketOptions.SO_LINGER, 7);
        set(config, StandardSocketOptions.SO_RCVBUF, 123_456);
        set(config, ExtendedSocketOptions.TCP_KEEPIDLE, 21);
        set(config, ExtendedSocketOptions.TCP_KEEPINTERVAL, 22);
        set(config, ExtendedSocketOptions.TCP_KEEPCOUNT, 23);
        assertTrue(config.setOption(ofIoUring("TCP_USER_TIMEOUT"), 24_000));
        assertTrue(tcp(channel).isKeepAlive());
        assertFalse(config.isTcpNoDelay());
        assertEquals(7, config.getSoLinger());
        assertEquals(123_456, config.getReceiveBufferSize());
        assertEquals(21, tcp(channel).getTcpKeepIdle());
        assertEquals(22, tcp(channel).getTcpKeepIntvl());
        assertEquals(23, tcp(channel).getTcpKeepCnt());
        assertEquals(24_000, tcp(channel).getTcpUserTimeout());
        channel.unsafe().closeForcibly();
    }

    private static <T> void set(UcxSocketChannelConfig config, SocketOption<T> option, T value) {
        assertTrue(config.setOption(NioChannelOption.of(option), value), option.name());
        assertEquals(value, config.getOption(NioChannelOption.of(option)));
    }

    @Test
    void optionsThatAreOnlyKept() {
        UcxSocketChannel channel = new UcxSocketChannel();
        UcxSocketChannelConfig config = channel.config();
        assertNull(config.getOption(EpollChannelOption.TCP_CORK));
        keep(config, ChannelOption.SO_TIMEOUT, 5);
        keep(config, ChannelOption.TCP_FASTOPEN_CONNECT, true);
        keep(config, EpollChannelOption.TCP_CORK, true);
        keep(config, EpollChannelOption.TCP_QUICKACK, true);
        keep(config, EpollChannelOption.TCP_NOTSENT_LOWAT, 1L);
        keep(config, ofIoUring("IO_URING_BUFFER_GROUP_ID"), 1);
        keep(config, NioChannelOption.of(ExtendedSocketOptions.TCP_QUICKACK), true);
        channel.unsafe().closeForcibly();
        UcxServerSocketChannel server = new UcxServerSocketChannel();
        assertTrue(server.config().setOption(ChannelOption.TCP_FASTOPEN, 5));
        assertEquals(5, server.config().getOption(ChannelOption.TCP_FASTOPEN));
        assertTrue(server.config().setOption(NioChannelOption.of(StandardSocketOptions.SO_REUSEADDR), false));
        assertFalse(server.config().isReuseAddress());
        server.unsafe().closeForcibly();
    }

    private static <T> void keep(UcxSocketChannelConfig config, ChannelOption<T> option, T value) {
        assertTrue(config.setOption(option, value), option.name());
        assertEquals(value, config.getOption(option), option.name());
        assertEquals(value, config.getOptions().get(option), option.name());
    }

    /** An option of another transport, whatever its value, is no reason to throw: that would close the channel. */
    @ParameterizedTest
    @ValueSource(strings = {"SO_LINGER", "SO_KEEPALIVE", "TCP_KEEPIDLE", "NO_SUCH_OPTION"})
    void valuesOfAnotherType(String name) {
        UcxSocketChannel channel = new UcxSocketChannel();
        ChannelOption<Object> foreign = ChannelOption.valueOf("io.netty.channel.other.OtherChannelOption#" + name);
        assertTrue(channel.config().setOption(foreign, "text"));
        channel.unsafe().closeForcibly();
    }

    /** Netty then warns that the option is unknown. */
    @Test
    void optionsOfNobody() {
        UcxSocketChannel channel = new UcxSocketChannel();
        assertFalse(channel.config().setOption(ChannelOption.valueOf("org.example.Mine#OPTION"), 1));
        assertNull(channel.config().getOption(ChannelOption.valueOf("org.example.Mine#OPTION")));
        assertFalse(channel.config().setOption(UcxChannelOption.MAX_PENDING_HANDSHAKES, 1));
        channel.unsafe().closeForcibly();
    }

    /** A connect timeout is the channel's own and covers the handshake; the inner connection has none. */
    @Test
    void connectTimeout() {
        UcxSocketChannel channel = new UcxSocketChannel();
        channel.config().setConnectTimeoutMillis((int) TimeUnit.SECONDS.toMillis(3));
        assertEquals(3000, channel.config().getOption(ChannelOption.CONNECT_TIMEOUT_MILLIS));
        assertEquals(0, tcp(channel).getConnectTimeoutMillis());
        channel.unsafe().closeForcibly();
    }
}
