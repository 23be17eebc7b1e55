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

#ifndef NETTY_UCX_CONTEXT_H_
#define NETTY_UCX_CONTEXT_H_

#include <stddef.h>
#include <ucp/api/ucp.h>

/* settings: name and value pairs, each NUL terminated, ended by an empty name. stream: for UCX's stream, else for
 * active messages; not for both, as UCX chooses other lanes then than a peer that has only one of them, and cannot
 * connect. On failure *culprit is the name of the setting that UCX refused, or NULL. */
ucs_status_t netty_ucx_context_create(const char *settings, int stream, ucp_context_h *context, const char **culprit);

/* Writes what ucp_context_print_info prints; returns its length or a negative status. */
int netty_ucx_context_describe(ucp_context_h context, char *text, size_t capacity);

#endif
