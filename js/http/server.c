/* SPDX-License-Identifier: MIT */
/*
 * server -- the servers of weir:http.
 *
 * A server is a guest on the host's loop (weir/host/http.h).  Each request
 * calls the program's function with a Request and a context.  If that returns a
 * Response, or a promise that is already fulfilled with one, the request is
 * answered at once, without a job of the engine.
 *
 * Life      While a server is open, it holds its object.  on_end releases that.
 *           If the host ends first, the server is cut off, and the struct stays
 *           until on_end.
 *
 * Tested by  test/js/http/serve-*.mjs, test/net/peers/drain.py
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "core/context.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/property.h"
#include "http/answer.h"
#include "http/control.h"
#include "http/control_loop.h"
#include "http/options.h"
#include "http/report.h"
#include "http/request.h"
#include "http/response.h"
#include "net/address.h"
#include "weir/host/http.h"
#include "weir/net/tls.h"

/* The functions of js/lib/http/serve.js that C calls. */
enum {
    HOOK_LATER,  /* (context, promise) */
    HOOK_FAILED, /* (context, error) */
    HOOKS
};

/* The classes of which an object is made for each request.  One of each is
 * kept, because the engine frees what objects of a class have in common with the
 * last of them. */
static const int classes[] = {WEIR__JS_REQUEST, WEIR__JS_RESPONSE,
                              WEIR__JS_ANSWER, WEIR__JS_HEADERS};
enum { CLASSES = sizeof(classes) / sizeof(*classes) };

struct state {
    JSValue hooks[HOOKS]; /* first */
    struct weir__js_link servers;
    JSValue kept[CLASSES];
};

struct server {
    struct weir__js_link link; /* in the state's list, while open */
    unsigned refs;             /* the object, and on_end */
    weir_js *js;               /* NULL: the host has ended */
    weir_http_server *http;    /* NULL: it has ended */
    bool is_tls;
    weir_http_counts counts; /* when it has ended */
    JSValue self;            /* the object, while open */
    JSValue fetch, receiver, on_end;
    int fetch_args;  /* how many arguments `fetch` can see, up to 2 */
    JSValue context; /* captured (core/context.h) */
};

static struct state *state_of(const weir_js *js)
{
    return js->states[WEIR__JS_HTTP_SERVER];
}

/* ---- requests ---- */

static JSValue call_hook(JSContext *context, int hook, JSValueConst first,
                         JSValueConst second)
{
    JSValueConst args[] = {first, second};

    return JS_Call(context, state_of(weir__js_of(context))->hooks[hook],
                   JS_UNDEFINED, 2, args);
}

/* Pass the pending exception to the library, which answers 500 and reports
 * it. */
static void fail(weir_js *js, struct weir__js_exchange *exchange)
{
    JSContext *context = js->context;
    JSValue error = JS_GetException(context), result;
    JSValue handle = weir__js_exchange_object(context, exchange, JS_UNDEFINED);

    result = JS_IsException(handle)
                 ? JS_EXCEPTION
                 : call_hook(context, HOOK_FAILED, handle, error);
    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(context, result);
    JS_FreeValue(context, handle);
    JS_FreeValue(context, error);
    weir__js_exchange_refuse(exchange, 500);
}

/* What `fetch` has returned.  The request's object is gone, unless the program
 * holds it. */
static void take_result(weir_js *js, struct weir__js_exchange *exchange,
                        JSValueConst value)
{
    JSContext *context = js->context;
    JSValue handle, result;

    if (weir__js_response_of(context, value) != NULL || !JS_IsObject(value)) {
        if (weir__js_answer(context, exchange, value) < 0)
            fail(js, exchange);
        return;
    }
    if (JS_PromiseState(context, value) == JS_PROMISE_FULFILLED) {
        result = JS_PromiseResult(context, value);
        if (weir__js_answer(context, exchange, result) < 0)
            fail(js, exchange);
        JS_FreeValue(context, result);
        return;
    }
    if (!weir__js_exchange_open(exchange))
        return;
    handle = weir__js_exchange_object(context, exchange, JS_UNDEFINED);
    result = JS_IsException(handle)
                 ? JS_EXCEPTION
                 : call_hook(context, HOOK_LATER, handle, value);
    JS_FreeValue(context, handle);
    if (JS_IsException(result))
        fail(js, exchange);
    JS_FreeValue(context, result);
}

/* What `fetch` cannot see is not made. */
static JSValue call_fetch(struct server *server,
                          struct weir__js_exchange *exchange)
{
    JSContext *context = server->js->context;
    JSValue args[2] = {JS_UNDEFINED, JS_UNDEFINED}, result = JS_EXCEPTION;

    if (server->fetch_args > 0)
        args[0] = weir__js_request_new(context, exchange);
    if (server->fetch_args > 1 && !JS_IsException(args[0]))
        args[1] = weir__js_exchange_object(context, exchange, args[0]);
    if (!JS_IsException(args[0]) && !JS_IsException(args[1]))
        result = weir__js_context_call(
            server->js, server->context, server->fetch, server->receiver,
            server->fetch_args, (JSValueConst *)args);
    JS_FreeValue(context, args[1]);
    JS_FreeValue(context, args[0]);
    return result;
}

