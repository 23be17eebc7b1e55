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

/* A UCX program that knows nothing of Netty: one connection of UCX's stream, made by UCX's connection manager.
 *
 *   stream_peer server|client PORT echo|sink|source|chat BYTES
 *
 * echo: sends back what comes, until so many bytes went back. sink: takes so many bytes. source: sends so many bytes.
 * chat: sends so many and takes as many at the same time. What is sent and expected is org.nettyucx.TestBytes. Then it
 * waits for a line on standard input: "close" (UCX's FLUSH mode), "force" or "exit" (without a word to the peer). It
 * prints "port N", "connected", "done N" and "failed STATUS" when the peer goes away. */

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>
#include <unistd.h>

#define PIECE (256 * 1024)
/* Nothing that works takes so long. */
#define LIFE_SECONDS 50

static ucp_worker_h worker;
static ucp_conn_request_h connection_request;
static ucs_status_t failure = UCS_OK;

static void die(const char *what, ucs_status_t status) {
    printf("error %s: %s\n", what, ucs_status_string(status));
    fflush(stdout);
    exit(2);
}

static void check(const char *what, ucs_status_t status) {
    if (status != UCS_OK) {
        die(what, status);
    }
}

static char byte_at(uint64_t offset) {
    uint64_t mixed = (offset >> 3) * 0x9e3779b97f4a7c15ULL;

    mixed ^= mixed >> 29;
    return (char) (mixed >> ((offset & 7) << 3));
}

static void say(const char *word, uint64_t number) {
    printf("%s %llu\n", word, (unsigned long long) number);
    fflush(stdout);
}

static void create_worker(void) {
    ucp_params_t params = {0};
    ucp_worker_params_t worker_params = {0};
    ucp_context_h context;

    params.field_mask = UCP_PARAM_FIELD_FEATURES;
    params.features = UCP_FEATURE_STREAM;
    check("ucp_init", ucp_init(&params, NULL, &context));
    worker_params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    worker_params.thread_mode = UCS_THREAD_MODE_SINGLE;
    check("ucp_worker_create", ucp_worker_create(context, &worker_params, &worker));
}

static void requested(ucp_conn_request_h request, void *argument) {
    (void) argument;
    connection_request = request;
}

static void failed(void *argument, ucp_ep_h endpoint, ucs_status_t status) {
    (void) argument;
    (void) endpoint;
    failure = status;
}

static ucp_ep_h create_endpoint(ucp_ep_params_t *params) {
    ucp_ep_h endpoint;

    params->field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLER | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE;
    params->err_handler.cb = failed;
    params->err_mode = UCP_ERR_HANDLING_MODE_PEER;
    check("ucp_ep_create", ucp_ep_create(worker, params, &endpoint));
    return endpoint;
}

static struct sockaddr_in loopback(int port) {
    struct sockaddr_in address = {0};

    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t) port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static ucp_ep_h accept_one(int port) {
    struct sockaddr_in address = loopback(port);
    ucp_listener_params_t params = {0};
    ucp_listener_attr_t attributes;
    ucp_ep_params_t endpoint_params = {0};
    ucp_listener_h listener;

    params.field_mask = UCP_LISTENER_PARAM_FIELD_SOCK_ADDR | UCP_LISTENER_PARAM_FIELD_CONN_HANDLER;
    params.sockaddr.addr = (const struct sockaddr *) &address;
    params.sockaddr.addrlen = sizeof(address);
    params.conn_handler.cb = requested;
    check("ucp_listener_create", ucp_listener_create(worker, &params, &listener));
    attributes.field_mask = UCP_LISTENER_ATTR_FIELD_SOCKADDR;
    check("ucp_listener_query", ucp_listener_query(listener, &attributes));
    say("port", ntohs(((struct sockaddr_in *) &attributes.sockaddr)->sin_port));
    while (connection_request == NULL) {
        ucp_worker_progress(worker);
    }
    endpoint_params.field_mask = UCP_EP_PARAM_FIELD_CONN_REQUEST;
    endpoint_params.conn_request = connection_request;
    return create_endpoint(&endpoint_params);
}

static ucp_ep_h connect_to(int port) {
    struct sockaddr_in address = loopback(port);
    ucp_ep_params_t params = {0};

    params.field_mask = UCP_EP_PARAM_FIELD_SOCK_ADDR | UCP_EP_PARAM_FIELD_FLAGS;
    params.flags = UCP_EP_PARAMS_FLAGS_CLIENT_SERVER;
    params.sockaddr.addr = (const struct sockaddr *) &address;
    params.sockaddr.addrlen = sizeof(address);
    return create_endpoint(&params);
}

