/* SPDX-License-Identifier: MIT */
/*
 * exchange -- one request that a server of node:http has received, and what is
 * sent in response.
 *
 * The end   on_end may come while JavaScript runs, in the middle of
 *           response.end().  The program is notified at the next checkpoint.
 *
 * Tested by  test/js/http/node-http-*.js
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "core/context.h"
#include "core/entry.h"
#include "core/error.h"
#include "net/buffer.h"
#include "net/handle.h"
#include "nodehttp/nodehttp.h"

/* The flags of a request that JavaScript gets. */
enum {
    FLAG_MINOR = 1,    /* HTTP/1.1 */
    FLAG_BODY = 2,     /* it has a body */
    FLAG_CLOSE = 4,    /* the connection will be closed after the response */
    FLAG_CONTINUE = 8, /* the client waits for 100 Continue */
    FLAG_UPGRADE = 16, /* another protocol is asked for */
    FLAG_EXPECT = 32,  /* it has the field Expect */
    FLAG_HEAD = 64,    /* the response has no body */
};

/* How something is sent; js/lib/nodehttp/response.js has the same. */
enum {
    SEND_INTERIM = WEIR_HTTP_RAW_INTERIM,
    SEND_END = WEIR_HTTP_RAW_END,
    SEND_CLOSE = WEIR_HTTP_RAW_CLOSE,
    SEND_LATIN1 = 8, /* the data, if it is a string */
    SEND_CHUNK = 16, /* as a chunk, if there is data */
    SEND_LAST = 32,  /* with the last chunk after it */
    SEND_FLAGS = 64,
};

/* ---- life ---- */

static void unref_exchange(struct weir__node_exchange *exchange)
{
    if (--exchange->refs > 0)
        return;
    weir_http_request_unref(exchange->http);
    free(exchange);
}

static void drop_values(struct weir__node_exchange *exchange)
{
    JSContext *context = exchange->js->context;
    JSValue values[] = {exchange->reader, exchange->response,
                        exchange->context};

    exchange->reader = exchange->response = exchange->context = JS_UNDEFINED;
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        JS_FreeValue(context, values[i]);
}

void weir__node_drop_exchanges(weir_js *js)
{
    struct weir__js_link *list = &weir__node_state_of(js)->exchanges;

    while (!weir__js_list_is_empty(list)) {
        struct weir__node_exchange *exchange =
            (struct weir__node_exchange *)list->next;

        weir__js_list_remove(&exchange->link);
        drop_values(exchange);
        exchange->js = NULL;
    }
}

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct weir__node_exchange *exchange =
        weir__js_opaque(js, value, WEIR__JS_NODE_EXCHANGE);

    if (exchange != NULL)
        unref_exchange(exchange);
}

static const JSClassDef exchange_class = {.class_name = "HTTPExchange",
                                          .finalizer = finalize};

struct weir__node_exchange *weir__node_exchange_of(JSContext *context,
                                                   JSValueConst value)
{
    struct weir__node_exchange *exchange =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_NODE_EXCHANGE);

    if (exchange == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    return exchange;
}

/* ---- the end ---- */

static void call_ended(struct weir__node_exchange *exchange)
{
    weir_js *js = exchange->js;
    JSValueConst args[] = {exchange->response,
                           JS_NewInt32(js->context, exchange->status)};

    if (exchange->status != 0 || !weir__node_is_unseen(js->context, args[0]))
        (void)weir__node_call(js, WEIR__NODE_ENDED, exchange->context, 2, args);
}

/* Tell the program, and release what the exchange holds. */
static void tell_end(struct weir__node_exchange *exchange)
{
    weir_js *js = exchange->js;

    if (js == NULL)
        return;
    weir__js_list_remove(&exchange->link);
    if (!JS_IsUndefined(exchange->response) && weir__js_enter(js) == 0) {
        call_ended(exchange);
        drop_values(exchange);
        weir__js_leave(js);
    } else {
        drop_values(exchange);
    }
    exchange->js = NULL;
}

static void run_end(void *arg, int status)
{
    tell_end(arg);
    unref_exchange(arg);
}

static void on_end(void *arg, weir_http_request *http, int status)
{
    struct weir__node_exchange *exchange = arg;

    exchange->status = status;
    if (exchange->js == NULL ||
        weir_loop_next_tick(exchange->js->loop, run_end, exchange) != 0)
        run_end(exchange, 0);
}

/* ---- the request ---- */

static bool is_method(weir_bytes method, weir_bytes name)
{
    return method.size == name.size &&
           memcmp(method.data, name.data, name.size) == 0;
}

