/* SPDX-License-Identifier: MIT */
/*
 * datagram -- see datagram.h.
 *
 * Tested by  test/js/net/dgram-*.js
 */
#include "net/datagram.h"

#include <errno.h>
#include <stdlib.h>

#include "core/builtin.h"
#include "core/context.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/permission.h"
#include "net/address.h"
#include "net/buffer.h"
#include "net/handle.h"
#include "weir/host/loop.h"

/* ---- references ---- */

void weir__js_datagram_unref(struct weir__js_datagram *datagram)
{
    if (--datagram->refs == 0)
        free(datagram);
}

static void drop_values(JSRuntime *runtime, struct weir__js_datagram *datagram)
{
    JS_FreeValueRT(runtime, datagram->owner);
    JS_FreeValueRT(runtime, datagram->closed);
    JS_FreeValueRT(runtime, datagram->context);
    datagram->owner = datagram->closed = datagram->context = JS_UNDEFINED;
}

static void drop_self(struct weir__js_datagram *datagram)
{
    JSValue self = datagram->self;

    if (JS_IsUndefined(self))
        return;
    datagram->self = JS_UNDEFINED;
    weir__js_list_remove(&datagram->link);
    JS_FreeValue(datagram->js->context, self);
}

/* The socket is gone. */
static void let_go(struct weir__js_datagram *datagram)
{
    weir_js *js = datagram->js;

    if (!js->has_ended)
        drop_self(datagram);
    weir__js_datagram_unref(datagram);
    weir__js_let_go(js);
}

static void call(weir_js *js, JSValueConst captured, JSValueConst function,
                 JSValueConst owner, int count, JSValueConst *args)
{
    JSContext *context = js->context;
    JSValue values[] = {JS_DupValue(context, captured),
                        JS_DupValue(context, function),
                        JS_DupValue(context, owner)};
    JSValue result =
        weir__js_context_call(js, values[0], values[1], values[2], count, args);

    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(context, result);
    for (int i = 0; i < 3; i++)
        JS_FreeValue(context, values[i]);
}

void weir__js_datagram_tell(struct weir__js_datagram *datagram,
                            JSValueConst captured,
                            enum weir__js_datagram_hook hook, int count,
                            JSValueConst *args)
{
    call(datagram->js, captured, weir__js_datagrams(datagram->js)->hooks[hook],
         datagram->owner, count, args);
}

/* ---- receiving ---- */

/* message(bytes or undefined, sender or undefined, status) */
static void give_message(struct weir__js_datagram *datagram, int status,
                         const weir_datagram_message *message)
{
    weir_js *js = datagram->js;
    JSContext *context = js->context;
    JSValue args[3] = {JS_UNDEFINED, JS_UNDEFINED, JS_UNDEFINED};

    if (message != NULL) {
        args[0] = weir__js_new_buffer(context, message->bytes.data,
                                      message->bytes.size);
        args[1] = weir__js_address_object(context, &message->address);
    }
    if (JS_IsException(args[0]) || JS_IsException(args[1])) {
        JS_FreeValue(context, JS_GetException(context));
        status = -ENOMEM;
        for (int i = 0; i < 2; i++) {
            JS_FreeValue(context, args[i]);
            args[i] = JS_UNDEFINED;
        }
    }
    args[2] = JS_NewInt32(context, weir__js_net_status(status));
    weir__js_datagram_tell(datagram, datagram->context, WEIR__DATAGRAM_MESSAGE,
                           3, (JSValueConst *)args);
    JS_FreeValue(context, args[0]);
    JS_FreeValue(context, args[1]);
}

static void on_message(void *arg, weir_datagram *socket, int status,
                       const weir_datagram_message *message)
{
    struct weir__js_datagram *datagram = arg;
    weir_js *js = datagram->js;

    if (status == WEIR_ECANCELED || datagram->socket == NULL ||
        weir__js_enter(js) != 0)
        return;
    give_message(datagram, status, message);
    weir__js_net_leave(js);
}

/* ---- closing ---- */

/* In the close phase. */
static void tell_closed(void *arg, int status)
{
    struct weir__js_datagram *datagram = arg;
    weir_js *js = datagram->js;

    if (status == 0 && weir__js_enter(js) == 0) {
        if (JS_IsFunction(js->context, datagram->closed))
            call(js, datagram->context, datagram->closed, datagram->self, 0,
                 NULL);
        let_go(datagram);
        weir__js_leave(js);
        return;
    }
    let_go(datagram);
}

