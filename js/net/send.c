/* SPDX-License-Identifier: MIT */
/*
 * send -- messages that a UDP socket sends.
 *
 * Tested by  test/js/net/dgram-*.js
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "core/context.h"
#include "core/entry.h"
#include "net/address.h"
#include "net/datagram.h"
#include "net/handle.h"

/* A send whose callback is awaited.  It owns a copy of the message. */
struct request {
    struct weir__js_link link;          /* in datagrams.requests */
    struct weir__js_datagram *datagram; /* counted */
    JSValue callback, context;
    bool is_told; /* JavaScript knows that the kernel has the message */
    size_t size;
    uint8_t bytes[];
};

static void free_request(struct request *request)
{
    struct weir__js_datagram *datagram = request->datagram;
    JSContext *context = datagram->js->context;

    if (!datagram->js->has_ended) {
        JS_FreeValue(context, request->callback);
        JS_FreeValue(context, request->context);
        weir__js_list_remove(&request->link);
    }
    free(request);
    weir__js_datagram_unref(datagram);
}

/* sent(status, bytes, callback) */
static void on_sent(void *arg, weir_datagram *socket, int status, size_t sent)
{
    struct request *request = arg;
    struct weir__js_datagram *datagram = request->datagram;
    weir_js *js = datagram->js;
    JSValue args[3];

    if (request->is_told || weir__js_enter(js) != 0) {
        free_request(request);
        return;
    }
    args[0] = JS_NewInt32(js->context, weir__js_net_status(status));
    args[1] = JS_NewInt64(js->context, (int64_t)request->size);
    args[2] = JS_DupValue(js->context, request->callback);
    weir__js_datagram_tell(datagram, request->context, WEIR__DATAGRAM_SENT, 3,
                           (JSValueConst *)args);
    JS_FreeValue(js->context, args[2]);
    free_request(request);
    weir__js_net_leave(js);
}

static struct request *new_request(struct weir__js_datagram *datagram,
                                   size_t size, JSValueConst callback)
{
    weir_js *js = datagram->js;
    struct request *request = malloc(sizeof(*request) + size);

    if (request == NULL) {
        JS_ThrowOutOfMemory(js->context);
        return NULL;
    }
    request->datagram = datagram;
    request->callback = JS_DupValue(js->context, callback);
    request->context = weir__js_context_capture(js);
    request->size = 0;
    request->is_told = false;
    datagram->refs++;
    weir__js_list_add(&weir__js_datagrams(js)->requests, &request->link);
    return request;
}

/* The sum of the sizes of a list's chunks, or -1 with an exception. */
static int64_t measure(JSContext *context, JSValueConst list, int64_t count)
{
    int64_t sum = 0;

    for (int64_t i = 0; i < count; i++) {
        JSValue chunk = JS_GetPropertyInt64(context, list, i);
        struct weir__js_bytes bytes;
        int err =
            JS_IsException(chunk) ? -1 : weir__js_bytes(context, chunk, &bytes);

        JS_FreeValue(context, chunk);
        if (err < 0)
            return -1;
        sum += (int64_t)bytes.size;
    }
    return sum;
}

/* Copy the chunks.  A chunk may have changed since it was measured. */
static void gather(JSContext *context, struct request *request,
                   JSValueConst list, int64_t count, size_t room)
{
    for (int64_t i = 0; i < count; i++) {
        JSValue chunk = JS_GetPropertyInt64(context, list, i);
        struct weir__js_bytes bytes;

        if (weir__js_bytes(context, chunk, &bytes) == 0 &&
            bytes.size <= room - request->size) {
            memcpy(request->bytes + request->size, bytes.data, bytes.size);
            request->size += bytes.size;
        }
        JS_FreeValue(context, chunk);
    }
}

static JSValue start_send(JSContext *context,
                          struct weir__js_datagram *datagram, JSValueConst list,
                          const weir_address *address, JSValueConst callback)
{
    weir_datagram_message message = {.address = *address};
    struct request *request;
    int64_t count, room;
    int err;

    if (JS_GetLength(context, list, &count) < 0)
        return JS_EXCEPTION;
    room = measure(context, list, count);
    if (room < 0)
        return JS_EXCEPTION;
    request = new_request(datagram, (size_t)room, callback);
    if (request == NULL)
        return JS_EXCEPTION;
    gather(context, request, list, count, (size_t)room);
    message.bytes = (weir_bytes){request->bytes, request->size};
    err = weir_datagram_send(datagram->socket, &message, on_sent, request);
    if (err != 0) {
        free_request(request);
        return JS_NewInt32(context, weir__js_net_status(err));
    }
    request->is_told = weir_datagram_queued_bytes(datagram->socket) == 0;
    return JS_NewInt64(context,
                       request->is_told ? (int64_t)request->size + 1 : 0);
}

/* send([chunk, ...], address or undefined, port, callback): 1 more than the
 * bytes that the kernel has, 0 if the SENT hook will be called, or an error */
static JSValue send_message(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    struct weir__js_datagram *datagram =
        weir__js_datagram_of(context, this_value);
    weir_address address = {.size_ = 0};
    int err = 0;

    if (datagram == NULL)
        return JS_EXCEPTION;
    if (!JS_IsUndefined(argv[1]))
        err = weir__js_address_read(context, argv[1], argv[2], &address);
    if (err == -1)
        return JS_EXCEPTION;
    if (err == 0 && datagram->socket == NULL)
        err = -EBADF;
    if (err != 0)
        return JS_NewInt32(context, err);
    return start_send(context, datagram, argv[0], &address, argv[3]);
}

static JSValue get_queued(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct weir__js_datagram *datagram =
        weir__js_datagram_of(context, this_value);

    if (datagram == NULL)
        return JS_EXCEPTION;
    return JS_NewInt64(
        context, datagram->socket != NULL
                     ? (int64_t)weir_datagram_queued_bytes(datagram->socket)
                     : 0);
}

void weir__js_datagram_drop_requests(weir_js *js)
{
    struct weir__js_link *list = &weir__js_datagrams(js)->requests;

    for (struct weir__js_link *at = list->next; at != list; at = at->next) {
        JS_FreeValue(js->context, ((struct request *)at)->callback);
        JS_FreeValue(js->context, ((struct request *)at)->context);
    }
}

const JSCFunctionListEntry weir__js_datagram_sends[] = {
    JS_CFUNC_DEF("send", 4, send_message),
    JS_CFUNC_DEF("getSendQueueSize", 0, get_queued),
};
const int weir__js_datagram_sends_count =
    sizeof(weir__js_datagram_sends) / sizeof(*weir__js_datagram_sends);