static unsigned flags_of(const weir_http_request *http)
{
    bool is_head =
        is_method(weir_http_method(http), (weir_bytes)WEIR_BYTES_OF("HEAD"));

    return (weir_http_version(http) == 11 ? FLAG_MINOR : 0) |
           (weir_http_body_size(http) != 0 ? FLAG_BODY : 0) |
           (weir_http_raw_closes(http) ? FLAG_CLOSE : 0) |
           (weir_http_expects_continue(http) ? FLAG_CONTINUE : 0) |
           (weir_http_wants_upgrade(http) ? FLAG_UPGRADE : 0) |
           (weir_http_field_of(http, "expect").data != NULL ? FLAG_EXPECT : 0) |
           (is_head ? FLAG_HEAD : 0);
}

/* Make an exchange and its object.  Returns NULL with an exception. */
static struct weir__node_exchange *
make_exchange(weir_js *js, weir_http_request *http, JSValue *object)
{
    JSContext *context = js->context;
    struct weir__node_exchange *exchange;

    *object = JS_NewObjectClass(context, js->classes[WEIR__JS_NODE_EXCHANGE]);
    if (JS_IsException(*object))
        return NULL;
    exchange = malloc(sizeof(*exchange));
    if (exchange == NULL ||
        weir_http_request_on_end(http, on_end, exchange) != 0) {
        free(exchange);
        JS_FreeValue(context, *object);
        JS_ThrowOutOfMemory(context);
        return NULL;
    }
    weir_http_request_ref(http);
    exchange->http = http;
    exchange->js = js;
    exchange->refs = 2;
    exchange->status = 0;
    exchange->reader = exchange->response = JS_UNDEFINED;
    exchange->context = JS_UNDEFINED;
    weir__js_list_add(&weir__node_state_of(js)->exchanges, &exchange->link);
    JS_SetOpaque(*object, exchange);
    return exchange;
}

/* Let the library make the messages, from classes of the program. */
static JSValue call_maker(struct weir__node_server *server,
                          JSValueConst exchange, JSValue method, JSValue url,
                          unsigned flags)
{
    weir_js *js = server->js;
    JSContext *context = js->context;
    JSValue owner = JS_DupValue(context, server->owner), result;
    JSValueConst args[] = {owner, exchange, method, url,
                           JS_NewInt32(context, (int32_t)flags)};

    result = weir__node_call(js, WEIR__NODE_MAKE, server->context, 5, args);
    JS_FreeValue(context, owner);
    JS_FreeValue(context, method);
    JS_FreeValue(context, url);
    return result;
}

#ifdef JS_HAS_TEMPLATES

/* Make the messages.  Returns 0, or -1 with an exception. */
static int make_messages(struct weir__node_server *server,
                         JSValueConst exchange, JSValue method, JSValue url,
                         JSValue messages[2])
{
    JSContext *context = server->js->context;
    JSValue request[] = {JS_DupValue(context, exchange), method, url};
    JSValue response[] = {JS_DupValue(context, exchange), JS_UNDEFINED,
                          JS_NewArray(context)};

    messages[0] = JS_NewObjectLike(context, server->request, 3, request);
    messages[1] = JS_EXCEPTION;
    if (JS_IsException(messages[0]) || JS_IsException(response[2])) {
        JS_FreeValue(context, response[0]);
        JS_FreeValue(context, response[2]);
    } else {
        response[1] = JS_DupValue(context, messages[0]);
        messages[1] = JS_NewObjectLike(context, server->response, 3, response);
    }
    if (!JS_IsException(messages[1]))
        return 0;
    JS_FreeValue(context, messages[0]);
    return -1;
}

static JSValue call_handler(struct weir__node_server *server,
                            JSValueConst exchange, JSValue method, JSValue url,
                            unsigned flags)
{
    weir_js *js = server->js;
    JSContext *context = js->context;
    JSValue args[4], result;

    if (JS_IsUndefined(server->request))
        return call_maker(server, exchange, method, url, flags);
    if (make_messages(server, exchange, method, url, args + 1) < 0)
        return JS_EXCEPTION;
    args[0] = JS_DupValue(context, server->owner);
    args[3] = JS_NewInt32(context, (int32_t)flags);
    result = weir__node_call(js, WEIR__NODE_REQUEST, server->context, 4,
                             (JSValueConst *)args);
    JS_FreeValue(context, result);
    JS_FreeValue(context, args[1]);
    JS_FreeValue(context, args[0]);
    return args[2];
}

