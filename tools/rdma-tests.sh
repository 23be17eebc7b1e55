#!/usr/bin/env bash
# Copyright 2026 The netty-ucx Authors
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at:
#
#   https://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
# on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
# the specific language governing permissions and limitations under the License.

# Runs tests over RDMA only: tools/rdma-tests.sh TRANSPORTS [SELECTOR...]. To be started by tools/rdma-vm.sh, after
# "./run test --rdma" has compiled everything.
#
# TRANSPORTS is rc_v (reliable connections, made with the help of datagrams) or ud_v (datagrams). Selectors are those of
# JUnit's console launcher, for example "-c org.nettyucx.EchoTest"; the default is a choice that takes three to four
# minutes on the emulated machine.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../transport-ucx-native/target"
export UCX_TLS=$1,self UCX_NET_DEVICES=rxe0:1 NETTY_UCX_RDMA_DEVICE=rxe0
shift
[[ $# -gt 0 ]] || set -- -corg.nettyucx.RdmaTest -corg.nettyucx.EchoTest -corg.nettyucx.CloseTest \
    -corg.nettyucx.BackPressureTest -corg.nettyucx.AllowedTransportsTest \
    -morg.nettyucx.KillTest#clientKilledBeforeItsHelloIsRead \
    '-imethod:org.nettyucx.KillTest#clientKilledInTheHandshake(java.lang.String, boolean)[2]' \
    '-imethod:org.nettyucx.KillTest#clientKilled(org.nettyucx.Survivor$Activity, boolean)[0]' \
    '-imethod:org.nettyucx.KillTest#serverKilled(org.nettyucx.Survivor$Activity, boolean)[3]'

exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -ea -Xcheck:jni \
    --enable-native-access=ALL-UNNAMED -Dio.netty.leakDetection.level=paranoid \
    -Dorg.nettyucx.test.timeoutSeconds=90 -Dorg.nettyucx.test.libraryDir="$PWD/native-lib/META-INF/native" \
    -cp "test-classes:classes:native-lib:../../transport-ucx/target/classes:rdma-lib/*" \
    org.junit.platform.console.ConsoleLauncher execute --disable-banner --disable-ansi-colors --details=tree \
    --details-theme=ascii --config=junit.jupiter.execution.timeout.default=120s \
    --config=junit.jupiter.execution.timeout.threaddump.enabled=true "$@"
