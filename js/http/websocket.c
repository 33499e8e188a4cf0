/* SPDX-License-Identifier: MIT */
/*
 * websocket -- WebSockets, of servers and clients, on weir/net/websocket.h.
 *
 * js/lib/http/websocket.js has the class.  Each WebSocket calls one function of
 * it, with the number of an event.
 *
 * Life      While it connects or is open, a WebSocket is in the host's list and
 *           holds that function.  If the host ends first, it is reset, and the
 *           struct stays until its last callback.
 *
 * Tested by  test/js/http/websocket-*.mjs
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "core/context.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/permission.h"
#include "http/answer.h"
#include "http/body.h"
#include "weir/net/tls.h"
#include "weir/net/websocket.h"

enum { MESSAGE_BYTES = 64 << 20 };

/* The same numbers as in js/lib/http/websocket.js. */
enum event {
    EVENT_OPEN,    /* (protocol) */
    EVENT_FAILED,  /* (text) */
    EVENT_MESSAGE, /* (string or ArrayBuffer) */
    EVENT_CLOSE,   /* (code, reason, isClean) */
    EVENT_DRAIN,   /* () */
};

struct state {
    struct weir__js_link list;
    weir_tls *tls; /* for wss:, from the first use on */
};

struct websocket {
    struct weir__js_link link; /* in the host's list, until it has ended */
    unsigned refs;             /* the object, and the library */
    weir_js *js;               /* NULL: the host has ended */
    weir_websocket *open;      /* NULL: not open */
    weir_websocket_connecting *connecting;
    weir_websocket_deflate deflate; /* as agreed on */
    JSValue on_event;
    JSValue context;   /* captured (core/context.h) */
    char protocols[1]; /* of the client, while it connects */
};

static struct state *state_of(const weir_js *js)
{
    return js->states[WEIR__JS_WEBSOCKET];
}

static void unref(struct websocket *websocket)
{
    if (--websocket->refs == 0)
        free(websocket);
}

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct websocket *websocket =
        weir__js_opaque(js, value, WEIR__JS_WEBSOCKET);

    if (websocket != NULL)
        unref(websocket);
}

static const JSClassDef websocket_class = {.class_name = "WebSocketHandle",
                                           .finalizer = finalize};

/* ---- events ---- */

/* Call the library.  Takes the values, of which one may be an exception. */
static void call(struct websocket *websocket, enum event event, JSValue first,
                 JSValue second, JSValue third)
{
    weir_js *js = websocket->js;
    JSContext *context = js->context;
    JSValueConst args[] = {JS_NewInt32(context, event), first, second, third};
    JSValue held = JS_DupValue(context, websocket->on_event);
    JSValue result = JS_IsException(first) || JS_IsException(second)
                         ? JS_EXCEPTION
                         : weir__js_context_call(js, websocket->context, held,
                                                 JS_UNDEFINED, 4, args);

    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(context, result);
    JS_FreeValue(context, held);
    JS_FreeValue(context, first);
    JS_FreeValue(context, second);
    JS_FreeValue(context, third);
}

/* Enter JavaScript for an event.  False: nobody is there to be told. */
static bool enter(struct websocket *websocket)
{
    return websocket->js != NULL && weir__js_enter(websocket->js) == 0;
}

static JSValue text_of(weir_js *js, weir_bytes bytes)
{
    return bytes.size > 0
               ? weir__js_utf8_string(js->context, bytes.data, bytes.size)
               : JS_NewStringLen(js->context, "", 0);
}

static void on_message(void *arg, weir_websocket *open,
                       weir_websocket_kind kind, weir_bytes bytes, bool is_last)
{
    struct websocket *websocket = arg;
    weir_js *js = websocket->js;
    static const uint8_t none[1];

    if (!enter(websocket))
        return;
    call(websocket, EVENT_MESSAGE,
         kind == WEIR_WEBSOCKET_TEXT
             ? text_of(js, bytes)
             : JS_NewArrayBufferCopy(
                   js->context, bytes.size > 0 ? bytes.data : none, bytes.size),
         JS_UNDEFINED, JS_UNDEFINED);
    weir__js_leave(js);
}

static void on_drain(void *arg, weir_websocket *open)
{
    struct websocket *websocket = arg;
    weir_js *js = websocket->js;

    if (!enter(websocket))
        return;
    call(websocket, EVENT_DRAIN, JS_UNDEFINED, JS_UNDEFINED, JS_UNDEFINED);
    weir__js_leave(js);
}

