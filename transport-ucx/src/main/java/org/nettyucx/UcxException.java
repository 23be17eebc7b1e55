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

import java.io.IOException;

/**
 * A UCX call that failed. The message names the call, UCX's status code (a negative {@code ucs_status_t}) and UCX's own
 * text for it.
 */
public final class UcxException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int status;

    UcxException(String call, int status) {
        this(call, status, NativeText.ofStatus(status));
    }

    UcxException(String call, int status, String text) {
        super(call + "(..) failed with status(" + status + "): " + text);
        this.status = status;
    }

    /** UCX's status code, a negative {@code ucs_status_t}. */
    public int status() {
        return status;
    }
}