#else
#define call_handler call_maker
#endif

/* Call the program.  Returns the response, or an exception. */
static JSValue call_program(struct weir__node_server *server,
                            weir_http_request *http, JSValueConst exchange)
{
    JSContext *context = server->js->context;
    JSValue method = weir__node_latin1(context, weir_http_method(http));
    JSValue url = weir__node_latin1(context, weir_http_target(http));

    if (!JS_IsException(method) && !JS_IsException(url))
        return call_handler(server, exchange, method, url, flags_of(http));
    JS_FreeValue(context, method);
    JS_FreeValue(context, url);
    return JS_EXCEPTION;
}

static void handle(struct weir__node_server *server, weir_http_request *http)
{
    weir_js *js = server->js;
    JSContext *context = js->context;
    JSValue object, response;
    struct weir__node_exchange *exchange = make_exchange(js, http, &object);

    if (exchange == NULL) {
        weir__js_report(js);
        (void)weir_http_abort(http);
        return;
    }
    exchange->context = JS_DupValue(context, server->context);
    exchange->refs++;
    response = call_program(server, http, object);
    if (JS_IsException(response)) {
        weir__js_report(js);
        (void)weir_http_abort(http);
        response = JS_UNDEFINED;
    }
    if (exchange->js != NULL)
        exchange->response = response;
    else
        JS_FreeValue(context, response);
    JS_FreeValue(context, object);
    unref_exchange(exchange);
}

void weir__node_on_request(void *arg, weir_http_request *http)
{
    struct weir__node_server *server = arg;
    weir_js *js;

    if (weir__node_tell_secured(weir_http_connection_of(http)))
        return; /* the program has closed the connection */
    js = server->js;
    if (js == NULL || weir__js_enter(js) != 0) {
        (void)weir_http_respond(http, 503, NULL, NULL, 0);
        return;
    }
    handle(server, http);
    weir__js_leave(js);
}

/* ---- its body ---- */

static void on_body(void *arg, weir_http_request *http, int status,
                    weir_bytes bytes)
{
    struct weir__node_exchange *exchange = arg;
    weir_js *js = exchange->js;
    JSContext *context;
    JSValue args[3];

    if (js == NULL || JS_IsUndefined(exchange->reader) ||
        weir__js_enter(js) != 0)
        return;
    context = js->context;
    args[0] = JS_DupValue(context, exchange->reader);
    args[1] = status == 0 ? weir__js_new_buffer(context, bytes.data, bytes.size)
                          : JS_UNDEFINED;
    args[2] = JS_NewInt32(context, status == WEIR_EEOF ? 0 : status);
    if (JS_IsException(args[1]))
        weir__js_report(js);
    else
        (void)weir__node_call(js, WEIR__NODE_BODY, exchange->context, 3,
                              (JSValueConst *)args);
    JS_FreeValue(context, args[1]);
    JS_FreeValue(context, args[0]);
    weir__js_leave(js);
}

/* read(exchange, request): begin to read the body.  Returns a status. */
static JSValue start_reading(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    struct weir__node_exchange *exchange =
        weir__node_exchange_of(context, argv[0]);
    int err;

    if (exchange == NULL)
        return JS_EXCEPTION;
    if (exchange->js == NULL)
        return JS_NewInt32(context, WEIR_ECLOSED);
    if (JS_IsUndefined(exchange->reader))
        exchange->reader = JS_DupValue(context, argv[1]);
    err = weir_http_read(exchange->http, on_body, exchange);
    return JS_NewInt32(context, err);
}

/* pause(exchange, isPaused) */
static JSValue pause_reading(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    struct weir__node_exchange *exchange =
        weir__node_exchange_of(context, argv[0]);

    if (exchange == NULL)
        return JS_EXCEPTION;
    if (JS_ToBool(context, argv[1]))
        weir_http_pause(exchange->http);
    else
        weir_http_resume(exchange->http);
    return JS_UNDEFINED;
}

/* discard(exchange): nobody reads the body, and the response has ended */
static JSValue discard(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct weir__node_exchange *exchange =
        weir__node_exchange_of(context, argv[0]);

    if (exchange == NULL)
        return JS_EXCEPTION;
    if (exchange->js != NULL)
        weir_http_discard(exchange->http);
    return JS_UNDEFINED;
}

/* ---- the response ---- */

enum { EXCEPTION = 1 }; /* instead of an error, which is negative */

/* The parts of something that is sent. */
struct parcel {
    weir_bytes parts[5];
    size_t count;
    char line[20]; /* of a chunk */
    const char *texts[3];
    char *copies[3];
};

