/* SPDX-License-Identifier: MIT */
/*
 * server -- the servers of node:http and node:https.
 *
 * listen() opens a guest on the host's loop (weir/host/http.h).  close() closes
 * its listeners, and the guest ends with its last connection, as in Node.
 * drain() is ours.
 *
 * Tested by  test/js/http/node-http-*.js
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/builtin.h"
#include "core/context.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/property.h"
#include "http/control.h"
#include "http/control_loop.h"
#include "http/options.h"
#include "net/address.h"
#include "net/descriptor.h"
#include "net/secure.h"
#include "net/secure_context.h"
#include "nodehttp/nodehttp.h"
#include "weir/net/address.h"
#include "weir/net/tls.h"

struct weir__node_state *weir__node_state_of(const weir_js *js)
{
    return js->states[WEIR__JS_NODE_SERVER];
}

JSValue weir__node_call(weir_js *js, enum weir__node_hook hook,
                        JSValueConst captured, int count, JSValueConst *args)
{
    JSValue result = weir__js_context_call(js, captured,
                                           weir__node_state_of(js)->hooks[hook],
                                           JS_UNDEFINED, count, args);

    if (!JS_IsException(result))
        return result;
    weir__js_report(js);
    return JS_UNDEFINED;
}

/* ---- the end ---- */

void weir__node_server_unref(struct weir__node_server *server)
{
    if (--server->refs > 0)
        return;
    SSL_CTX_free(server->secure);
    free(server);
}

static void drop_values(struct weir__node_server *server)
{
    JSContext *context = server->js->context;
    JSValue values[] = {server->owner, server->context, server->request,
                        server->response};

    weir__js_list_remove(&server->link);
    weir__node_drop_peers(server);
    server->owner = server->context = server->request = server->response =
        JS_UNDEFINED;
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        JS_FreeValue(context, values[i]);
}

static void on_end(void *arg, weir_http_server *http, int status)
{
    struct weir__node_server *server = arg;
    weir_js *js = server->js;
    JSValueConst args[2];

    server->counts.size = sizeof(server->counts);
    (void)!weir_http_server_counts(http, &server->counts);
    server->http = NULL;
    weir_http_server_free(http);
    if (js != NULL) {
        if (weir__js_enter(js) == 0) {
            args[0] = server->owner;
            args[1] = JS_NewInt32(js->context, status);
            (void)weir__node_call(js, WEIR__NODE_CLOSED, server->context, 2,
                                  args);
            weir__js_leave(js);
        }
        if (server->js != NULL)
            drop_values(server);
    }
    weir__node_server_unref(server);
}

static void drop_servers(weir_js *js)
{
    struct weir__node_state *state = weir__node_state_of(js);

    weir__node_drop_exchanges(js);
    while (!weir__js_list_is_empty(&state->servers)) {
        struct weir__node_server *server =
            (struct weir__node_server *)state->servers.next;

        drop_values(server);
        server->js = NULL;
        (void)weir_http_server_drain(server->http, 0);
    }
    JS_FreeValue(js->context, state->kept);
    state->kept = JS_UNDEFINED;
}

static int init_servers(weir_js *js)
{
    struct weir__node_state *state = weir__node_state_of(js);

    weir__js_list_init(&state->servers);
    weir__js_list_init(&state->exchanges);
    state->kept = JS_UNDEFINED;
    return 0;
}

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct weir__node_server *server =
        weir__js_opaque(js, value, WEIR__JS_NODE_SERVER);

    if (server != NULL)
        weir__node_server_unref(server);
}

static const JSClassDef server_class = {.class_name = "HTTPServer",
                                        .finalizer = finalize};

/* ---- opening ---- */

/* Milliseconds of JavaScript, where 0 means no limit. */
static int64_t limit_of(int64_t ms)
{
    return ms <= 0 || ms > INT64_MAX / 1000000 ? -1 : ms * 1000000;
}