/* Release the values, and leave the list. */
static void drop_values(struct websocket *websocket)
{
    JSContext *context = websocket->js->context;
    JSValue on_event = websocket->on_event, captured = websocket->context;

    weir__js_list_remove(&websocket->link);
    websocket->on_event = websocket->context = JS_UNDEFINED;
    JS_FreeValue(context, on_event);
    JS_FreeValue(context, captured);
}

static void end(struct websocket *websocket, unsigned code, weir_bytes reason,
                bool is_clean)
{
    weir_js *js = websocket->js;

    websocket->open = NULL;
    websocket->connecting = NULL;
    if (js != NULL) {
        if (weir__js_enter(js) == 0) {
            call(websocket, EVENT_CLOSE,
                 JS_NewInt32(js->context, (int32_t)code), text_of(js, reason),
                 JS_NewBool(js->context, is_clean));
            weir__js_leave(js);
        }
        drop_values(websocket);
    }
    unref(websocket);
}

static void on_close(void *arg, weir_websocket *open,
                     const weir_websocket_end *how)
{
    end(arg, how->code, how->reason, how->is_clean);
}

static void on_connected(void *arg, int status, weir_websocket *open,
                         const weir_websocket_handshake *handshake)
{
    struct websocket *websocket = arg;
    weir_js *js = websocket->js;

    websocket->connecting = NULL;
    websocket->open = open;
    if (status != 0) {
        if (enter(websocket)) {
            call(websocket, EVENT_FAILED,
                 JS_NewString(js->context, weir_error_text(status)),
                 JS_UNDEFINED, JS_UNDEFINED);
            weir__js_leave(js);
        }
        end(websocket, WEIR_WEBSOCKET_ABNORMAL, (weir_bytes){NULL, 0}, false);
    } else if (js == NULL) {
        weir_websocket_reset(open);
    } else if (weir__js_enter(js) == 0) {
        websocket->deflate = handshake->deflate;
        call(websocket, EVENT_OPEN, text_of(js, handshake->subprotocol),
             JS_UNDEFINED, JS_UNDEFINED);
        weir__js_leave(js);
    }
}

/* ---- opening ---- */

static const weir_websocket_options common = {
    .size = sizeof(common),
    .on_message = on_message,
    .on_close = on_close,
    .on_drain = on_drain,
    .max_message_bytes = MESSAGE_BYTES,
};

/* Make the object and the struct behind it. */
static JSValue new_object(JSContext *context, const char *protocols,
                          struct websocket **made)
{
    weir_js *js = weir__js_of(context);
    JSValue self = JS_NewObjectClass(context, js->classes[WEIR__JS_WEBSOCKET]);
    size_t size = protocols != NULL ? strlen(protocols) : 0;
    struct websocket *websocket;

    if (JS_IsException(self))
        return self;
    websocket = malloc(sizeof(*websocket) + size);
    if (websocket == NULL) {
        JS_FreeValue(context, self);
        return JS_ThrowOutOfMemory(context);
    }
    memset(websocket, 0, sizeof(*websocket));
    if (size > 0)
        memcpy(websocket->protocols, protocols, size + 1);
    websocket->refs = 1;
    websocket->js = js;
    websocket->on_event = websocket->context = JS_UNDEFINED;
    JS_SetOpaque(self, websocket);
    *made = websocket;
    return self;
}

/* The library has it from now on, and calls the function. */
static void hold(JSContext *context, struct websocket *websocket,
                 JSValueConst on_event)
{
    weir_js *js = websocket->js;

    websocket->refs++;
    websocket->on_event = JS_DupValue(context, on_event);
    websocket->context = weir__js_context_capture(js);
    weir__js_list_add(&state_of(js)->list, &websocket->link);
}