static void add_part(struct parcel *parcel, const void *data, size_t size)
{
    if (size > 0)
        parcel->parts[parcel->count++] = (weir_bytes){data, size};
}

static void free_parcel(JSContext *context, struct parcel *parcel)
{
    for (int i = 0; i < 3; i++) {
        JS_FreeCString(context, parcel->texts[i]);
        js_free(context, parcel->copies[i]);
    }
}

/* Convert UTF-8 to one byte for each UTF-16 unit, in place. */
static size_t narrow(char *text, size_t size)
{
    size_t to = 0;

    for (size_t at = 0; at < size; to++) {
        uint8_t byte = (uint8_t)text[at++];

        if (byte >= 0xc0) {
            unsigned code = byte & (byte >= 0xf0   ? 0x07u
                                    : byte >= 0xe0 ? 0x0fu
                                                   : 0x1fu);

            for (; at < size && ((uint8_t)text[at] & 0xc0) == 0x80; at++)
                code = code << 6 | ((uint8_t)text[at] & 0x3fu);
            if (code >= 0x10000) { /* a surrogate pair */
                code -= 0x10000;
                text[to++] = (char)(code >> 10);
            }
            byte = (uint8_t)code;
        }
        text[to] = (char)byte;
    }
    return to;
}

/* Replace each half of a surrogate pair, which the engine encodes in three
 * bytes, by U+FFFD, which has three, too. */
static void replace_halves(char *text, size_t size)
{
    for (size_t i = 0; i + 2 < size; i++)
        if ((uint8_t)text[i] == 0xed && (uint8_t)text[i + 1] >= 0xa0)
            memcpy(text + i, "\xef\xbf\xbd", 3);
}

static bool is_ascii(const char *text, size_t size)
{
    const uint64_t high = UINT64_C(0x8080808080808080);
    uint64_t word, all = 0;
    size_t i = 0;

    for (; size - i >= sizeof(word); i += sizeof(word)) {
        memcpy(&word, text + i, sizeof(word));
        all |= word;
    }
    for (; i < size; i++)
        all |= (uint8_t)text[i];
    return (all & high) == 0;
}

/* Get the bytes of a string or a typed array.  Returns 0, or -1 with an
 * exception. */
static int read_data(JSContext *context, struct parcel *parcel, int which,
                     JSValueConst value, bool is_latin1, weir_bytes *bytes)
{
    struct weir__js_bytes found;
    const char *text;
    size_t size;

    *bytes = (weir_bytes){NULL, 0};
    if (JS_IsUndefined(value))
        return 0;
    if (!JS_IsString(value)) {
        if (weir__js_bytes(context, value, &found) < 0)
            return -1;
        *bytes = (weir_bytes){found.data, found.size};
        return 0;
    }
    text = parcel->texts[which] = JS_ToCStringLen(context, &size, value);
    if (text == NULL)
        return -1;
    if (!is_ascii(text, size)) {
        parcel->copies[which] = js_malloc(context, size);
        if (parcel->copies[which] == NULL)
            return -1;
        memcpy(parcel->copies[which], text, size);
        text = parcel->copies[which];
        if (is_latin1)
            size = narrow(parcel->copies[which], size);
        else
            replace_halves(parcel->copies[which], size);
    }
    *bytes = (weir_bytes){text, size};
    return 0;
}

/* Write the line before a chunk. */
static size_t write_line(char *to, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    char text[16];
    size_t count = 0;

    for (; size > 0; size >>= 4)
        text[count++] = digits[size & 15];
    for (size_t i = 0; i < count; i++)
        to[i] = text[count - 1 - i];
    to[count] = '\r';
    to[count + 1] = '\n';
    return count + 2;
}

/* Put together the head, the data and the trailers. */
static int fill_parcel(JSContext *context, struct parcel *parcel,
                       JSValueConst *values, int32_t flags)
{
    weir_bytes head, data, tail;

    /* The typed array comes last: its memory is valid until JavaScript runs. */
    if (read_data(context, parcel, 0, values[0], true, &head) < 0 ||
        read_data(context, parcel, 2, values[2], true, &tail) < 0 ||
        read_data(context, parcel, 1, values[1], flags & SEND_LATIN1, &data) <
            0)
        return -1;
    add_part(parcel, head.data, head.size);
    if (flags & SEND_CHUNK && data.size > 0)
        add_part(parcel, parcel->line, write_line(parcel->line, data.size));
    add_part(parcel, data.data, data.size);
    if (flags & SEND_LAST) {
        /* The tail is "0\r\n", the trailers and "\r\n". */
        if (flags & SEND_CHUNK && data.size > 0)
            add_part(parcel, "\r\n", 2);
        add_part(parcel, tail.data, tail.size);
    } else if (flags & SEND_CHUNK && data.size > 0) {
        add_part(parcel, "\r\n", 2);
    }
    return 0;
}