static int read_options(JSContext *context, JSValueConst given,
                        weir_http_server_options *options)
{
    int64_t header = 0, request = 0, keep_alive = 0, head_bytes = 0;
    int64_t fields = 0, connections = 0, deadline = 10000;

    if (weir__js_option_number(context, given, "headersTimeout", &header) < 0 ||
        weir__js_option_number(context, given, "requestTimeout", &request) <
            0 ||
        weir__js_option_number(context, given, "keepAliveTimeout",
                               &keep_alive) < 0 ||
        weir__js_option_number(context, given, "maxHeaderSize", &head_bytes) <
            0 ||
        weir__js_option_number(context, given, "maxHeadersCount", &fields) <
            0 ||
        weir__js_option_number(context, given, "maxConnections", &connections) <
            0 ||
        weir__js_option_number(context, given, "drainDeadline", &deadline) < 0)
        return -1;
    options->header_ns = limit_of(header);
    options->request_ns = limit_of(request);
    options->keep_alive_ns = limit_of(keep_alive);
    options->write_ns = -1;
    options->drain_deadline_ns = limit_of(deadline);
    options->head_bytes = options->target_bytes = (uint32_t)head_bytes;
    options->fields = (uint32_t)fields;
    options->body_bytes = -1;
    options->connections = (uint32_t)connections;
    return 0;
}

/* Open the C server.  Returns 0, or an error. */
static int open_server(struct weir__node_server *server,
                       weir_http_server_options *options, bool accepts_no_host)
{
    weir_http_guest_options guest = {.size = sizeof(guest),
                                     .accepts_any_expect = true,
                                     .accepts_no_host = accepts_no_host,
                                     .reads_late = true,
                                     .arg = server,
                                     .on_end = on_end,
                                     .on_connection = weir__node_on_connection,
                                     .on_disconnect = weir__node_on_disconnect,
                                     .on_refused = weir__node_on_refused};
    int err = weir__js_control_loop(&guest.control);

    options->half_close_aborts = true; /* as in Node */
    options->on_request = weir__node_on_request;
    options->arg = server;
    options->name = "node:http";
    if (err == 0)
        err = weir_http_server_open(&server->http, server->js->loop, options,
                                    &guest);
    return err;
}

/* Without memory for it, requests take longer. */
static void keep_object(JSContext *context)
{
    weir_js *js = weir__js_of(context);
    JSValue *kept = &weir__node_state_of(js)->kept;

    if (!JS_IsUndefined(*kept))
        return;
    *kept = JS_NewObjectClass(context, js->classes[WEIR__JS_NODE_EXCHANGE]);
    if (JS_IsException(*kept)) {
        JS_FreeValue(context, JS_GetException(context));
        *kept = JS_UNDEFINED;
    }
}

/* Make the struct of an object. */
static struct weir__node_server *make_server(JSContext *context,
                                             JSValue *object)
{
    weir_js *js = weir__js_of(context);
    struct weir__node_server *server;

    *object = JS_NewObjectClass(context, js->classes[WEIR__JS_NODE_SERVER]);
    if (JS_IsException(*object))
        return NULL;
    server = calloc(1, sizeof(*server));
    if (server == NULL) {
        JS_FreeValue(context, *object);
        JS_ThrowOutOfMemory(context);
        return NULL;
    }
    server->refs = 1;
    server->js = js;
    server->owner = server->context = server->request = server->response =
        JS_UNDEFINED;
    weir__js_list_init(&server->peers);
    JS_SetOpaque(*object, server);
    return server;
}

/* Get the configuration of an option secureContext, without a reference; NULL if
 * there is none.  Returns 0, or -1 with an exception. */
