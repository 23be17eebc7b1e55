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

# Checks on any machine that the C sources compile for aarch64, where a cross compiler is installed (Debian, Ubuntu:
# gcc-aarch64-linux-gnu). Nothing is linked, so no aarch64 UCX or JDK is needed.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../transport-ucx-native/src/main/c"

cc=aarch64-linux-gnu-gcc
if ! command -v "$cc" >/dev/null; then
    echo "check-aarch64: skipped: no $cc"
    exit 0
fi

java_home=${JAVA_HOME:-}
if [[ -z $java_home ]] && command -v javac >/dev/null; then
    javac=$(readlink -f "$(command -v javac)")
    java_home=${javac%/bin/javac}
fi
if [[ ! -e $java_home/include/jni.h ]]; then
    echo "check-aarch64: no JDK found, set JAVA_HOME" >&2
    exit 1
fi

# -idirafter: UCX's headers are those of the host, but the C library's must be those of the cross compiler.
for file in *.c; do
    "$cc" -fsyntax-only -std=gnu11 -O2 -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes \
        -isystem "$java_home/include" -isystem "$java_home/include/linux" -idirafter /usr/include "$file"
done
echo "check-aarch64: the C sources compile for aarch64"
