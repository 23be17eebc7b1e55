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
package org.nettyucx.info;

/** One line of the doctor: what was looked at, how it is, in plain words, and what to do about it (empty: nothing). */
record Finding(String topic, Verdict verdict, String text, String fix) {
    /** How good it is. */
    enum Verdict { OK, WARN, FAIL }

    static Finding ok(String topic, String text) {
        return new Finding(topic, Verdict.OK, text, "");
    }

    static Finding warn(String topic, String text, String fix) {
        return new Finding(topic, Verdict.WARN, text, fix);
    }

    static Finding fail(String topic, String text, String fix) {
        return new Finding(topic, Verdict.FAIL, text, fix);
    }
}
