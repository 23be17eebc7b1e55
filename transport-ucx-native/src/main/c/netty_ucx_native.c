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

/* The methods of org.nettyucx.Native: nothing but primitives and addresses crosses here, and UCX's callbacks never call
 * into Java. A handle is an address (positive), a failure is UCX's negative status. */

#include <jni.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "netty_ucx_active_message.h"
#include "netty_ucx_context.h"
#include "netty_ucx_endpoint.h"
#include "netty_ucx_library.h"
#include "netty_ucx_listener.h"
#include "netty_ucx_socket_address.h"
#include "netty_ucx_stream.h"
#include "netty_ucx_worker.h"

#define NATIVE_CLASS "org/nettyucx/Native"

#define POINTER(value) ((void *) (uintptr_t) (value))
#define ADDRESS(value) ((jlong) (uintptr_t) (value))

static jint netty_ucx_native_open(JNIEnv *env, jclass clazz, jlong name, jlong error, jint error_capacity) {
    (void) env;
    (void) clazz;
    return netty_ucx_library_open(POINTER(name), POINTER(error), (size_t) error_capacity);
}

static jint netty_ucx_native_version(JNIEnv *env, jclass clazz) {
    (void) env;
    (void) clazz;
    return netty_ucx_library_version();
}

static jint netty_ucx_native_statusText(JNIEnv *env, jclass clazz, jint status, jlong text, jint capacity) {
    int length = snprintf(POINTER(text), (size_t) capacity, "%s", netty_ucx_library.ucs_status_string(status));

    (void) env;
    (void) clazz;
    return length < capacity ? length : capacity - 1;
}

static jlong netty_ucx_native_contextCreate(JNIEnv *env, jclass clazz, jlong settings, jboolean stream, jlong culprit,
                                            jint capacity) {
    ucp_context_h context;
    const char *refused;
    ucs_status_t status = netty_ucx_context_create(POINTER(settings), stream == JNI_TRUE, &context, &refused);

    (void) env;
    (void) clazz;
    snprintf(POINTER(culprit), (size_t) capacity, "%s", refused == NULL ? "" : refused);
    return status == UCS_OK ? ADDRESS(context) : status;
}

static jint netty_ucx_native_contextDescribe(JNIEnv *env, jclass clazz, jlong context, jlong text, jint capacity) {
    (void) env;
    (void) clazz;
    return netty_ucx_context_describe(POINTER(context), POINTER(text), (size_t) capacity);
}

static jlong netty_ucx_native_workerCreate(JNIEnv *env, jclass clazz, jlong context, jboolean stream) {
    netty_ucx_worker_t *worker;
    ucs_status_t status = netty_ucx_worker_create(POINTER(context), stream == JNI_TRUE, &worker);

    (void) env;
    (void) clazz;
    return status == UCS_OK ? ADDRESS(worker) : status;
}

static jint netty_ucx_native_workerDestroy(JNIEnv *env, jclass clazz, jlong worker) {
    (void) env;
    (void) clazz;
    return netty_ucx_worker_destroy(POINTER(worker));
}

static jint netty_ucx_native_workerEventFd(JNIEnv *env, jclass clazz, jlong worker) {
    (void) env;
    (void) clazz;
    return ((netty_ucx_worker_t *) POINTER(worker))->event_fd;
}

static jint netty_ucx_native_workerAddress(JNIEnv *env, jclass clazz, jlong handle, jlong address, jint capacity) {
    netty_ucx_worker_t *worker = POINTER(handle);

    (void) env;
    (void) clazz;
    if (worker->address_length > (size_t) capacity) {
        return UCS_ERR_BUFFER_TOO_SMALL;
    }
    memcpy(POINTER(address), worker->address, worker->address_length);
    return (jint) worker->address_length;
}

static jint netty_ucx_native_workerPoll(JNIEnv *env, jclass clazz, jlong worker, jint max_progress, jlong records,
                                        jint max_records) {
    (void) env;
    (void) clazz;
    return netty_ucx_worker_poll(POINTER(worker), max_progress, POINTER(records), max_records);
}

static jint netty_ucx_native_workerArm(JNIEnv *env, jclass clazz, jlong worker) {
    (void) env;
    (void) clazz;
    return netty_ucx_worker_arm(POINTER(worker));
}