static int read_tls(JSContext *context, JSValueConst given, weir_tls **tls)
{
    int64_t verify_mode = SSL_VERIFY_NONE;
    JSValue value = JS_GetPropertyStr(context, given, "secureContext");
    bool is_given = JS_IsObject(value);

    if (JS_IsException(value) ||
        weir__js_option_number(context, given, "verifyMode", &verify_mode) < 0)
        is_given = false;
    if (is_given)
        *tls = weir__js_secure_serve(context, value, (int)verify_mode);
    JS_FreeValue(context, value); /* the options hold it */
    return JS_HasException(context) ? -1 : 0;
}

/* open(owner, options) -> the server's object */
static JSValue open(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    weir_http_server_options options = {.size = sizeof(options)};
    JSValue self;
    struct weir__node_server *server = make_server(context, &self);
    int64_t needs_no_host = 0;
    int err;

    if (server == NULL)
        return JS_EXCEPTION;
    if (read_options(context, argv[1], &options) < 0 ||
        weir__js_option_number(context, argv[1], "noHost", &needs_no_host) <
            0 ||
        read_tls(context, argv[1], &options.tls) < 0) {
        JS_FreeValue(context, self);
        return JS_EXCEPTION;
    }
    err = open_server(server, &options, needs_no_host != 0);
    if (err != 0) {
        JS_FreeValue(context, self);
        return weir__js_throw_status(context, err);
    }
    server->refs++; /* on_end */
    server->owner = JS_DupValue(context, argv[0]);
    server->context = weir__js_context_capture(server->js);
    weir__js_list_add(&weir__node_state_of(server->js)->servers, &server->link);
    keep_object(context);
    return self;
}

/* ---- methods ---- */

static struct weir__node_server *server_of(JSContext *context,
                                           JSValueConst value)
{
    struct weir__node_server *server =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_NODE_SERVER);

    if (server == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    return server;
}

/* listen(server, address, {ipv6Only, mode, backlog, reusePort, fd}): a status */
static JSValue listen(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct weir__node_server *server = server_of(context, argv[0]);
    weir_listener_options options = {.size = sizeof(options)};
    const char *text = NULL;
    int err = WEIR_ECLOSED;

    if (server == NULL ||
        weir__js_listener_options(context, argv[2], &options) < 0)
        return JS_EXCEPTION;
    if (!options.has_fd) {
        text = JS_ToCString(context, argv[1]);
        if (text == NULL)
            return JS_EXCEPTION;
    }
    if (!weir__js_address_check_text(context, text)) {
        JS_FreeCString(context, text);
        return JS_EXCEPTION;
    }
    if (server->http != NULL)
        err = weir_http_server_listen(server->http, text, &options);
    JS_FreeCString(context, text);
    return JS_NewInt32(context, err);
}

/* adopt(server, descriptor): serve a connection.  0, or an error; the connection
 * is closed then if the server has ended. */
static JSValue adopt(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    struct weir__node_server *server = server_of(context, argv[0]);
    weir_stream_options options = {.size = sizeof(options), .name = "http"};
    weir_stream *stream;
    int fd, err;

    if (server == NULL)
        return JS_EXCEPTION;
    fd = weir__js_descriptor_fd(context, argv[1]);
    if (fd < 0)
        return JS_EXCEPTION;
    if (server->http == NULL)
        return JS_NewInt32(context, WEIR_ECLOSED);
    err = weir_stream_open(&stream, server->js->loop, fd, &options);
    if (err != 0)
        return JS_NewInt32(context, err);
    weir__js_descriptor_forget(context, argv[1]);
    err = weir_http_server_adopt(server->http, stream);
    if (err != 0)
        weir_stream_close(stream, NULL, NULL);
    return JS_NewInt32(context, err);
}

/* adoptHandle(server, handle): serve the stream of a handle that was never used.
 * 0, or an error; the stream is closed then. */
