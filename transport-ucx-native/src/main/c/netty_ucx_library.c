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

#include "netty_ucx_library.h"

#include <dlfcn.h>
#include <stdio.h>

#include "netty_ucx_environment.h"

netty_ucx_library_t netty_ucx_library;

int netty_ucx_library_open(const char *name, char *error, size_t error_capacity) {
    void *handle;

    netty_ucx_environment_before_load();

    /* RTLD_GLOBAL: UCX opens its transports as modules, and some of them rely on symbols of libuct and libucs without
     * naming these libraries (https://github.com/openucx/ucx/issues/8092). Never closed: UCX cannot be unloaded safely
     * (https://github.com/openucx/ucx/issues/9532). */
    handle = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (handle == NULL) {
        snprintf(error, error_capacity, "%s", dlerror());
        return -1;
    }

#define NETTY_UCX_RESOLVE_FUNCTION(name)                                                \
    netty_ucx_library.name = (__typeof__(netty_ucx_library.name)) dlsym(handle, #name); \
    if (netty_ucx_library.name == NULL) {                                               \
        snprintf(error, error_capacity, "%s", dlerror());                               \
        return -1;                                                                      \
    }
    NETTY_UCX_FUNCTIONS(NETTY_UCX_RESOLVE_FUNCTION)
#undef NETTY_UCX_RESOLVE_FUNCTION

    netty_ucx_environment_after_load(netty_ucx_library_version());
    return 0;
}

int netty_ucx_library_version(void) {
    unsigned major = 0, minor = 0, release = 0;

    netty_ucx_library.ucp_get_version(&major, &minor, &release);
    return (int) ((major << 16) | (minor << 8) | release);
}
