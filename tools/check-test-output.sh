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

# Fails when the output of the tests shows a buffer leak, a JNI error or a finding of a sanitizer.
#
# Netty's leak detector and the JVM's -Xcheck:jni only print what they find, they do not fail the test, so the files
# with the output are searched after the tests: what the tests print is in surefire-reports*/*-output.txt, what the
# JVM prints in surefire-vm-*.log. A sanitizer ends its JVM, which may be a child whose end the test expects; its reports
# are in sanitizer.log.*.
#
# Arguments: target directories and maven.log files; the default is all target directories.
set -euo pipefail

if [[ $# -eq 0 ]]; then
    cd "$(dirname "${BASH_SOURCE[0]}")/.."
    set -- */target
fi

mapfile -d '' files < <(find "$@" -maxdepth 2 -type f \( \
    -path '*/surefire-reports*/*-output.txt' -o -path '*/surefire-reports*/*.dump*' -o -name 'surefire-vm-*.log' \
    -o -name 'sanitizer.log.*' -o -name 'maven.log' \) -print0)
if [[ ${#files[@]} -eq 0 ]]; then
    echo "check-test-output: there is no output of tests"
    exit 0
fi

patterns=(
    -e 'LEAK: '
    -e 'WARNING in native method'
    -e 'FATAL ERROR in native method'
    -e 'A fatal error has been detected by the Java Runtime Environment'
    # -Xcheck:jni: UCX was loaded without UCX_ERROR_SIGNALS= and took signals that the JVM itself needs.
    -e 'handler modified!'
    -e 'ERROR: AddressSanitizer'
    -e 'AddressSanitizer.*CHECK failed'
    -e 'AddressSanitizer:DEADLYSIGNAL'
    # UBSan.
    -e 'runtime error: '
)
# grep: 0 found something, 1 found nothing, anything else is an error of its own.
status=0
grep -nH -A 12 "${patterns[@]}" -- "${files[@]}" >&2 || status=$?
case $status in
0)
    echo "check-test-output: FAILED, see the lines above" >&2
    exit 1
    ;;
1)
    echo "check-test-output: no leaks, JNI errors and sanitizer reports in ${#files[@]} files"
    ;;
*)
    exit "$status"
    ;;
esac