static jlong netty_ucx_native_channelOpen(JNIEnv *env, jclass clazz, jlong worker, jlong random, jlong window) {
    (void) env;
    (void) clazz;
    return (jlong) netty_ucx_channel_table_add(&((netty_ucx_worker_t *) POINTER(worker))->channels, (uint64_t) random,
                                               (uint64_t) window);
}

static void netty_ucx_native_channelGrant(JNIEnv *env, jclass clazz, jlong worker, jlong channel, jlong granted) {
    netty_ucx_channel_t *found =
        netty_ucx_channel_table_find(&((netty_ucx_worker_t *) POINTER(worker))->channels, (uint64_t) channel);

    (void) env;
    (void) clazz;
    if (found != NULL) {
        found->granted = (uint64_t) granted;
    }
}

static void netty_ucx_native_channelClose(JNIEnv *env, jclass clazz, jlong worker, jlong channel) {
    (void) env;
    (void) clazz;
    netty_ucx_channel_table_remove(&((netty_ucx_worker_t *) POINTER(worker))->channels, (uint64_t) channel);
}

static jlong netty_ucx_native_endpointCreate(JNIEnv *env, jclass clazz, jlong worker, jlong address, jlong link) {
    netty_ucx_endpoint_t *endpoint;
    ucs_status_t status = netty_ucx_endpoint_create(POINTER(worker), POINTER(address), (uint64_t) link, &endpoint);

    (void) env;
    (void) clazz;
    return status == UCS_OK ? ADDRESS(endpoint) : status;
}

static void netty_ucx_native_endpointClose(JNIEnv *env, jclass clazz, jlong endpoint) {
    (void) env;
    (void) clazz;
    netty_ucx_endpoint_close(POINTER(endpoint));
}

static jint netty_ucx_native_endpointTransports(JNIEnv *env, jclass clazz, jlong endpoint, jlong text, jint capacity) {
    (void) env;
    (void) clazz;
    return netty_ucx_endpoint_transports(POINTER(endpoint), POINTER(text), (size_t) capacity);
}

static jint netty_ucx_native_send(JNIEnv *env, jclass clazz, jlong endpoint, jint type, jlong channel, jlong value,
                                  jlong iov, jint iov_count, jlong operation) {
    (void) env;
    (void) clazz;
    return netty_ucx_active_message_send(POINTER(endpoint), (uint32_t) type, (uint64_t) channel, (uint64_t) value,
                                         POINTER(iov), iov_count, (uint64_t) operation);
}

static jlong netty_ucx_native_endpointConnect(JNIEnv *env, jclass clazz, jlong worker, jlong host, jint port,
                                              jlong local_host, jint local_port, jlong link, jlong name,
                                              jboolean send_client_id) {
    struct sockaddr_storage remote, local;
    socklen_t remote_length = netty_ucx_socket_address_parse(POINTER(host), port, &remote);
    socklen_t local_length =
        local_host == 0 ? 0 : netty_ucx_socket_address_parse(POINTER(local_host), local_port, &local);
    netty_ucx_endpoint_t *endpoint;
    ucs_status_t status;

    (void) env;
    (void) clazz;
    if (remote_length == 0 || (local_host != 0 && local_length == 0)) {
        return UCS_ERR_INVALID_ADDR;
    }
    status =
        netty_ucx_endpoint_connect(POINTER(worker), &remote, remote_length, local_host == 0 ? NULL : &local,
                                   local_length, (uint64_t) link, POINTER(name), send_client_id == JNI_TRUE, &endpoint);
    return status == UCS_OK ? ADDRESS(endpoint) : status;
}

static jlong netty_ucx_native_endpointAccept(JNIEnv *env, jclass clazz, jlong worker, jlong request, jlong link,
                                             jlong name) {
    netty_ucx_endpoint_t *endpoint;
    ucs_status_t status =
        netty_ucx_endpoint_accept(POINTER(worker), POINTER(request), (uint64_t) link, POINTER(name), &endpoint);

    (void) env;
    (void) clazz;
    return status == UCS_OK ? ADDRESS(endpoint) : status;
}

static jlong netty_ucx_native_endpointHandle(JNIEnv *env, jclass clazz, jlong endpoint) {
    (void) env;
    (void) clazz;
    return ADDRESS(((netty_ucx_endpoint_t *) POINTER(endpoint))->ucp_ep);
}