static JSValue adopt_handle(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    struct weir__node_server *server = server_of(context, argv[0]);
    struct weir__js_handle *handle = weir__js_handle_of(context, argv[1]);
    weir_stream *stream;
    int err;

    if (server == NULL || handle == NULL)
        return JS_EXCEPTION;
    if (server->http == NULL || handle->stream == NULL)
        return JS_NewInt32(context, WEIR_ECLOSED);
    stream = weir__js_handle_take(handle);
    err = weir_http_server_adopt(server->http, stream);
    if (err != 0)
        weir_stream_close(stream, NULL, NULL);
    return JS_NewInt32(context, err);
}

/* fd(server): the descriptor of its listener, or -1 */
static JSValue fd_of(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    struct weir__node_server *server = server_of(context, argv[0]);
    int fd;

    if (server == NULL)
        return JS_EXCEPTION;
    fd = server->http != NULL ? weir_http_server_fd(server->http) : -1;
    return JS_NewInt32(context, fd < 0 ? -1 : fd);
}

/* address(server): [host, port, family], the path of a Unix socket, or
 * undefined */
static JSValue address_of(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct weir__node_server *server = server_of(context, argv[0]);
    char text[WEIR_ADDRESS_TEXT];
    weir_address address;
    JSValue values[3];
    bool is_six;

    if (server == NULL)
        return JS_EXCEPTION;
    if (server->http == NULL ||
        weir_http_server_address(server->http, 0, &address) != 0)
        return JS_UNDEFINED;
    weir_address_format_host(&address, text, sizeof(text));
    if (weir_address_family_of(&address) == WEIR_ADDRESS_UNIX)
        return JS_NewString(context, text);
    is_six = weir_address_family_of(&address) == WEIR_ADDRESS_IPV6;
    values[0] = JS_NewString(context, text);
    values[1] = JS_NewInt32(context, weir_address_port(&address));
    values[2] = JS_NewString(context, is_six ? "IPv6" : "IPv4");
    return weir__js_new_array(context, 3, values);
}

/* close(server) */
static JSValue close(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    struct weir__node_server *server = server_of(context, argv[0]);

    if (server == NULL)
        return JS_EXCEPTION;
    if (server->http != NULL)
        (void)weir_http_server_close(server->http);
    return JS_UNDEFINED;
}

/* closePeers(server, isIdleOnly) */
static JSValue close_peers(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct weir__node_server *server = server_of(context, argv[0]);
    bool is_idle_only = JS_ToBool(context, argv[1]) == 1;
    struct weir__js_link *each, *next;

    if (server == NULL)
        return JS_EXCEPTION;
    /* on_disconnect, which removes a peer, is never called meanwhile. */
    for (each = server->peers.next; each != &server->peers; each = next) {
        struct weir__node_peer *peer = (struct weir__node_peer *)each;

        next = each->next;
        peer->is_closed |= !is_idle_only;
        if (!is_idle_only)
            weir_http_connection_close(peer->http, true);
        else if (weir_http_connection_is_idle(peer->http))
            weir_http_connection_close(peer->http, false);
    }
    return JS_UNDEFINED;
}

/* countPeers(server) */
static JSValue count_peers(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct weir__node_server *server = server_of(context, argv[0]);
    int32_t count = 0;

    if (server == NULL)
        return JS_EXCEPTION;
    for (struct weir__js_link *each = server->peers.next;
         each != &server->peers; each = each->next)
        count++;
    return JS_NewInt32(context, count);
}

/* drain(server, milliseconds); negative: the server's own deadline */
static JSValue drain(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    struct weir__node_server *server = server_of(context, argv[0]);

    return server == NULL
               ? JS_EXCEPTION
               : weir__js_control_drain(context, server->http, argv[1]);
}

/* setTimes(server, headers, request, keepAlive); 0: no limit */
static JSValue set_times(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct weir__node_server *server = server_of(context, argv[0]);
    int64_t times[3];

    if (server == NULL)
        return JS_EXCEPTION;
    for (int i = 0; i < 3; i++)
        if (JS_ToInt64(context, &times[i], argv[i + 1]) < 0)
            return JS_EXCEPTION;
    if (server->http != NULL)
        weir_http_server_set_times(server->http, limit_of(times[0]),
                                   limit_of(times[1]), limit_of(times[2]));
    return JS_UNDEFINED;
}

