/* SPDX-License-Identifier: MIT */
/*
 * server -- the object behind a net.Server: one listening socket.
 *
 * Data      A block behind a JavaScript object, with the listener and the async
 *           context of the code that called listen.
 * Owner     The block is counted: the object and the open listener hold it.  An
 *           open listener holds its object and the host's struct.
 * Thread    The loop's.
 * Decides   `listener`, as `stream` does in handle.h.
 *
 * The socket is bound in descriptor.c, not by libweir-net, because Node neither
 * replaces the file of a Unix socket nor shares a port in the same cases.
 *
 * Tested by  test/js/net/net-server-*.js
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/builtin.h"
#include "core/context.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/permission.h"
#include "net/address.h"
#include "net/descriptor.h"
#include "net/handle.h"
#include "weir/net/listener.h"

struct server {
    struct weir__js_link link; /* in servers.open, while `self` is held */
    weir_js *js;
    weir_listener *listener; /* NULL: closed */
    unsigned refs;
    bool is_unref;
    JSValue self;    /* the object, while it is open or closing */
    JSValue owner;   /* the net.Server */
    JSValue context; /* captured */
};

struct servers {
    struct weir__js_link open; /* server.link */
    JSValue on_connection;     /* (handle); `this` is the owner */
};

static struct servers *servers_of(const weir_js *js)
{
    return js->states[WEIR__JS_SERVER];
}

/* ---- references ---- */

static void unref(struct server *server)
{
    if (--server->refs == 0)
        free(server);
}

static void drop_values(JSRuntime *runtime, struct server *server)
{
    JS_FreeValueRT(runtime, server->owner);
    JS_FreeValueRT(runtime, server->context);
    server->owner = server->context = JS_UNDEFINED;
}

static void drop_self(struct server *server)
{
    JSValue self = server->self;

    if (JS_IsUndefined(self))
        return;
    server->self = JS_UNDEFINED;
    weir__js_list_remove(&server->link);
    JS_FreeValue(server->js->context, self);
}

/* The listener is gone. */
static void let_go(struct server *server)
{
    weir_js *js = server->js;

    if (!js->has_ended)
        drop_self(server);
    unref(server);
    weir__js_let_go(js);
}

static void tell(struct server *server, JSValueConst handle)
{
    weir_js *js = server->js;
    JSContext *context = js->context;
    JSValue function = JS_DupValue(context, servers_of(js)->on_connection);
    JSValue owner = JS_DupValue(context, server->owner);
    JSValue captured = JS_DupValue(context, server->context);
    JSValue result =
        weir__js_context_call(js, captured, function, owner, 1, &handle);

    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(context, result);
    JS_FreeValue(context, captured);
    JS_FreeValue(context, owner);
    JS_FreeValue(context, function);
}

/* ---- the listener ---- */

static void on_stream(void *arg, weir_stream *stream)
{
    struct server *server = arg;
    weir_js *js = server->js;
    JSValue handle;

    if (server->listener == NULL || weir__js_enter(js) != 0) {
        weir_stream_close(stream, NULL, NULL);
        return;
    }
    /* As in Node, it does not inherit the context of the server. */
    handle = weir__js_stream_handle(js->context, stream);
    if (JS_IsException(handle)) { /* no memory: refuse the connection */
        JS_FreeValue(js->context, JS_GetException(js->context));
        weir_stream_close(stream, NULL, NULL);
    } else {
        tell(server, handle);
    }
    JS_FreeValue(js->context, handle);
    weir__js_net_leave(js);
}

/* The loop closes a listener's socket at its end, and the listener remains. */
static void on_closed(void *arg, weir_listener *listener, int status)
{
    let_go(arg);
}

static void close_listener(struct server *server)
{
    weir_listener *listener = server->listener;

    server->listener = NULL;
    weir_listener_close(listener, on_closed, server);
}

/* ---- the socket ---- */

static int start_listening(struct server *server, JSValueConst self, int fd,
                           int backlog, bool is_private)
{
    weir_js *js = server->js;
    weir_stream_options stream = {.size = sizeof(stream), .has_delay = true};
    weir_listener_options options = {.size = sizeof(options),
                                     .has_fd = true,
                                     .fd = fd,
                                     .is_private = is_private,
                                     .stream = &stream,
                                     .arg = server,
                                     .on_stream = on_stream};
    int err;

    if (listen(fd, backlog) != 0)
        return -errno;
    if (!weir__js_hold(js))
        return WEIR_ECLOSED;
    err = weir_listener_open(&server->listener, js->loop, &options);
    if (err != 0) {
        server->listener = NULL;
        weir__js_let_go(js);
        return err;
    }
    server->refs++;
    server->self = JS_DupValue(js->context, self);
    weir__js_list_add(&servers_of(js)->open, &server->link);
    return 0;
}