static void on_closed(void *arg, weir_datagram *socket)
{
    struct weir__js_datagram *datagram = arg;

    if (datagram->js->has_ended ||
        weir_loop_on_close_phase(datagram->js->loop, tell_closed, datagram) !=
            0)
        tell_closed(datagram, WEIR_ECANCELED);
}

static void close_socket(struct weir__js_datagram *datagram)
{
    weir_datagram *socket = datagram->socket;

    datagram->socket = NULL;
    weir_datagram_close(socket, on_closed, datagram);
}

/* The loop has ended. */
static void on_end(void *arg, weir_datagram *socket)
{
    close_socket(arg);
}

/* ---- the object ---- */

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct weir__js_datagram *datagram =
        weir__js_opaque(js, value, WEIR__JS_DATAGRAM);

    if (datagram == NULL)
        return;
    drop_values(runtime, datagram);
    weir__js_datagram_unref(datagram);
}

static void mark(JSRuntime *runtime, JSValueConst value, JS_MarkFunc *fn)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct weir__js_datagram *datagram =
        weir__js_opaque(js, value, WEIR__JS_DATAGRAM);

    if (datagram == NULL)
        return;
    JS_MarkValue(runtime, datagram->owner, fn);
    JS_MarkValue(runtime, datagram->closed, fn);
    JS_MarkValue(runtime, datagram->context, fn);
}

static const JSClassDef datagram_class = {
    .class_name = "UDP", .finalizer = finalize, .gc_mark = mark};

struct weir__js_datagram *weir__js_datagram_of(JSContext *context,
                                               JSValueConst value)
{
    struct weir__js_datagram *datagram =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_DATAGRAM);

    if (datagram == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    return datagram;
}

static JSValue new_object(weir_js *js, JSValueConst owner,
                          struct weir__js_datagram **made)
{
    JSValue object =
        JS_NewObjectClass(js->context, js->classes[WEIR__JS_DATAGRAM]);
    struct weir__js_datagram *datagram;

    if (JS_IsException(object))
        return object;
    datagram = calloc(1, sizeof(*datagram));
    if (datagram == NULL) {
        JS_FreeValue(js->context, object);
        return JS_ThrowOutOfMemory(js->context);
    }
    datagram->js = js;
    datagram->refs = 1;
    datagram->self = datagram->closed = JS_UNDEFINED;
    datagram->owner = JS_DupValue(js->context, owner);
    datagram->context = weir__js_context_capture(js);
    JS_SetOpaque(object, datagram);
    *made = datagram;
    return object;
}

/* As in Node, a socket that does not receive keeps nothing running: receive()
 * refers to the loop. */
static int open_socket(struct weir__js_datagram *datagram, JSValueConst self,
                       bool is_reuse, bool is_ipv6_only, int fd)
{
    weir_js *js = datagram->js;
    weir_datagram_options options = {.size = sizeof(options),
                                     .is_reuse_address = is_reuse,
                                     .is_ipv6_only = is_ipv6_only,
                                     .is_unref = true,
                                     .on_end = on_end,
                                     .arg = datagram};
    int err;

    if (!weir__js_hold(js))
        return WEIR_ECLOSED;
    err = fd >= 0
              ? weir_datagram_adopt(&datagram->socket, js->loop, fd, &options)
              : weir_datagram_open(&datagram->socket, js->loop,
                                   datagram->family, &options);
    if (err != 0) {
        datagram->socket = NULL;
        weir__js_let_go(js);
        return err;
    }
    datagram->refs++;
    datagram->self = JS_DupValue(js->context, self);
    weir__js_list_add(&weir__js_datagrams(js)->open, &datagram->link);
    return 0;
}

/* newSocket(owner, isIpv6, isReuseAddress, isIpv6Only, fd): an object, or
 * -errno */
