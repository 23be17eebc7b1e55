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

/* Socket addresses as text, as Java hands them over: a numeric IPv4 or IPv6 address and a port. */
#ifndef NETTY_UCX_SOCKET_ADDRESS_H_
#define NETTY_UCX_SOCKET_ADDRESS_H_

#include <stddef.h>
#include <sys/socket.h>

/* Returns the length of the address that was written, or 0 if host is no numeric address. */
socklen_t netty_ucx_socket_address_parse(const char *host, int port, struct sockaddr_storage *address);

/* Writes the host to text; returns the port, or a negative number if it is no IP address. */
int netty_ucx_socket_address_format(const struct sockaddr_storage *address, char *text, size_t capacity);

#endif