static jint netty_ucx_native_endpointFlush(JNIEnv *env, jclass clazz, jlong endpoint) {
    (void) env;
    (void) clazz;
    return netty_ucx_endpoint_flush(POINTER(endpoint));
}

static jint netty_ucx_native_endpointAddress(JNIEnv *env, jclass clazz, jlong endpoint, jboolean remote, jlong text,
                                             jint capacity) {
    struct sockaddr_storage local_address, remote_address;
    ucs_status_t status = netty_ucx_endpoint_addresses(POINTER(endpoint), &local_address, &remote_address);

    (void) env;
    (void) clazz;
    return status != UCS_OK ? status
                            : netty_ucx_socket_address_format(remote == JNI_TRUE ? &remote_address : &local_address,
                                                              POINTER(text), (size_t) capacity);
}

static jint netty_ucx_native_sendControl(JNIEnv *env, jclass clazz, jlong endpoint, jlong channel, jlong sender,
                                         jlong data, jint length) {
    (void) env;
    (void) clazz;
    return netty_ucx_active_message_send_control(POINTER(endpoint), (uint64_t) channel, (uint64_t) sender,
                                                 POINTER(data), (size_t) length);
}

static jint netty_ucx_native_streamReceive(JNIEnv *env, jclass clazz, jlong endpoint, jlong channel, jlong granted) {
    (void) env;
    (void) clazz;
    return netty_ucx_stream_receive(POINTER(endpoint), (uint64_t) channel, (uint64_t) granted);
}

static void netty_ucx_native_streamGrant(JNIEnv *env, jclass clazz, jlong endpoint, jlong granted) {
    (void) env;
    (void) clazz;
    netty_ucx_stream_grant(POINTER(endpoint), (uint64_t) granted);
}

static jint netty_ucx_native_streamSend(JNIEnv *env, jclass clazz, jlong endpoint, jlong iov, jint iov_count,
                                        jlong operation) {
    (void) env;
    (void) clazz;
    return netty_ucx_stream_send(POINTER(endpoint), POINTER(iov), iov_count, (uint64_t) operation);
}

static jlong netty_ucx_native_listenerCreate(JNIEnv *env, jclass clazz, jlong worker, jlong host, jint port, jlong id) {
    struct sockaddr_storage address;
    socklen_t length = netty_ucx_socket_address_parse(POINTER(host), port, &address);
    netty_ucx_listener_t *listener;
    ucs_status_t status;

    (void) env;
    (void) clazz;
    if (length == 0) {
        return UCS_ERR_INVALID_ADDR;
    }
    status = netty_ucx_listener_create(POINTER(worker), &address, length, (uint64_t) id, &listener);
    return status == UCS_OK ? ADDRESS(listener) : status;
}

static jint netty_ucx_native_listenerPort(JNIEnv *env, jclass clazz, jlong listener) {
    (void) env;
    (void) clazz;
    return netty_ucx_listener_port(POINTER(listener));
}

static void netty_ucx_native_listenerReject(JNIEnv *env, jclass clazz, jlong listener, jlong request) {
    (void) env;
    (void) clazz;
    netty_ucx_listener_reject(POINTER(listener), POINTER(request));
}

static void netty_ucx_native_listenerDestroy(JNIEnv *env, jclass clazz, jlong listener) {
    (void) env;
    (void) clazz;
    netty_ucx_listener_destroy(POINTER(listener));
}

static jint netty_ucx_native_descriptorLimit(JNIEnv *env, jclass clazz) {
    struct rlimit limit;

    (void) env;
    (void) clazz;
    return getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > INT_MAX ? INT_MAX : (jint) limit.rlim_cur;
}

/* From the highest number downwards, where they are free; poll() tells many of them at once. Takes none, which another
 * thread may need just then. */
static jint netty_ucx_native_freeDescriptors(JNIEnv *env, jclass clazz, jint enough) {
    struct pollfd numbers[64];
    jint next = netty_ucx_native_descriptorLimit(env, clazz);
    jint count = 0;
    nfds_t length;

    while (next > 0 && count < enough) {
        for (length = 0; length < 64 && next > 0 && count + (jint) length < enough; ++length) {
            numbers[length].fd = --next;
            numbers[length].events = 0;
        }
        if (poll(numbers, length, 0) < 0) {
            return enough;
        }
        while (length > 0) {
            count += (numbers[--length].revents & POLLNVAL) != 0;
        }
    }
    return count;
}