static void serve(struct server *server, weir_http_request *http)
{
    weir_js *js = server->js;
    struct weir__js_exchange *exchange =
        weir__js_exchange_new(js, http, server->is_tls);
    JSValue result;

    if (exchange == NULL) {
        (void)weir_http_respond(http, 503, NULL, NULL, 0);
        return;
    }
    result = call_fetch(server, exchange);
    if (JS_IsException(result))
        fail(js, exchange);
    else
        take_result(js, exchange, result);
    JS_FreeValue(js->context, result);
    weir__js_exchange_unref(exchange);
}

static void on_request(void *arg, weir_http_request *http)
{
    struct server *server = arg;
    weir_js *js = server->js;

    if (js == NULL || weir__js_enter(js) != 0) {
        (void)weir_http_respond(http, 503, NULL, NULL, 0);
        return;
    }
    serve(server, http);
    weir__js_leave(js);
}

/* ---- the end ---- */

static void unref_server(struct server *server)
{
    if (--server->refs == 0)
        free(server);
}

/* Returns the object, which the caller releases. */
static JSValue drop_values(struct server *server)
{
    JSContext *context = server->js->context;
    JSValue self = server->self;
    JSValue values[] = {server->fetch, server->receiver, server->on_end,
                        server->context};

    weir__js_list_remove(&server->link);
    server->self = server->fetch = server->receiver = server->on_end =
        server->context = JS_UNDEFINED;
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        JS_FreeValue(context, values[i]);
    return self;
}

static void call_end(struct server *server, int status)
{
    weir_js *js = server->js;
    JSValueConst arg = JS_NewInt32(js->context, status);
    JSValue result = weir__js_context_call(js, server->context, server->on_end,
                                           JS_UNDEFINED, 1, &arg);

    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(js->context, result);
}

static void on_end(void *arg, weir_http_server *http, int status)
{
    struct server *server = arg;
    weir_js *js = server->js;

    server->counts.size = sizeof(server->counts);
    (void)!weir_http_server_counts(http, &server->counts);
    server->http = NULL;
    weir_http_server_free(http);
    if (js != NULL) {
        if (weir__js_enter(js) == 0) {
            call_end(server, status);
            weir__js_leave(js);
        }
        JS_FreeValue(js->context, drop_values(server));
    }
    unref_server(server);
}

static void drop_servers(weir_js *js)
{
    struct state *state = state_of(js);

    while (!weir__js_list_is_empty(&state->servers)) {
        struct server *server = (struct server *)state->servers.next;
        JSValue self = drop_values(server);

        server->js = NULL;
        (void)weir_http_server_drain(server->http, 0);
        JS_FreeValue(js->context, self);
    }
    weir__js_values_drop(js->context, state->kept, CLASSES);
}

static int init_servers(weir_js *js)
{
    struct state *state = state_of(js);

    weir__js_list_init(&state->servers);
    weir__js_values_init(state->kept, CLASSES);
    return 0;
}

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct server *server = weir__js_opaque(js, value, WEIR__JS_HTTP_SERVER);

    if (server != NULL)
        unref_server(server);
}

static const JSClassDef server_class = {.class_name = "Server",
                                        .finalizer = finalize};

/* ---- opening ---- */

/* Open the server of an object.  Returns 0, or an error. */
static int open_server(struct server *server, weir_http_server_options *options)
{
    weir_http_guest_options guest = {.size = sizeof(guest),
                                     .arg = server,
                                     .on_end = on_end,
                                     .reads_on = true};
    int err = weir__js_control_loop(&guest.control);

    options->on_request = on_request;
    options->arg = server;
    options->name = "serve";
    if (err == 0)
        err = weir_http_server_open(&server->http, server->js->loop, options,
                                    &guest);
    return err;
}

/* Without memory for them, requests take longer. */
static void keep_objects(JSContext *context)
{
    weir_js *js = weir__js_of(context);
    struct state *state = state_of(js);

    for (int i = 0; i < CLASSES; i++) {
        if (!JS_IsUndefined(state->kept[i]))
            continue;
        state->kept[i] = JS_NewObjectClass(context, js->classes[classes[i]]);
        if (JS_IsException(state->kept[i])) {
            JS_FreeValue(context, JS_GetException(context));
            state->kept[i] = JS_UNDEFINED;
        }
    }
}

static int count_arguments(JSValueConst function)
{
    int count = -1;

#ifdef JS_HAS_VISIBLE_ARGUMENTS
    count = JS_CountVisibleArguments(function);
#endif
    return count < 0 || count > 2 ? 2 : count;
}

static void fill_server(JSContext *context, struct server *server,
                        JSValueConst self, JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);

    server->refs++; /* on_end */
    server->self = JS_DupValue(context, self);
    server->fetch = JS_DupValue(context, argv[1]);
    server->fetch_args = count_arguments(argv[1]);
    server->receiver = JS_DupValue(context, argv[2]);
    server->on_end = JS_DupValue(context, argv[3]);
    server->context = weir__js_context_capture(js);
    weir__js_list_add(&state_of(js)->servers, &server->link);
    keep_objects(context);
}