/* Waits for a request of UCX; 0 if it failed. */
static int await(const char *what, ucs_status_ptr_t request) {
    ucs_status_t status;

    if (UCS_PTR_IS_PTR(request)) {
        while ((status = ucp_request_check_status(request)) == UCS_INPROGRESS) {
            ucp_worker_progress(worker);
        }
        ucp_request_free(request);
    } else {
        status = UCS_PTR_STATUS(request);
    }
    if (status != UCS_OK && failure == UCS_OK) {
        die(what, status);
    }
    return status == UCS_OK;
}

static void flush_endpoint(ucp_ep_h endpoint) {
    ucp_request_param_t param = {0};

    await("ucp_ep_flush_nbx", ucp_ep_flush_nbx(endpoint, &param));
}

typedef struct transfer {
    ucp_ep_h endpoint;
    uint64_t to_send;
    uint64_t sent;
    uint64_t to_receive;
    uint64_t received;
    int echo;
    ucs_status_ptr_t sending;
    char out[PIECE];
} transfer_t;

static void receive(transfer_t *transfer) {
    size_t length, i;
    void *data;

    /* An echo takes no more than it has room to send. */
    while (!(transfer->echo && (transfer->sending != NULL || transfer->received != transfer->sent)) &&
           UCS_PTR_IS_PTR(data = ucp_stream_recv_data_nb(transfer->endpoint, &length))) {
        for (i = 0; i < length; i++) {
            if (((char *) data)[i] != byte_at(transfer->received + i)) {
                say("mismatch", transfer->received + i);
                exit(3);
            }
        }
        transfer->received += length;
        ucp_stream_data_release(transfer->endpoint, data);
    }
}

static void send_more(transfer_t *transfer) {
    uint64_t limit = transfer->echo ? transfer->received : transfer->to_send;
    ucp_request_param_t param = {0};
    uint64_t length, i;

    if (transfer->sending != NULL) {
        if (ucp_request_check_status(transfer->sending) == UCS_INPROGRESS) {
            return;
        }
        ucp_request_free(transfer->sending);
        transfer->sending = NULL;
    }
    if (transfer->sent == limit) {
        return;
    }
    length = limit - transfer->sent < PIECE ? limit - transfer->sent : PIECE;
    for (i = 0; i < length; i++) {
        transfer->out[i] = byte_at(transfer->sent + i);
    }
    transfer->sending = ucp_stream_send_nbx(transfer->endpoint, transfer->out, length, &param);
    if (UCS_PTR_IS_ERR(transfer->sending)) {
        die("ucp_stream_send_nbx", UCS_PTR_STATUS(transfer->sending));
    }
    transfer->sent += length;
}

static void run(transfer_t *transfer) {
    while ((transfer->sent < transfer->to_send || transfer->received < transfer->to_receive ||
            transfer->sending != NULL) &&
           failure == UCS_OK) {
        ucp_worker_progress(worker);
        receive(transfer);
        send_more(transfer);
    }
}

/* Makes progress until a line comes; says when the peer goes away meanwhile. */
static void await_command(transfer_t *transfer, char *line, size_t capacity) {
    struct pollfd input = {STDIN_FILENO, POLLIN, 0};
    int told = 0;

    while (poll(&input, 1, 0) == 0) {
        ucp_worker_progress(worker);
        receive(transfer);
        if (failure != UCS_OK && !told) {
            printf("failed %s\n", ucs_status_string(failure));
            fflush(stdout);
            told = 1;
        }
    }
    if (fgets(line, (int) capacity, stdin) == NULL) {
        exit(1);
    }
}

int main(int argc, char **argv) {
    static transfer_t transfer;
    ucp_request_param_t close_param = {0};
    uint64_t bytes;
    char line[64];

    if (argc != 5) {
        fprintf(stderr, "Usage: stream_peer server|client PORT echo|sink|source|chat BYTES\n");
        return 2;
    }
    alarm(LIFE_SECONDS);
    bytes = strtoull(argv[4], NULL, 10);
    create_worker();
    transfer.endpoint = strcmp(argv[1], "server") == 0 ? accept_one(atoi(argv[2])) : connect_to(atoi(argv[2]));
    flush_endpoint(transfer.endpoint);
    say("connected", 1);
    transfer.echo = strcmp(argv[3], "echo") == 0;
    transfer.to_send = strcmp(argv[3], "sink") == 0 ? 0 : bytes;
    transfer.to_receive = strcmp(argv[3], "source") == 0 ? 0 : bytes;
    run(&transfer);
    if (failure == UCS_OK) {
        flush_endpoint(transfer.endpoint);
    }
    say("done", transfer.to_receive > 0 ? transfer.received : transfer.sent);
    await_command(&transfer, line, sizeof(line));
    if (strncmp(line, "exit", 4) == 0) {
        _exit(0);
    }
    close_param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    close_param.flags = strncmp(line, "force", 5) == 0 ? UCP_EP_CLOSE_FLAG_FORCE : 0;
    await("ucp_ep_close_nbx", ucp_ep_close_nbx(transfer.endpoint, &close_param));
    say("closed", 1);
    return 0;
}
