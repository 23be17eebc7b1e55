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
package org.nettyucx.testsuite.cassandra;

import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.session.ProgrammaticArguments;
import com.datastax.oss.driver.internal.core.context.DefaultDriverContext;
import com.datastax.oss.driver.internal.core.context.DefaultNettyOptions;
import com.datastax.oss.driver.internal.core.context.NettyOptions;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import org.nettyucx.UcxEventLoopGroup;
import org.nettyucx.UcxSocketChannel;

/** What it takes to let the Cassandra driver use UCX. Whoever has made the event loops ends them. */
final class UcxSessionBuilder extends CqlSessionBuilder {
    private final UcxEventLoopGroup loops;

    UcxSessionBuilder(UcxEventLoopGroup loops) {
        this.loops = loops;
    }

    @Override
    protected DriverContext buildContext(DriverConfigLoader config, ProgrammaticArguments arguments) {
        return new DefaultDriverContext(config, arguments) {
            @Override
            protected NettyOptions buildNettyOptions() {
                return new DefaultNettyOptions(this) {
                    @Override
                    public EventLoopGroup ioEventLoopGroup() {
                        return loops;
                    }

                    @Override
                    public Class<? extends Channel> channelClass() {
                        return UcxSocketChannel.class;
                    }
                };
            }
        };
    }
}