/* open(options, fetch, receiver, onEnd) -> the server's object */
static JSValue open(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    weir_http_server_options options = {.size = sizeof(options)};
    JSValue self =
        JS_NewObjectClass(context, js->classes[WEIR__JS_HTTP_SERVER]);
    struct server *server;
    int err;

    if (JS_IsException(self))
        return self;
    server = calloc(1, sizeof(*server));
    if (server == NULL) {
        JS_FreeValue(context, self);
        return JS_ThrowOutOfMemory(context);
    }
    server->refs = 1;
    server->js = js;
    JS_SetOpaque(self, server);
    if (weir__js_server_options(context, argv[0], &options) < 0 ||
        weir__js_server_tls(context, argv[0], &options.tls) < 0) {
        JS_FreeValue(context, self);
        return JS_EXCEPTION;
    }
    server->is_tls = options.tls != NULL;
    err = open_server(server, &options);
    weir_tls_unref(options.tls);
    if (err != 0) {
        JS_FreeValue(context, self);
        return weir__js_throw_status(context, err);
    }
    fill_server(context, server, self, argv);
    return self;
}

/* ---- methods ---- */

static struct server *server_of(JSContext *context, JSValueConst value)
{
    struct server *server =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_HTTP_SERVER);

    if (server == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    return server;
}

/* listen(server, address, {reusePort, ipv6Only, mode, backlog}) */
static JSValue listen(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct server *server = server_of(context, argv[0]);
    weir_listener_options options = {.size = sizeof(options)};
    const char *text;
    int err;

    if (server == NULL ||
        weir__js_listener_options(context, argv[2], &options) < 0)
        return JS_EXCEPTION;
    text = JS_ToCString(context, argv[1]);
    if (text == NULL)
        return JS_EXCEPTION;
    if (!weir__js_address_check_text(context, text)) {
        JS_FreeCString(context, text);
        return JS_EXCEPTION;
    }
    err = server->http != NULL
              ? weir_http_server_listen(server->http, text, &options)
              : WEIR_ECLOSED;
    if (err != 0)
        weir__js_throw_system(context, err, "listen", text, NULL);
    JS_FreeCString(context, text);
    return err != 0 ? JS_EXCEPTION : JS_UNDEFINED;
}

/* address(server): [host, port], or undefined */
static JSValue address_of(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct server *server = server_of(context, argv[0]);
    char text[WEIR_ADDRESS_TEXT];
    weir_address address;
    JSValue pair[2];

    if (server == NULL)
        return JS_EXCEPTION;
    if (server->http == NULL ||
        weir_http_server_address(server->http, 0, &address) != 0)
        return JS_UNDEFINED;
    weir_address_format_host(&address, text, sizeof(text));
    pair[0] = JS_NewString(context, text);
    pair[1] = JS_NewInt32(context, weir_address_port(&address));
    return weir__js_new_array(context, 2, pair);
}

/* drain(server, milliseconds); negative: the server's own deadline */
static JSValue drain(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    struct server *server = server_of(context, argv[0]);

    return server == NULL
               ? JS_EXCEPTION
               : weir__js_control_drain(context, server->http, argv[1]);
}

/* setRef(server, isRef) */
static JSValue set_ref(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct server *server = server_of(context, argv[0]);

    return server == NULL
               ? JS_EXCEPTION
               : weir__js_control_set_ref(context, server->http, argv[1]);
}

/* counts(server): what it has done */
static JSValue counts_of(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct server *server = server_of(context, argv[0]);

    return server == NULL ? JS_EXCEPTION
                          : weir__js_control_counts(context, server->http,
                                                    &server->counts);
}

enum { SHOWN = 64 };

/* holders(server): its connections, the busy ones first, up to SHOWN */
static JSValue holders_of(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct server *server = server_of(context, argv[0]);
    weir_http_holder holders[SHOWN];
    size_t count = 0;
    JSValue list;

    if (server == NULL)
        return JS_EXCEPTION;
    if (server->http != NULL)
        count = weir_http_server_report(server->http, holders, SHOWN,
                                        sizeof(*holders));
    list = JS_NewArray(context);
    for (size_t i = 0; i < count && i < SHOWN && !JS_IsException(list); i++)
        weir__js_put_element(context, &list, (uint32_t)i,
                             weir__js_report_holder(context, &holders[i]));
    return list;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("open", 4, open),
    JS_CFUNC_DEF("listen", 3, listen),
    JS_CFUNC_DEF("address", 1, address_of),
    JS_CFUNC_DEF("drain", 2, drain),
    JS_CFUNC_DEF("setRef", 2, set_ref),
    JS_CFUNC_DEF("counts", 1, counts_of),
    JS_CFUNC_DEF("holders", 1, holders_of),
};

const struct weir__js_builtin weir__js_http_server_builtin = {
    WEIR__JS_LIBS("http/serve"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &server_class,
    .state_bytes = sizeof(struct state),
    .hook_count = HOOKS,
    .init = init_servers,
    .drop = drop_servers,
};