/* ---- the object ---- */

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct server *server = weir__js_opaque(js, value, WEIR__JS_SERVER);

    if (server == NULL)
        return;
    drop_values(runtime, server);
    unref(server);
}

static void mark(JSRuntime *runtime, JSValueConst value, JS_MarkFunc *fn)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct server *server = weir__js_opaque(js, value, WEIR__JS_SERVER);

    if (server == NULL)
        return;
    JS_MarkValue(runtime, server->owner, fn);
    JS_MarkValue(runtime, server->context, fn);
}

static const JSClassDef server_class = {
    .class_name = "ServerHandle", .finalizer = finalize, .gc_mark = mark};

static JSValue new_server(weir_js *js, JSValueConst owner, struct server **made)
{
    JSValue object =
        JS_NewObjectClass(js->context, js->classes[WEIR__JS_SERVER]);
    struct server *server;

    if (JS_IsException(object))
        return object;
    server = calloc(1, sizeof(*server));
    if (server == NULL) {
        JS_FreeValue(js->context, object);
        return JS_ThrowOutOfMemory(js->context);
    }
    server->js = js;
    server->refs = 1;
    server->self = JS_UNDEFINED;
    server->owner = JS_DupValue(js->context, owner);
    server->context = weir__js_context_capture(js);
    JS_SetOpaque(object, server);
    *made = server;
    return object;
}

static struct server *server_of(JSContext *context, JSValueConst value)
{
    struct server *server =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_SERVER);

    if (server == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    return server;
}

/* Make the object of a socket, which is closed on failure if it is our own. */
static JSValue listen_on(JSContext *context, JSValueConst owner, int fd,
                         JSValueConst backlog, bool is_own)
{
    struct server *server = NULL;
    JSValue object = JS_EXCEPTION;
    int32_t limit;
    int err;

    if (fd < 0)
        return JS_NewInt32(context, fd);
    if (JS_ToInt32(context, &limit, backlog) == 0)
        object = new_server(weir__js_of(context), owner, &server);
    if (!JS_IsException(object)) {
        err = start_listening(server, object, fd, limit, is_own);
        if (err == 0)
            return object;
        JS_FreeValue(context, object);
        object = JS_NewInt32(context, weir__js_net_status(err));
    }
    if (is_own)
        (void)close(fd);
    return object;
}

/* listenIp(owner, address, port, backlog, isIpv6Only): a handle, or -errno */
static JSValue listen_ip(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    weir_address address;
    int err = weir__js_address_read(context, argv[1], argv[2], &address);

    if (err == -1 ||
        (err == 0 && !weir__js_address_check(context, 0, &address)))
        return JS_EXCEPTION;
    if (err == 0)
        err =
            weir__js_descriptor_bind(&address, JS_ToBool(context, argv[4]) > 0);
    return listen_on(context, argv[0], err, argv[3], true);
}

/* listenPath(owner, path, backlog, mode or undefined): a handle, or -errno */
static JSValue listen_path(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    weir_address address;
    int32_t mode = 0;
    int fd = weir__js_address_read_path(context, argv[1], &address);

    if (fd == -1 ||
        (!JS_IsUndefined(argv[3]) && JS_ToInt32(context, &mode, argv[3]) < 0) ||
        (fd == 0 &&
         !weir__js_address_check(context, WEIR__JS_MAY_WRITE, &address)))
        return JS_EXCEPTION;
    if (fd == 0)
        fd = weir__js_descriptor_bind(&address, false);
    if (fd >= 0 && mode != 0 &&
        weir__js_descriptor_set_mode(&address, (unsigned)mode) != 0) {
        int err = -errno;

        (void)close(fd);
        fd = err;
    }
    return listen_on(context, argv[0], fd, argv[2], true);
}

