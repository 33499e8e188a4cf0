/* SPDX-License-Identifier: MIT */
/*
 * settings -- options and addresses of a handle's socket.
 *
 * Tested by  test/js/net/net-*.js
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "core/builtin.h"
#include "net/address.h"
#include "net/handle.h"

static int set_option(const struct weir__js_handle *handle, int level,
                      int option, int value)
{
    if (handle->stream == NULL)
        return -EBADF;
    return setsockopt(weir_stream_fd(handle->stream), level, option, &value,
                      sizeof(value)) == 0
               ? 0
               : -errno;
}

/* setNoDelay(isOn): 0 or -errno */
static JSValue set_no_delay(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    struct weir__js_handle *handle = weir__js_handle_of(context, this_value);

    if (handle == NULL)
        return JS_EXCEPTION;
    return JS_NewInt32(context, set_option(handle, IPPROTO_TCP, TCP_NODELAY,
                                           JS_ToBool(context, argv[0]) > 0));
}

/* setKeepAlive(isOn, seconds): 0 or -errno.  As in Node, the probes come every
 * second then, ten times. */
static JSValue set_keep_alive(JSContext *context, JSValueConst this_value,
                              int argc, JSValueConst *argv)
{
    struct weir__js_handle *handle = weir__js_handle_of(context, this_value);
    bool is_on = JS_ToBool(context, argv[0]) > 0;
    int32_t seconds;
    int err;

    if (handle == NULL || JS_ToInt32(context, &seconds, argv[1]) < 0)
        return JS_EXCEPTION;
    err = set_option(handle, SOL_SOCKET, SO_KEEPALIVE, is_on);
    if (err == 0 && is_on && seconds > 0)
        err = set_option(handle, IPPROTO_TCP, TCP_KEEPIDLE, seconds);
    if (err == 0 && is_on && seconds > 0)
        err = set_option(handle, IPPROTO_TCP, TCP_KEEPINTVL, 1);
    if (err == 0 && is_on && seconds > 0)
        err = set_option(handle, IPPROTO_TCP, TCP_KEEPCNT, 10);
    return JS_NewInt32(context, err);
}

enum { LOCAL, PEER };

/* getsockname(), getpeername(): {address, family, port}, or undefined */
static JSValue get_address(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv, int magic)
{
    struct weir__js_handle *handle = weir__js_handle_of(context, this_value);
    weir_address address;

    if (handle == NULL)
        return JS_EXCEPTION;
    if (handle->stream == NULL)
        return JS_UNDEFINED;
    if (magic == LOCAL)
        weir_stream_local(handle->stream, &address);
    else
        weir_stream_peer(handle->stream, &address);
    return weir__js_address_object(context, &address);
}

static JSValue get_fd(JSContext *context, JSValueConst this_value)
{
    struct weir__js_handle *handle = weir__js_handle_of(context, this_value);

    if (handle == NULL)
        return JS_EXCEPTION;
    return JS_NewInt32(
        context, handle->stream != NULL ? weir_stream_fd(handle->stream) : -1);
}

const JSCFunctionListEntry weir__js_handle_settings[] = {
    JS_CFUNC_DEF("setNoDelay", 1, set_no_delay),
    JS_CFUNC_DEF("setKeepAlive", 2, set_keep_alive),
    JS_CFUNC_MAGIC_DEF("getsockname", 0, get_address, LOCAL),
    JS_CFUNC_MAGIC_DEF("getpeername", 0, get_address, PEER),
    JS_CGETSET_DEF("fd", get_fd, NULL),
};
const int weir__js_handle_settings_count =
    sizeof(weir__js_handle_settings) / sizeof(*weir__js_handle_settings);
