/* SPDX-License-Identifier: MIT */
/*
 * connect -- a handle connects to one address, or to a path.
 *
 * Which address is tried when is decided in JavaScript, as Node does.  A handle
 * that is closed meanwhile cancels the attempt; its request still ends, with
 * ECANCELED.
 *
 * Tested by  test/js/net/net-errors.js, net-unix.js
 */
#include <errno.h>

#include "core/builtin.h"
#include "core/permission.h"
#include "net/address.h"
#include "net/handle.h"

static void on_connect(void *arg, int status, weir_stream *stream)
{
    struct weir__js_handle_request *request = arg;
    struct weir__js_handle *handle = request->handle;
    bool was_closed = handle->connecting == NULL; /* the cancel came too late */

    handle->connecting = NULL;
    if (status == 0 && (was_closed || weir__js_handle_attach(
                                          handle, handle->self, stream) != 0)) {
        weir_stream_close(stream, NULL, NULL);
        status = WEIR_ECANCELED;
    }
    weir__js_handle_request_end(request, WEIR__HANDLE_CONNECTED, status);
    weir__js_handle_let_go(handle); /* what start_connect has held */
}

static JSValue start_connect(JSContext *context, JSValueConst self,
                             const weir_address *address,
                             const weir_address *local, JSValueConst callback)
{
    struct weir__js_handle *handle = weir__js_handle_of(context, self);
    weir_stream_options stream = {.size = sizeof(stream), .has_delay = true};
    weir_connect_options options = {
        .size = sizeof(options), .timeout_ns = -1, .stream = &stream};
    struct weir__js_handle_request *request;
    int err;

    if (handle == NULL)
        return JS_EXCEPTION;
    if (handle->stream != NULL || handle->connecting != NULL)
        return JS_NewInt32(context, -EISCONN);
    if (local != NULL)
        options.local = *local;
    request = weir__js_handle_request_new(handle, callback);
    if (request == NULL)
        return JS_EXCEPTION;
    err = weir__js_handle_hold(handle, self) ? 0 : WEIR_ECLOSED;
    if (err == 0) {
        err = weir_connect_addresses(handle->js->loop, &handle->connecting,
                                     address, 1, on_connect, request, &options);
        if (err != 0)
            weir__js_handle_let_go(handle);
    }
    if (err != 0)
        weir__js_handle_request_free(request);
    return JS_NewInt32(context, weir__js_net_status(err));
}

/* Connect to an address that was read with this outcome, if it is allowed. */
static JSValue connect_to(JSContext *context, JSValueConst this_value, int err,
                          const weir_address *address,
                          const weir_address *local, JSValueConst callback)
{
    if (err == -1)
        return JS_EXCEPTION;
    if (err != 0)
        return JS_NewInt32(context, err);
    if (!weir__js_address_check(context, WEIR__JS_MAY_READ | WEIR__JS_MAY_WRITE,
                                address))
        return JS_EXCEPTION;
    return start_connect(context, this_value, address, local, callback);
}

/* connect(address, port, local address or undefined, local port, callback): 0
 * or an error */
static JSValue connect_ip(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    weir_address address, local;
    bool has_local = !JS_IsUndefined(argv[2]);
    int err = weir__js_address_read(context, argv[0], argv[1], &address);

    if (err == 0 && has_local)
        err = weir__js_address_read(context, argv[2], argv[3], &local);
    return connect_to(context, this_value, err, &address,
                      has_local ? &local : NULL, argv[4]);
}

/* connectPath(path, callback): 0 or an error */
static JSValue connect_path(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    weir_address address;
    int err = weir__js_address_read_path(context, argv[0], &address);

    return connect_to(context, this_value, err, &address, NULL, argv[1]);
}

const JSCFunctionListEntry weir__js_handle_connects[] = {
    JS_CFUNC_DEF("connect", 5, connect_ip),
    JS_CFUNC_DEF("connectPath", 2, connect_path),
};
const int weir__js_handle_connects_count =
    sizeof(weir__js_handle_connects) / sizeof(*weir__js_handle_connects);
