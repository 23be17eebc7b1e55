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

# Fails when a C source is not formatted as .clang-format says. With --fix it formats the sources in place.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

clang_format=${CLANG_FORMAT:-clang-format}
if ! command -v "$clang_format" >/dev/null; then
    echo "check-format: $clang_format was not found: install the package clang-format," >&2
    echo "check-format: name another binary in CLANG_FORMAT, or leave the check out with mvn -DskipFormat" >&2
    exit 1
fi

mapfile -d '' files < <(find transport-ucx-native/src -type f \( -name '*.c' -o -name '*.h' \) -print0 | sort -z)
if [[ ${#files[@]} -eq 0 ]]; then
    echo "check-format: no C sources found" >&2
    exit 1
fi

if [[ ${1:-} == --fix ]]; then
    exec "$clang_format" -i --style=file "${files[@]}"
fi
if ! "$clang_format" --dry-run -Werror --style=file "${files[@]}"; then
    echo "check-format: run tools/check-format.sh --fix" >&2
    exit 1
fi
