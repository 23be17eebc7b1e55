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

#include "netty_ucx_socket_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

socklen_t netty_ucx_socket_address_parse(const char *host, int port, struct sockaddr_storage *address) {
    struct sockaddr_in *ipv4 = (struct sockaddr_in *) address;
    struct sockaddr_in6 *ipv6 = (struct sockaddr_in6 *) address;

    memset(address, 0, sizeof(*address));
    if (inet_pton(AF_INET, host, &ipv4->sin_addr) == 1) {
        ipv4->sin_family = AF_INET;
        ipv4->sin_port = htons((uint16_t) port);
        return sizeof(*ipv4);
    }
    if (inet_pton(AF_INET6, host, &ipv6->sin6_addr) == 1) {
        ipv6->sin6_family = AF_INET6;
        ipv6->sin6_port = htons((uint16_t) port);
        return sizeof(*ipv6);
    }
    return 0;
}

int netty_ucx_socket_address_format(const struct sockaddr_storage *address, char *text, size_t capacity) {
    const struct sockaddr_in *ipv4 = (const struct sockaddr_in *) address;
    const struct sockaddr_in6 *ipv6 = (const struct sockaddr_in6 *) address;

    switch (address->ss_family) {
    case AF_INET:
        return inet_ntop(AF_INET, &ipv4->sin_addr, text, (socklen_t) capacity) == NULL ? -1 : ntohs(ipv4->sin_port);
    case AF_INET6:
        return inet_ntop(AF_INET6, &ipv6->sin6_addr, text, (socklen_t) capacity) == NULL ? -1 : ntohs(ipv6->sin6_port);
    default:
        return -1;
    }
}