static JSValue new_socket(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct weir__js_datagram *datagram = NULL;
    bool is_reuse = JS_ToBool(context, argv[2]) > 0;
    bool is_ipv6_only = JS_ToBool(context, argv[3]) > 0;
    int32_t fd = -1;
    JSValue object;
    int err;

    if (!weir__js_check_may(context, WEIR__JS_MAY_NET) ||
        (!JS_IsUndefined(argv[4]) && JS_ToInt32(context, &fd, argv[4]) < 0))
        return JS_EXCEPTION;
    object = new_object(weir__js_of(context), argv[0], &datagram);
    if (JS_IsException(object))
        return object;
    datagram->family =
        JS_ToBool(context, argv[1]) > 0 ? WEIR_ADDRESS_IPV6 : WEIR_ADDRESS_IPV4;
    err = open_socket(datagram, object, is_reuse, is_ipv6_only, fd);
    if (err == 0)
        return object;
    JS_FreeValue(context, object);
    return JS_NewInt32(context, weir__js_net_status(err));
}

/* close(callback) */
static JSValue close_datagram(JSContext *context, JSValueConst this_value,
                              int argc, JSValueConst *argv)
{
    struct weir__js_datagram *datagram =
        weir__js_datagram_of(context, this_value);

    if (datagram == NULL)
        return JS_EXCEPTION;
    if (datagram->socket == NULL)
        return JS_UNDEFINED;
    datagram->closed = JS_DupValue(context, argv[0]);
    close_socket(datagram);
    return JS_UNDEFINED;
}

enum { REF, UNREF, HAS_REF };

static JSValue change_ref(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv, int magic)
{
    struct weir__js_datagram *datagram =
        weir__js_datagram_of(context, this_value);

    if (datagram == NULL)
        return JS_EXCEPTION;
    if (magic == HAS_REF)
        return JS_NewBool(context, !datagram->is_unref);
    datagram->is_unref = magic == UNREF;
    if (datagram->socket != NULL)
        weir_datagram_set_ref(datagram->socket,
                              datagram->is_receiving && !datagram->is_unref);
    return JS_UNDEFINED;
}

/* ---- addresses ---- */

enum { BIND, CONNECT };

/* bind(address, port), connect(address, port): 0 or -errno */
static JSValue set_address(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv, int magic)
{
    struct weir__js_datagram *datagram =
        weir__js_datagram_of(context, this_value);
    weir_address address;
    int err;

    if (datagram == NULL)
        return JS_EXCEPTION;
    err = weir__js_address_read(context, argv[0], argv[1], &address);
    if (err == -1)
        return JS_EXCEPTION;
    if (err == 0 && datagram->socket == NULL)
        err = -EBADF;
    if (err == 0)
        err = magic == BIND ? weir_datagram_bind(datagram->socket, &address)
                            : weir_datagram_connect(datagram->socket, &address);
    return JS_NewInt32(context, weir__js_net_status(err));
}

/* disconnect(): 0 or -errno */
static JSValue disconnect(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct weir__js_datagram *datagram =
        weir__js_datagram_of(context, this_value);

    if (datagram == NULL)
        return JS_EXCEPTION;
    return JS_NewInt32(
        context,
        datagram->socket == NULL
            ? -EBADF
            : weir__js_net_status(weir_datagram_disconnect(datagram->socket)));
}

enum { LOCAL, PEER };

/* getsockname(), getpeername(): {address, family, port}, or -errno */
static JSValue get_address(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv, int magic)
{
    struct weir__js_datagram *datagram =
        weir__js_datagram_of(context, this_value);
    weir_address address;

    if (datagram == NULL)
        return JS_EXCEPTION;
    if (datagram->socket == NULL)
        return JS_NewInt32(context, -EBADF);
    if (magic == LOCAL)
        weir_datagram_local(datagram->socket, &address);
    else
        weir_datagram_peer(datagram->socket, &address);
    if (weir_address_family_of(&address) == WEIR_ADDRESS_NONE)
        return JS_NewInt32(context, magic == PEER ? -ENOTCONN : -EBADF);
    return weir__js_address_object(context, &address);
}

enum { START, STOP };

/* recvStart(), recvStop(): 0 or -errno */
static JSValue receive(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv, int magic)
{
    struct weir__js_datagram *datagram =
        weir__js_datagram_of(context, this_value);
    int err = 0;

    if (datagram == NULL)
        return JS_EXCEPTION;
    if (datagram->socket == NULL)
        return JS_NewInt32(context, -EBADF);
    if (magic == STOP)
        weir_datagram_pause(datagram->socket);
    else
        err = weir_datagram_receive(datagram->socket, on_message, datagram);
    if (err == -EBUSY)
        err = weir_datagram_resume(datagram->socket);
    if (err == 0) {
        datagram->is_receiving = magic == START;
        weir_datagram_set_ref(datagram->socket,
                              datagram->is_receiving && !datagram->is_unref);
    }
    return JS_NewInt32(context, weir__js_net_status(err));
}