/* setTemplates(server, request, response): make messages like these.  Without
 * the engine's part of it, the library makes them. */
static JSValue set_templates(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    struct weir__node_server *server = server_of(context, argv[0]);

    if (server == NULL)
        return JS_EXCEPTION;
#ifdef JS_HAS_TEMPLATES
    if (!JS_IsUndefined(server->owner)) {
        JS_FreeValue(context, server->request);
        JS_FreeValue(context, server->response);
        server->request = JS_DupValue(context, argv[1]);
        server->response = JS_DupValue(context, argv[2]);
    }
#endif
    return JS_UNDEFINED;
}

/* setSecureContext(server, context): use another one from now on */
static JSValue set_secure(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct weir__node_server *server = server_of(context, argv[0]);
    SSL_CTX *secure = weir__js_secure_context_of(context, argv[1]);

    if (server == NULL || secure == NULL)
        return JS_EXCEPTION;
    if (weir__js_secure_serve(context, argv[1], SSL_VERIFY_NONE) == NULL)
        return JS_EXCEPTION;
    SSL_CTX_up_ref(secure);
    SSL_CTX_free(server->secure);
    server->secure = secure;
    return JS_UNDEFINED;
}

/* setRef(server, isRef) */
static JSValue set_ref(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct weir__node_server *server = server_of(context, argv[0]);

    return server == NULL
               ? JS_EXCEPTION
               : weir__js_control_set_ref(context, server->http, argv[1]);
}

/* watch(server): tell the program of connections from now on */
static JSValue watch(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    struct weir__node_server *server = server_of(context, argv[0]);

    if (server == NULL)
        return JS_EXCEPTION;
    server->wants_peers = true;
    return JS_UNDEFINED;
}

/* counts(server): what it has done */
static JSValue counts_of(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct weir__node_server *server = server_of(context, argv[0]);

    return server == NULL ? JS_EXCEPTION
                          : weir__js_control_counts(context, server->http,
                                                    &server->counts);
}

/* isClosed(server): whether the C server has ended */
static JSValue is_closed(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct weir__node_server *server = server_of(context, argv[0]);

    return server == NULL ? JS_EXCEPTION
                          : JS_NewBool(context, server->http == NULL);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("open", 2, open),
    JS_CFUNC_DEF("listen", 3, listen),
    JS_CFUNC_DEF("adopt", 2, adopt),
    JS_CFUNC_DEF("adoptHandle", 2, adopt_handle),
    JS_CFUNC_DEF("fd", 1, fd_of),
    JS_CFUNC_DEF("address", 1, address_of),
    JS_CFUNC_DEF("close", 1, close),
    JS_CFUNC_DEF("closePeers", 2, close_peers),
    JS_CFUNC_DEF("countPeers", 1, count_peers),
    JS_CFUNC_DEF("drain", 2, drain),
    JS_CFUNC_DEF("setTimes", 4, set_times),
    JS_CFUNC_DEF("setTemplates", 3, set_templates),
    JS_CFUNC_DEF("setSecureContext", 2, set_secure),
    JS_CFUNC_DEF("setRef", 2, set_ref),
    JS_CFUNC_DEF("watch", 1, watch),
    JS_CFUNC_DEF("counts", 1, counts_of),
    JS_CFUNC_DEF("isClosed", 1, is_closed),
};

const struct weir__js_builtin weir__js_node_server_builtin = {
    WEIR__JS_LIBS("nodehttp/binding"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &server_class,
    .state_bytes = sizeof(struct weir__node_state),
    .hook_count = WEIR__NODE_HOOKS,
    .init = init_servers,
    .drop = drop_servers,
};
