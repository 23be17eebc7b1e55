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

# Prints the path of the run-time library of gcc's AddressSanitizer, as the Maven profile "asan" wants it:
# mvn verify -Dtest.asan.runtime="$(tools/asan-runtime.sh)". Where it cannot be used it says why not and fails.
set -euo pipefail

unusable() {
    echo "asan-runtime: no tests under AddressSanitizer: $*" >&2
    exit 1
}

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
echo 'int main(void) { return 0; }' >"$directory/probe.c"
gcc -fsanitize=address,undefined -o "$directory/probe" "$directory/probe.c" 2>"$directory/errors" ||
    unusable "gcc cannot build for it: $(tail -n 1 "$directory/errors")"
# Not gcc -print-file-name=libasan.so, which is a text for the linker on some systems.
runtime=$(ldd "$directory/probe" | sed -n 's/^[[:space:]]*libasan\.so[.0-9]* => \(\/[^ ]*\) .*/\1/p')
[[ -n $runtime ]] || unusable "gcc links it statically"

# Before gcc 14 it used addresses at which the kernel then places some programs, which end at once, but not every time.
version=$(gcc -dumpversion)
bits=$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0)
fixed_addresses=$((0x$(cat /proc/self/personality 2>/dev/null || echo 0) & 0x40000))
if [[ $(uname -m) == x86_64 && ${version%%.*} -lt 14 && $bits -gt 28 && $fixed_addresses -eq 0 ]]; then
    unusable "gcc $version has trouble with vm.mmap_rnd_bits=$bits; setarch -R ./run test helps"
fi
ASAN_OPTIONS=detect_leaks=0 "$directory/probe" 2>"$directory/errors" ||
    unusable "programs do not start with it: $(head -n 1 "$directory/errors")"
echo "$runtime"
