/* SPDX-License-Identifier: MIT */
/*
 * pass -- sockets that travel with the bytes of a handle's stream.
 *
 * As in Node's channels, a message carries at most one descriptor, and the next
 * one is sent only after the other side has confirmed it.  So one place for what
 * has arrived is enough: another descriptor replaces it.
 *
 * Tested by  test/js/process/handle-*
 */
#include <errno.h>
#include <unistd.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "net/descriptor.h"
#include "net/handle.h"

void weir__js_handle_drop_received(struct weir__js_handle *handle)
{
    if (handle->received >= 0)
        (void)close(handle->received);
    handle->received = -1;
}

void weir__js_handle_receive(struct weir__js_handle *handle,
                             weir_stream *stream)
{
    int fd;

    while (handle->takes_descriptors &&
           weir_stream_take_fds(stream, &fd, 1) == 1) {
        weir__js_handle_drop_received(handle);
        handle->received = fd;
    }
}

/* receiveDescriptors(): keep those that arrive from now on */
static JSValue receive_descriptors(JSContext *context, JSValueConst this_value,
                                   int argc, JSValueConst *argv)
{
    struct weir__js_handle *handle = weir__js_handle_of(context, this_value);

    if (handle == NULL)
        return JS_EXCEPTION;
    handle->takes_descriptors = true;
    return JS_UNDEFINED;
}

/* takeDescriptor(): the one that has arrived, or undefined */
static JSValue take_descriptor(JSContext *context, JSValueConst this_value,
                               int argc, JSValueConst *argv)
{
    struct weir__js_handle *handle = weir__js_handle_of(context, this_value);
    int fd;

    if (handle == NULL)
        return JS_EXCEPTION;
    fd = handle->received;
    handle->received = -1;
    return fd < 0 ? JS_UNDEFINED : weir__js_descriptor_new(context, fd);
}

static void on_sent(void *arg, weir_stream *stream, int status)
{
    weir__js_handle_request_end(arg, WEIR__HANDLE_WRITTEN, status);
}

/* sendDescriptor(bytes, fd, callback): 1 if the WRITTEN hook will be called, or
 * an error.  The descriptor stays the caller's. */
static JSValue send_descriptor(JSContext *context, JSValueConst this_value,
                               int argc, JSValueConst *argv)
{
    struct weir__js_handle *handle = weir__js_handle_of(context, this_value);
    struct weir__js_handle_request *request;
    struct weir__js_bytes bytes;
    int32_t fd;
    int err;

    if (handle == NULL || weir__js_bytes(context, argv[0], &bytes) < 0 ||
        JS_ToInt32(context, &fd, argv[1]) < 0)
        return JS_EXCEPTION;
    if (handle->stream == NULL)
        return JS_NewInt32(context, -EBADF);
    request = weir__js_handle_request_new(handle, argv[2]);
    if (request == NULL)
        return JS_EXCEPTION;
    err = weir_stream_send_fds(handle->stream,
                               (weir_bytes){bytes.data, bytes.size}, &fd, 1,
                               on_sent, request);
    if (err != 0) {
        weir__js_handle_request_free(request);
        return JS_NewInt32(context, weir__js_net_status(err));
    }
    handle->bytes_written += bytes.size;
    weir__js_handle_keep(handle);
    return JS_NewInt32(context, 1);
}

const JSCFunctionListEntry weir__js_handle_passes[] = {
    JS_CFUNC_DEF("receiveDescriptors", 0, receive_descriptors),
    JS_CFUNC_DEF("takeDescriptor", 0, take_descriptor),
    JS_CFUNC_DEF("sendDescriptor", 3, send_descriptor),
};
const int weir__js_handle_passes_count =
    sizeof(weir__js_handle_passes) / sizeof(*weir__js_handle_passes);