static void netty_ucx_native_copy(JNIEnv *env, jclass clazz, jlong destination, jlong source, jlong length) {
    (void) env;
    (void) clazz;
    memcpy(POINTER(destination), POINTER(source), (size_t) length);
}

static jlong netty_ucx_native_directBufferAddress(JNIEnv *env, jclass clazz, jobject buffer) {
    (void) clazz;
    return ADDRESS((*env)->GetDirectBufferAddress(env, buffer));
}

/* Versions of clang-format differ on a macro that is an initializer. */
/* clang-format off */
#define METHOD(name, signature) {#name, signature, (void *)netty_ucx_native_##name}
/* clang-format on */

static JNINativeMethod methods[] = {
    METHOD(open, "(JJI)I"),
    METHOD(version, "()I"),
    METHOD(statusText, "(IJI)I"),
    METHOD(contextCreate, "(JZJI)J"),
    METHOD(contextDescribe, "(JJI)I"),
    METHOD(workerCreate, "(JZ)J"),
    METHOD(workerDestroy, "(J)I"),
    METHOD(workerEventFd, "(J)I"),
    METHOD(workerAddress, "(JJI)I"),
    METHOD(workerPoll, "(JIJI)I"),
    METHOD(workerArm, "(J)I"),
    METHOD(channelOpen, "(JJJ)J"),
    METHOD(channelGrant, "(JJJ)V"),
    METHOD(channelClose, "(JJ)V"),
    METHOD(endpointCreate, "(JJJ)J"),
    METHOD(endpointClose, "(J)V"),
    METHOD(endpointTransports, "(JJI)I"),
    METHOD(send, "(JIJJJIJ)I"),
    METHOD(endpointConnect, "(JJIJIJJZ)J"),
    METHOD(endpointAccept, "(JJJJ)J"),
    METHOD(endpointHandle, "(J)J"),
    METHOD(endpointFlush, "(J)I"),
    METHOD(endpointAddress, "(JZJI)I"),
    METHOD(sendControl, "(JJJJI)I"),
    METHOD(streamReceive, "(JJJ)I"),
    METHOD(streamGrant, "(JJ)V"),
    METHOD(streamSend, "(JJIJ)I"),
    METHOD(listenerCreate, "(JJIJ)J"),
    METHOD(listenerPort, "(J)I"),
    METHOD(listenerReject, "(JJ)V"),
    METHOD(listenerDestroy, "(J)V"),
    METHOD(descriptorLimit, "()I"),
    METHOD(freeDescriptors, "(I)I"),
    METHOD(copy, "(JJJ)V"),
    METHOD(directBufferAddress, "(Ljava/nio/ByteBuffer;)J"),
};

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
    JNIEnv *env;
    jclass clazz;
    jint result;

    (void) reserved;
    if ((*vm)->GetEnv(vm, (void **) &env, JNI_VERSION_1_8) != JNI_OK) {
        return JNI_ERR;
    }
    clazz = (*env)->FindClass(env, NATIVE_CLASS);
    if (clazz == NULL) {
        return JNI_ERR;
    }
    result = (*env)->RegisterNatives(env, clazz, methods, (jint) (sizeof(methods) / sizeof(methods[0])));
    (*env)->DeleteLocalRef(env, clazz);
    return result == JNI_OK ? JNI_VERSION_1_8 : JNI_ERR;
}

JNIEXPORT void JNICALL JNI_OnUnload(JavaVM *vm, void *reserved) {
    JNIEnv *env;
    jclass clazz;

    (void) reserved;
    if ((*vm)->GetEnv(vm, (void **) &env, JNI_VERSION_1_8) != JNI_OK) {
        return;
    }
    clazz = (*env)->FindClass(env, NATIVE_CLASS);
    if (clazz == NULL) {
        (*env)->ExceptionClear(env);
        return;
    }
    (*env)->UnregisterNatives(env, clazz);
    (*env)->DeleteLocalRef(env, clazz);
}