/* What weir_websocket_upgrade() will agree on. */
static int preview_handshake(struct websocket *websocket,
                             const weir_http_request *request,
                             const weir_websocket_handshake_options *wanted)
{
    weir_websocket_handshake handshake;
    weir_http_field *fields = NULL, field;
    size_t count = 0;
    int err;

    while (weir_http_field_at(request, count, &field))
        count++;
    fields = malloc((count + 1) * sizeof(*fields));
    if (fields == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        (void)weir_http_field_at(request, i, &fields[i]);
    err = weir_websocket_accept(&handshake, weir_http_method(request), fields,
                                count, wanted);
    free(fields);
    if (err == 0)
        websocket->deflate = handshake.deflate;
    return err == WEIR_EWEBSOCKET ? 0 : err; /* the upgrade refuses it */
}

/* upgrade(exchange, protocol, onEvent, deflate) -> the object; null if the
 * request asks for no WebSocket, and was answered */
static JSValue upgrade(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct weir__js_exchange *exchange = weir__js_exchange_of(context, argv[0]);
    weir_websocket_handshake_options wanted = {.size = sizeof(wanted)};
    weir_websocket_options options = common;
    struct websocket *websocket;
    const char *protocol = NULL;
    JSValue self;
    int err;

    if (exchange == NULL)
        return JS_EXCEPTION;
    if (exchange->is_answered || exchange->is_over)
        return weir__js_throw_status(context, -EALREADY);
    if (JS_IsString(argv[1])) {
        protocol = JS_ToCString(context, argv[1]);
        if (protocol == NULL)
            return JS_EXCEPTION;
    }
    self = new_object(context, NULL, &websocket);
    if (JS_IsException(self)) {
        JS_FreeCString(context, protocol);
        return self;
    }
    wanted.subprotocols = protocol;
    wanted.deflate.is_on = JS_ToBool(context, argv[3]) > 0;
    options.arg = websocket;
    hold(context, websocket, argv[2]);
    err = wanted.deflate.is_on
              ? preview_handshake(websocket, exchange->http, &wanted)
              : 0;
    if (err == 0)
        err = weir_websocket_upgrade(&websocket->open, exchange->http, &wanted,
                                     &options);
    JS_FreeCString(context, protocol);
    exchange->is_answered = err == 0 || err == WEIR_EWEBSOCKET;
    if (err == 0)
        return self;
    drop_values(websocket);
    unref(websocket);
    JS_FreeValue(context, self);
    return err == WEIR_EWEBSOCKET ? JS_NULL
                                  : weir__js_throw_status(context, err);
}

static int need_tls(weir_js *js, const char *url)
{
    struct state *state = state_of(js);
    const weir_tls_options options = {.size = sizeof(options)};

    if (strncmp(url, "wss:", 4) != 0 || state->tls != NULL)
        return 0;
    return weir_tls_new(&state->tls, WEIR_TLS_CLIENT, &options, NULL, 0);
}

static int start_connecting(struct websocket *websocket, const char *url)
{
    weir_js *js = websocket->js;
    weir_websocket_options options = common;
    weir_websocket_handshake_options wanted = {.size = sizeof(wanted)};
    weir_websocket_connect_options connect = {
        .size = sizeof(connect), .wanted = &wanted, .websocket = &options};
    int err = need_tls(js, url);

    if (err != 0)
        return err;
    options.arg = websocket;
    wanted.deflate.is_on = true; /* as browsers do; the server decides */
    wanted.subprotocols =
        websocket->protocols[0] != '\0' ? websocket->protocols : NULL;
    connect.tls = state_of(js)->tls;
    return weir_websocket_connect(js->loop, &websocket->connecting, url,
                                  on_connected, websocket, &connect);
}

/* connect(url, protocols, onEvent) */
static JSValue connect(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    const char *url, *protocols;
    struct websocket *websocket;
    JSValue self = JS_EXCEPTION;
    int err;

    if (!weir__js_check_may(context, WEIR__JS_MAY_NET))
        return JS_EXCEPTION;
    url = JS_ToCString(context, argv[0]);
    protocols = JS_ToCString(context, argv[1]);
    if (url != NULL && protocols != NULL)
        self = new_object(context, protocols, &websocket);
    if (!JS_IsException(self)) {
        hold(context, websocket, argv[2]);
        err = start_connecting(websocket, url);
        if (err != 0) {
            drop_values(websocket);
            unref(websocket);
            JS_FreeValue(context, self);
            self = weir__js_throw_status(context, err);
        }
    }
    JS_FreeCString(context, url);
    JS_FreeCString(context, protocols);
    return self;
}

/* ---- methods ---- */

static struct websocket *websocket_of(JSContext *context, JSValueConst value)
{
    struct websocket *websocket =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_WEBSOCKET);

    if (websocket == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    return websocket;
}

static int send_string(JSContext *context, struct websocket *websocket,
                       JSValueConst value)
{
    struct weir__js_text text;
    int err;

    if (weir__js_text_read(context, value, &text) < 0)
        return WEIR_ETHROWN;
    err = weir_websocket_send(websocket->open, WEIR_WEBSOCKET_TEXT,
                              (weir_bytes){text.data, text.size}, NULL, NULL);
    weir__js_text_free(context, &text);
    return err;
}

/* send(websocket, string or bytes) */
static JSValue send(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct websocket *websocket = websocket_of(context, argv[0]);
    struct weir__js_bytes bytes;
    int err = 0;

    if (websocket == NULL)
        return JS_EXCEPTION;
    if (websocket->open == NULL)
        return JS_UNDEFINED;
    if (JS_IsString(argv[1])) {
        err = send_string(context, websocket, argv[1]);
    } else {
        if (weir__js_bytes(context, argv[1], &bytes) < 0)
            return JS_EXCEPTION;
        err = weir_websocket_send(websocket->open, WEIR_WEBSOCKET_BINARY,
                                  (weir_bytes){bytes.data, bytes.size}, NULL,
                                  NULL);
    }
    if (err == WEIR_ETHROWN)
        return JS_EXCEPTION;
    return err == 0 || err == WEIR_ECLOSED
               ? JS_UNDEFINED
               : weir__js_throw_status(context, err);
}

/* close(websocket, code, reason) */
static JSValue close_websocket(JSContext *context, JSValueConst this_value,
                               int argc, JSValueConst *argv)
{
    struct websocket *websocket = websocket_of(context, argv[0]);
    struct weir__js_text reason;
    uint32_t code;

    if (websocket == NULL || JS_ToUint32(context, &code, argv[1]) < 0 ||
        weir__js_text_read(context, argv[2], &reason) < 0)
        return JS_EXCEPTION;
    if (websocket->connecting != NULL)
        weir_websocket_connect_cancel(websocket->connecting);
    else if (websocket->open != NULL)
        (void)!weir_websocket_close(websocket->open, (uint16_t)code,
                                    (weir_bytes){reason.data, reason.size});
    weir__js_text_free(context, &reason);
    return JS_UNDEFINED;
}

/* queued(websocket): bytes that were not given to the kernel yet */
static JSValue queued(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct websocket *websocket = websocket_of(context, argv[0]);

    if (websocket == NULL)
        return JS_EXCEPTION;
    return JS_NewInt64(
        context, websocket->open != NULL
                     ? (int64_t)weir_websocket_queued_bytes(websocket->open)
                     : 0);
}

static size_t add_bits(char *text, size_t size, const char *name, unsigned bits)
{
    return bits == 0 ? 0
                     : (size_t)snprintf(text, size, "; %s_max_window_bits=%u",
                                        name, bits);
}

/* extensions(websocket): as in the header of the server's answer */
static JSValue extensions(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct websocket *websocket = websocket_of(context, argv[0]);
    const weir_websocket_deflate *deflate;
    char text[WEIR_WEBSOCKET_EXTENSIONS] = "";
    size_t size;

    if (websocket == NULL)
        return JS_EXCEPTION;
    deflate = &websocket->deflate;
    if (!deflate->is_on)
        return JS_NewString(context, text);
    size = (size_t)snprintf(
        text, sizeof(text), "permessage-deflate%s%s",
        deflate->server_no_context_takeover ? "; server_no_context_takeover"
                                            : "",
        deflate->client_no_context_takeover ? "; client_no_context_takeover"
                                            : "");
    size += add_bits(text + size, sizeof(text) - size, "server",
                     deflate->server_max_window_bits);
    size += add_bits(text + size, sizeof(text) - size, "client",
                     deflate->client_max_window_bits);
    return JS_NewStringLen(context, text, size);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("upgrade", 4, upgrade),
    JS_CFUNC_DEF("connect", 3, connect),
    JS_CFUNC_DEF("send", 2, send),
    JS_CFUNC_DEF("close", 3, close_websocket),
    JS_CFUNC_DEF("queued", 1, queued),
    JS_CFUNC_DEF("extensions", 1, extensions),
};

/* ---- the host ---- */

static int init_websockets(weir_js *js)
{
    weir__js_list_init(&state_of(js)->list);
    return 0;
}

static void drop_websockets(weir_js *js)
{
    struct state *state = state_of(js);

    while (!weir__js_list_is_empty(&state->list)) {
        struct websocket *websocket = (struct websocket *)state->list.next;

        drop_values(websocket);
        websocket->js = NULL;
        if (websocket->connecting != NULL)
            weir_websocket_connect_cancel(websocket->connecting);
        else if (websocket->open != NULL)
            weir_websocket_reset(websocket->open);
    }
    if (state->tls != NULL)
        weir_tls_unref(state->tls);
    state->tls = NULL;
}

const struct weir__js_builtin weir__js_websocket_builtin = {
    WEIR__JS_LIBS("http/websocket"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &websocket_class,
    .state_bytes = sizeof(struct state),
    .init = init_websockets,
    .drop = drop_websockets,
};