/* listenFd(owner, fd, backlog): a handle, which owns fd; or -errno */
static JSValue listen_fd(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    int32_t fd;

    if (!weir__js_check_may(context, WEIR__JS_MAY_NET) ||
        JS_ToInt32(context, &fd, argv[1]) < 0)
        return JS_EXCEPTION;
    return listen_on(context, argv[0], fd < 0 ? -EBADF : fd, argv[2], false);
}

static JSValue close_server(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    struct server *server = server_of(context, this_value);

    if (server == NULL)
        return JS_EXCEPTION;
    if (server->listener != NULL)
        close_listener(server);
    return JS_UNDEFINED;
}

enum { REF, UNREF, HAS_REF };

static JSValue change_ref(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv, int magic)
{
    struct server *server = server_of(context, this_value);

    if (server == NULL)
        return JS_EXCEPTION;
    if (magic == HAS_REF)
        return JS_NewBool(context, !server->is_unref);
    server->is_unref = magic == UNREF;
    if (server->listener != NULL)
        weir_listener_set_ref(server->listener, magic == REF);
    return JS_UNDEFINED;
}

/* setOwner(server) */
static JSValue set_owner(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct server *server = server_of(context, this_value);
    JSValue before;

    if (server == NULL)
        return JS_EXCEPTION;
    before = server->owner;
    server->owner = JS_DupValue(context, argv[0]);
    JS_FreeValue(context, before);
    return JS_UNDEFINED;
}

/* getsockname(): {address, family, port}, or undefined */
static JSValue get_address(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct server *server = server_of(context, this_value);
    weir_address address;

    if (server == NULL)
        return JS_EXCEPTION;
    if (server->listener == NULL)
        return JS_UNDEFINED;
    weir_listener_address(server->listener, &address);
    return weir__js_address_object(context, &address);
}

static JSValue get_fd(JSContext *context, JSValueConst this_value)
{
    struct server *server = server_of(context, this_value);

    if (server == NULL)
        return JS_EXCEPTION;
    return JS_NewInt32(context, server->listener != NULL
                                    ? weir_listener_fd(server->listener)
                                    : -1);
}

static const JSCFunctionListEntry methods[] = {
    JS_CFUNC_DEF("close", 0, close_server),
    JS_CFUNC_MAGIC_DEF("ref", 0, change_ref, REF),
    JS_CFUNC_MAGIC_DEF("unref", 0, change_ref, UNREF),
    JS_CFUNC_MAGIC_DEF("hasRef", 0, change_ref, HAS_REF),
    JS_CFUNC_DEF("setOwner", 1, set_owner),
    JS_CFUNC_DEF("getsockname", 0, get_address),
    JS_CGETSET_DEF("fd", get_fd, NULL),
};

/* ---- the host ---- */

/* onConnection(function) */
static JSValue set_hook(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    JSValue prototype = JS_NewObject(context);

    if (JS_IsException(prototype) ||
        WEIR__JS_SET_FUNCTIONS(context, prototype, methods) < 0) {
        JS_FreeValue(context, prototype);
        return JS_EXCEPTION;
    }
    JS_FreeValue(context, servers_of(js)->on_connection);
    servers_of(js)->on_connection = JS_DupValue(context, argv[0]);
    JS_SetClassProto(context, js->classes[WEIR__JS_SERVER], prototype);
    return JS_UNDEFINED;
}

static int init_servers(weir_js *js)
{
    weir__js_list_init(&servers_of(js)->open);
    servers_of(js)->on_connection = JS_UNDEFINED;
    return 0;
}

static void drop_servers(weir_js *js)
{
    struct servers *servers = servers_of(js);

    while (!weir__js_list_is_empty(&servers->open)) {
        struct server *server = (struct server *)servers->open.next;

        server->refs++;
        drop_values(js->runtime, server);
        drop_self(server);
        if (server->listener != NULL)
            close_listener(server);
        unref(server);
    }
    JS_FreeValue(js->context, servers->on_connection);
    servers->on_connection = JS_UNDEFINED;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("onConnection", 1, set_hook),
    JS_CFUNC_DEF("listenIp", 5, listen_ip),
    JS_CFUNC_DEF("listenPath", 4, listen_path),
    JS_CFUNC_DEF("listenFd", 3, listen_fd),
};

const struct weir__js_builtin weir__js_server_builtin = {
    WEIR__JS_LIBS("net/server"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &server_class,
    .state_bytes = sizeof(struct servers),
    .init = init_servers,
    .drop = drop_servers,
};