static JSValue get_fd(JSContext *context, JSValueConst this_value)
{
    struct weir__js_datagram *datagram =
        weir__js_datagram_of(context, this_value);

    if (datagram == NULL)
        return JS_EXCEPTION;
    return JS_NewInt32(context, datagram->socket != NULL
                                    ? weir_datagram_fd(datagram->socket)
                                    : -EBADF);
}

static const JSCFunctionListEntry methods[] = {
    JS_CFUNC_DEF("close", 1, close_datagram),
    JS_CFUNC_MAGIC_DEF("ref", 0, change_ref, REF),
    JS_CFUNC_MAGIC_DEF("unref", 0, change_ref, UNREF),
    JS_CFUNC_MAGIC_DEF("hasRef", 0, change_ref, HAS_REF),
    JS_CFUNC_MAGIC_DEF("bind", 2, set_address, BIND),
    JS_CFUNC_MAGIC_DEF("connect", 2, set_address, CONNECT),
    JS_CFUNC_DEF("disconnect", 0, disconnect),
    JS_CFUNC_MAGIC_DEF("getsockname", 0, get_address, LOCAL),
    JS_CFUNC_MAGIC_DEF("getpeername", 0, get_address, PEER),
    JS_CFUNC_MAGIC_DEF("recvStart", 0, receive, START),
    JS_CFUNC_MAGIC_DEF("recvStop", 0, receive, STOP),
    JS_CGETSET_DEF("fd", get_fd, NULL),
};

/* ---- the host ---- */

/* setHooks(message, sent) */
static JSValue set_hooks(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct weir__js_datagrams *datagrams = weir__js_datagrams(js);
    JSValue prototype = JS_NewObject(context);

    if (JS_IsException(prototype) ||
        WEIR__JS_SET_FUNCTIONS(context, prototype, methods) < 0 ||
        JS_SetPropertyFunctionList(context, prototype,
                                   weir__js_datagram_settings,
                                   weir__js_datagram_settings_count) < 0 ||
        JS_SetPropertyFunctionList(context, prototype, weir__js_datagram_sends,
                                   weir__js_datagram_sends_count) < 0) {
        JS_FreeValue(context, prototype);
        return JS_EXCEPTION;
    }
    weir__js_values_set(context, datagrams->hooks, WEIR__DATAGRAM_HOOKS, argv);
    JS_SetClassProto(context, js->classes[WEIR__JS_DATAGRAM], prototype);
    return JS_UNDEFINED;
}

static int init_datagrams(weir_js *js)
{
    struct weir__js_datagrams *datagrams = weir__js_datagrams(js);

    weir__js_list_init(&datagrams->open);
    weir__js_list_init(&datagrams->requests);
    weir__js_values_init(datagrams->hooks, WEIR__DATAGRAM_HOOKS);
    return 0;
}

static void drop_datagrams(weir_js *js)
{
    struct weir__js_datagrams *datagrams = weir__js_datagrams(js);

    weir__js_datagram_drop_requests(js);
    while (!weir__js_list_is_empty(&datagrams->open)) {
        struct weir__js_datagram *datagram =
            (struct weir__js_datagram *)datagrams->open.next;

        datagram->refs++;
        drop_values(js->runtime, datagram);
        drop_self(datagram);
        if (datagram->socket != NULL)
            close_socket(datagram);
        weir__js_datagram_unref(datagram);
    }
    weir__js_values_drop(js->context, datagrams->hooks, WEIR__DATAGRAM_HOOKS);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("setHooks", WEIR__DATAGRAM_HOOKS, set_hooks),
    JS_CFUNC_DEF("newSocket", 5, new_socket),
};

const struct weir__js_builtin weir__js_datagram_builtin = {
    WEIR__JS_LIBS("net/dgram"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &datagram_class,
    .state_bytes = sizeof(struct weir__js_datagrams),
    .init = init_datagrams,
    .drop = drop_datagrams,
};
