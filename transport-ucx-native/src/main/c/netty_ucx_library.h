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

/* libucp, opened at run time: a missing or broken library is an answer to the caller, never a failed load of ours. */
#ifndef NETTY_UCX_LIBRARY_H_
#define NETTY_UCX_LIBRARY_H_

#include <stddef.h>
#include <ucp/api/ucp.h>

/* Every function of libucp (and libucs, which it depends on) that this library calls. */
#define NETTY_UCX_FUNCTIONS(function)                                                                              \
    function(ucp_get_version) function(ucp_config_read) function(ucp_config_modify) function(ucp_config_release)   \
        function(ucp_context_print_info) function(ucp_init_version) function(ucp_worker_create)                    \
            function(ucp_worker_destroy) function(ucp_worker_flush_nbx) function(ucp_worker_get_address)           \
                function(ucp_worker_release_address) function(ucp_worker_get_efd) function(ucp_worker_arm)         \
                    function(ucp_worker_progress) function(ucp_worker_set_am_recv_handler) function(ucp_ep_create) \
                        function(ucp_ep_close_nbx) function(ucp_ep_print_info) function(ucp_ep_query)              \
                            function(ucp_am_send_nbx) function(ucp_am_recv_data_nbx) function(ucp_am_data_release) \
                                function(ucp_request_free) function(ucs_status_string) function(ucp_ep_flush_nbx)  \
                                    function(ucp_stream_send_nbx) function(ucp_stream_recv_nbx)                    \
                                        function(ucp_listener_create) function(ucp_listener_query)                 \
                                            function(ucp_listener_reject) function(ucp_listener_destroy)           \
                                                function(ucp_conn_request_query) function(ucp_mem_map)             \
                                                    function(ucp_mem_unmap)

typedef struct netty_ucx_library {
#define NETTY_UCX_DECLARE_FUNCTION(name) __typeof__(name) *name;
    NETTY_UCX_FUNCTIONS(NETTY_UCX_DECLARE_FUNCTION)
#undef NETTY_UCX_DECLARE_FUNCTION
} netty_ucx_library_t;

/* Filled by netty_ucx_library_open(); nothing else may be called before it returned 0. */
extern netty_ucx_library_t netty_ucx_library;

/* Sets UCX's environment defaults, then opens the library. Returns 0, or -1 with the reason in error. */
int netty_ucx_library_open(const char *name, char *error, size_t error_capacity);

/* The first release of that version, to compare netty_ucx_library_version() with. */
#define NETTY_UCX_VERSION(major, minor) (((major) << 16) | ((minor) << 8))

/* UCX's version as major << 16 | minor << 8 | release. */
int netty_ucx_library_version(void);

#endif