static void on_writable(void *arg, weir_http_request *http, int status)
{
    struct weir__node_exchange *exchange = arg;
    weir_js *js = exchange->js;
    JSValueConst response;

    if (js == NULL || JS_IsUndefined(exchange->response) ||
        weir__js_enter(js) != 0)
        return;
    response = exchange->response;
    (void)weir__node_call(js, WEIR__NODE_WRITABLE, exchange->context, 1,
                          &response);
    weir__js_leave(js);
}

/* Send the head, the data and the tail of a response.  Returns 0, an error, or
 * EXCEPTION. */
static int send_parts(JSContext *context, struct weir__node_exchange *exchange,
                      JSValueConst *values, int32_t flags)
{
    struct parcel parcel = {.count = 0};
    int err = fill_parcel(context, &parcel, values, flags);

    err = err == 0 ? weir_http_raw_send(exchange->http, parcel.parts,
                                        parcel.count, (unsigned)flags & 7u)
                   : EXCEPTION;
    free_parcel(context, &parcel);
    return err;
}

int weir__node_send_end(JSContext *context,
                        struct weir__node_exchange *exchange, JSValueConst head,
                        JSValueConst data, bool closes)
{
    JSValueConst values[] = {head, data, JS_UNDEFINED};

    return send_parts(context, exchange, values,
                      closes ? SEND_END | SEND_CLOSE : SEND_END) == EXCEPTION
               ? -1
               : 0;
}

/* send(exchange, head, data, tail, flags): 0, 1 if the program should wait
 * until it is told that it can write, or an error */
static JSValue send_data(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct weir__node_exchange *exchange =
        weir__node_exchange_of(context, argv[0]);
    int32_t flags;
    int err;

    if (exchange == NULL || JS_ToInt32(context, &flags, argv[4]) < 0)
        return JS_EXCEPTION;
    err = send_parts(context, exchange, argv + 1, flags);
    if (err == EXCEPTION)
        return JS_EXCEPTION;
    if (err == 0 && !(flags & SEND_END) && weir_http_is_full(exchange->http)) {
        weir_http_on_writable(exchange->http, on_writable, exchange);
        err = 1;
    }
    return JS_NewInt32(context, err);
}

/* closes(exchange): whether the server will close the connection */
static JSValue get_closes(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct weir__node_exchange *exchange =
        weir__node_exchange_of(context, argv[0]);

    return exchange == NULL
               ? JS_EXCEPTION
               : JS_NewBool(context, weir_http_raw_closes(exchange->http));
}

/* socket(exchange): that of its connection, or null */
static JSValue get_socket(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct weir__node_exchange *exchange =
        weir__node_exchange_of(context, argv[0]);
    weir_http_connection *connection;

    if (exchange == NULL)
        return JS_EXCEPTION;
    connection = weir_http_connection_of(exchange->http);
    if (connection == NULL || exchange->js == NULL)
        return JS_NULL;
    return weir__node_socket(context, weir_http_connection_data(connection));
}

/* takeOver(exchange): the handle of its connection's stream, or undefined if
 * the client has left */
static JSValue take_over(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct weir__node_exchange *exchange =
        weir__node_exchange_of(context, argv[0]);
    weir_stream *stream;
    JSValue handle;

    if (exchange == NULL)
        return JS_EXCEPTION;
    if (weir_http_take(exchange->http, NULL, NULL, &stream) != 0)
        return JS_UNDEFINED;
    handle = weir__js_stream_handle(context, stream);
    if (JS_IsException(handle))
        weir_stream_close(stream, NULL, NULL);
    return handle;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("read", 2, start_reading),
    JS_CFUNC_DEF("pause", 2, pause_reading),
    JS_CFUNC_DEF("discard", 1, discard),
    JS_CFUNC_DEF("send", 5, send_data),
    JS_CFUNC_DEF("closes", 1, get_closes),
    JS_CFUNC_DEF("socketOf", 1, get_socket),
    JS_CFUNC_DEF("takeOver", 1, take_over),
};

const struct weir__js_builtin weir__js_node_exchange_builtin = {
    WEIR__JS_LIBS("nodehttp/binding"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &exchange_class,
};
