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

#include "netty_ucx_context.h"

#include <stdio.h>
#include <string.h>

#include "netty_ucx_library.h"

ucs_status_t netty_ucx_context_create(const char *settings, int stream, ucp_context_h *context, const char **culprit) {
    ucp_params_t params = {0};
    ucp_config_t *config;
    ucs_status_t status;
    const char *name, *value;

    *culprit = NULL;
    status = netty_ucx_library.ucp_config_read(NULL, NULL, &config);
    if (status != UCS_OK) {
        return status;
    }
    for (name = settings; *name != '\0'; name = value + strlen(value) + 1) {
        value = name + strlen(name) + 1;
        status = netty_ucx_library.ucp_config_modify(config, name, value);
        if (status != UCS_OK) {
            *culprit = name;
            goto release;
        }
    }

    params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED;
    params.features = (stream ? (uint64_t) UCP_FEATURE_STREAM : (uint64_t) UCP_FEATURE_AM) | UCP_FEATURE_WAKEUP;
    params.mt_workers_shared = 1;
    status = netty_ucx_library.ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config, context);

release:
    netty_ucx_library.ucp_config_release(config);
    return status;
}

int netty_ucx_context_describe(ucp_context_h context, char *text, size_t capacity) {
    FILE *stream = fmemopen(text, capacity, "w");
    long length;

    if (stream == NULL) {
        return UCS_ERR_NO_MEMORY;
    }
    netty_ucx_library.ucp_context_print_info(context, stream);
    fflush(stream);
    length = ftell(stream);
    fclose(stream);
    return (int) (length < 0 ? 0 : length);
}
