/* SPDX-License-Identifier: MIT */
/*
 * answer -- see answer.h.
 *
 * A Response with a string or bytes is sent with one call.  One with a stream
 * is begun here, and written by js/lib/http/body.js piece by piece.
 *
 * Tested by  test/js/http/serve-*.mjs
 */
#include "http/answer.h"

#include <errno.h>
#include <string.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/place.h"
#include "http/fields.h"
#include "http/request.h"
#include "http/response.h"
#include "weir/host/http.h"

enum { FEW_FIELDS = 32 };

/* ---- answering ---- */

/* Fields that the server sets itself. */
static bool is_own_field(weir_bytes name)
{
    static const weir_bytes names[] = {
        WEIR_BYTES_OF("connection"), WEIR_BYTES_OF("keep-alive"),
        WEIR_BYTES_OF("transfer-encoding"), WEIR_BYTES_OF("content-length")};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (names[i].size == name.size && weir__js_is_name(names[i], name))
            return true;
    return false;
}

/* Fields of a response that fetch() has received, which describe the body before
 * it was decoded. */
static bool is_of_coded_body(const struct weir__js_response *response,
                             weir_bytes name)
{
    static const weir_bytes encoding = WEIR_BYTES_OF("content-encoding");
    static const weir_bytes length = WEIR_BYTES_OF("content-length");

    return response->is_decoded &&
           (weir__js_is_name(name, encoding) || weir__js_is_name(name, length));
}

/* Whether an error is the program's or a lack of memory.  The others are those
 * of a connection whose client has left, which is no failure of the server. */
static bool is_mistake(int err)
{
    return err == WEIR_ETHROWN || err == -EINVAL || err == -ENOMEM ||
           err == -EMSGSIZE;
}

struct head {
    unsigned status;
    weir_http_field few[FEW_FIELDS], *fields;
    size_t count;
    int64_t length; /* of a Content-Length; -1: there is none */
};

/* Fill a head that refers to the response.  Returns 0, or -1 with an
 * exception. */
static int fill_head(JSContext *context,
                     const struct weir__js_response *response,
                     struct head *head)
{
    static const weir_http_field text_type =
        WEIR_HTTP_FIELD("Content-Type", "text/plain;charset=UTF-8");
    const struct weir__js_fields *fields = response->fields;

    head->status = response->status;
    head->fields = head->few;
    head->count = 0;
    head->length = -1;
    if (fields != NULL && fields->count > FEW_FIELDS)
        head->fields =
            js_malloc(context, fields->count * sizeof(*head->fields));
    if (head->fields == NULL)
        return -1;
    if (response->is_text)
        head->fields[head->count++] = text_type;
    for (uint32_t i = 0; fields != NULL && i < fields->count; i++) {
        weir_bytes name = weir__js_fields_name(fields, i);
        weir_bytes value = weir__js_fields_value(fields, i);

        if (is_of_coded_body(response, name))
            continue;
        if (is_own_field(name)) {
            if (name.size == sizeof("content-length") - 1)
                head->length = weir__js_content_length(value);
            continue;
        }
        head->fields[head->count++] = (weir_http_field){name, value};
    }
    return 0;
}

static void free_head(JSContext *context, struct head *head)
{
    if (head->fields != head->few)
        js_free(context, head->fields);
}

static int send_text(JSContext *context, struct weir__js_exchange *exchange,
                     const struct head *head, JSValueConst string)
{
    struct weir__js_text text;
    int err;

    if (weir__js_text_read(context, string, &text) < 0)
        return WEIR_ETHROWN;
    err =
        weir_http_respond_with(exchange->http, head->status, head->fields,
                               head->count, (weir_bytes){text.data, text.size});
    weir__js_text_free(context, &text);
    return err;
}

/* Cancel a stream that nobody receives.  Returns 0, or -1 with an exception. */
static int discard(JSContext *context, JSValueConst stream, bool has_left)
{
    JSValueConst args[] = {stream, JS_NewBool(context, has_left)};
    JSValue result =
        weir__js_body_call(context, WEIR__JS_BODY_DISCARD, 2, args);

    JS_FreeValue(context, result);
    return JS_IsException(result) ? -1 : 0;
}

static bool is_head_request(const struct weir__js_exchange *exchange)
{
    weir_bytes method = weir_http_method(exchange->http);

    return method.size == 4 && memcmp(method.data, "HEAD", 4) == 0;
}

/* The response to HEAD ends with its head, even if the stream never ends. */
static int send_head(JSContext *context, struct weir__js_exchange *exchange,
                     const struct head *head, JSValueConst stream)
{
    int err = weir_http_begin(exchange->http, head->status, head->fields,
                              head->count, head->length);

    if (err == 0)
        err = weir_http_end(exchange->http, NULL, 0);
    if (err == 0 && discard(context, stream, false) < 0)
        err = WEIR_ETHROWN;
    return err;
}

static int send_stream(JSContext *context, struct weir__js_exchange *exchange,
                       const struct head *head, JSValueConst stream)
{
    JSValueConst args[2];
    JSValue handle, result;
    int err;

    if (is_head_request(exchange))
        return send_head(context, exchange, head, stream);
    if (!weir__js_exchange_open(exchange))
        return WEIR_ECLOSED;
    err = weir_http_begin(exchange->http, head->status, head->fields,
                          head->count, head->length);
    if (err != 0)
        return err;
    handle = weir__js_exchange_object(context, exchange, JS_UNDEFINED);
    args[0] = handle;
    args[1] = stream;
    result = JS_IsException(handle)
                 ? handle
                 : weir__js_body_call(context, WEIR__JS_BODY_SEND, 2, args);
    JS_FreeValue(context, handle);
    JS_FreeValue(context, result);
    if (!JS_IsException(result))
        return 0;
    (void)weir_http_abort(exchange->http);
    return WEIR_ETHROWN;
}

static int send(JSContext *context, struct weir__js_exchange *exchange,
                const struct head *head, struct weir__js_body *body)
{
    struct weir__js_bytes bytes = {.data = NULL};

    exchange->is_answered = true;
    switch (body->kind) {
    case WEIR__JS_BODY_TEXT:
        return send_text(context, exchange, head, body->value);
    case WEIR__JS_BODY_STREAM:
        return send_stream(context, exchange, head, body->value);
    case WEIR__JS_BODY_BYTES:
        if (weir__js_bytes(context, body->value, &bytes) < 0)
            return WEIR_ETHROWN;
        break;
    default:
        break;
    }
    return weir_http_respond_with(exchange->http, head->status, head->fields,
                                  head->count,
                                  (weir_bytes){bytes.data, bytes.size});
}

/* A stream that somebody else reads cannot be sent. */
static int check_lock(JSContext *context, JSValueConst stream)
{
    JSValue result =
        weir__js_body_call(context, WEIR__JS_BODY_LOCKED, 1, &stream);
    int is_locked = JS_IsException(result) ? -1 : JS_ToBool(context, result);

    JS_FreeValue(context, result);
    if (is_locked > 0)
        JS_ThrowTypeError(context, "Response body object should not be "
                                   "disturbed or locked");
    return is_locked == 0 ? 0 : -1;
}

/* The body of a response that fetch() has received becomes a stream. */
static int prepare(JSContext *context, struct weir__js_response *response,
                   JSValueConst value)
{
    int is_used = weir__js_body_is_used(context, &response->body);

    if (is_used == 0 && response->status == 0) {
        JS_ThrowTypeError(context, "The response is a network error");
        return -1;
    }
    if (is_used > 0)
        JS_ThrowTypeError(context,
                          "Body is unusable: Body has already been read");
    if (is_used != 0)
        return -1;
    if (response->body.kind == WEIR__JS_BODY_SOURCE) {
        JSValue stream = JS_GetPropertyStr(context, value, "body");

        JS_FreeValue(context, stream);
        return JS_IsException(stream) ? -1 : 0;
    }
    return response->body.kind == WEIR__JS_BODY_STREAM
               ? check_lock(context, response->body.value)
               : 0;
}

int weir__js_answer(JSContext *context, struct weir__js_exchange *exchange,
                    JSValueConst value)
{
    struct weir__js_response *response = weir__js_response_of(context, value);
    struct head head;
    int err;

    if (response == NULL) {
        JS_ThrowTypeError(context, "fetch must return a Response, or a promise "
                                   "of one");
        return -1;
    }
    if (prepare(context, response, value) < 0)
        return -1;
    if (exchange->is_over || exchange->is_answered)
        return response->body.kind == WEIR__JS_BODY_STREAM
                   ? discard(context, response->body.value, exchange->is_over)
                   : 0;
    if (fill_head(context, response, &head) < 0)
        return -1;
    response->body.is_used = response->body.kind != WEIR__JS_BODY_NONE &&
                             response->body.kind != WEIR__JS_BODY_STREAM;
    err = send(context, exchange, &head, &response->body);
    free_head(context, &head);
    if (!is_mistake(err))
        return 0;
    exchange->is_answered = false;
    if (err != WEIR_ETHROWN)
        weir__js_throw_status(context, err);
    return -1;
}

/* ---- the object ---- */

struct handle {
    struct weir__js_exchange *exchange;
    JSValue request;
};

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct handle *handle = weir__js_opaque(js, value, WEIR__JS_ANSWER);

    if (handle == NULL)
        return;
    JS_FreeValueRT(runtime, handle->request);
    weir__js_exchange_unref(handle->exchange);
    js_free_rt(runtime, handle);
}

static void mark(JSRuntime *runtime, JSValueConst value, JS_MarkFunc *fn)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct handle *handle = weir__js_opaque(js, value, WEIR__JS_ANSWER);

    if (handle != NULL)
        JS_MarkValue(runtime, handle->request, fn);
}

static const JSClassDef exchange_class = {
    .class_name = "Context", .finalizer = finalize, .gc_mark = mark};

JSValue weir__js_exchange_object(JSContext *context,
                                 struct weir__js_exchange *exchange,
                                 JSValueConst request)
{
    weir_js *js = weir__js_of(context);
    JSValue self = JS_NewObjectClass(context, js->classes[WEIR__JS_ANSWER]);
    struct handle *handle;

    if (JS_IsException(self))
        return self;
    handle = js_malloc(context, sizeof(*handle));
    if (handle == NULL) {
        JS_FreeValue(context, self);
        return JS_EXCEPTION;
    }
    handle->exchange = exchange;
    weir__js_exchange_ref(exchange);
    handle->request = JS_DupValue(context, request);
    JS_SetOpaque(self, handle);
    return self;
}

struct weir__js_exchange *weir__js_exchange_of(JSContext *context,
                                               JSValueConst value)
{
    weir_js *js = weir__js_of(context);
    struct handle *handle = weir__js_opaque(js, value, WEIR__JS_ANSWER);
    struct weir__js_request *request;

    if (handle != NULL)
        return handle->exchange;
    request = weir__js_request_of(context, value);
    if (request != NULL && request->exchange != NULL)
        return request->exchange;
    JS_ThrowTypeError(context, "Illegal invocation");
    return NULL;
}

/* ---- for the library ---- */

/* requestOf(context) */
static JSValue request_of(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct handle *handle =
        weir__js_opaque(weir__js_of(context), argv[0], WEIR__JS_ANSWER);

    return handle != NULL ? JS_DupValue(context, handle->request)
                          : JS_ThrowTypeError(context, "Illegal invocation");
}

/* answer(exchange, response) */
static JSValue answer(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct weir__js_exchange *exchange = weir__js_exchange_of(context, argv[0]);

    return exchange == NULL || weir__js_answer(context, exchange, argv[1]) < 0
               ? JS_EXCEPTION
               : JS_UNDEFINED;
}

/* refuse(exchange, status) -> whether it was not answered before */
static JSValue refuse(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct weir__js_exchange *exchange = weir__js_exchange_of(context, argv[0]);
    uint32_t status;
    bool was_open;

    if (exchange == NULL || JS_ToUint32(context, &status, argv[1]) < 0)
        return JS_EXCEPTION;
    was_open = !exchange->is_answered && !exchange->is_over;
    weir__js_exchange_refuse(exchange, status);
    return JS_NewBool(context, was_open);
}

static void on_drain(void *arg, weir_http_request *http, int status)
{
    struct weir__js_exchange *exchange = arg;

    weir__js_exchange_call(exchange, exchange->on_drain, status);
}

static void on_writable(void *arg, weir_http_request *http, int status)
{
    struct weir__js_exchange *exchange = arg;

    weir__js_exchange_call(exchange, exchange->on_writable, status);
}

enum { END, SENT, TRACED, DRAIN, WRITABLE };

static void replace(JSContext *context, JSValue *place, JSValueConst value)
{
    JSValue before = *place;

    *place = JS_DupValue(context, value);
    JS_FreeValue(context, before);
}

/* onEnd(exchange, function), onSent, onTraced, onDrain, onWritable.  Return the status of the
 * end if it has ended; otherwise undefined. */
static JSValue on(JSContext *context, JSValueConst this_value, int argc,
                  JSValueConst *argv, int magic)
{
    struct weir__js_exchange *exchange = weir__js_exchange_of(context, argv[0]);

    if (exchange == NULL)
        return JS_EXCEPTION;
    if (!weir__js_exchange_open(exchange))
        return JS_NewInt32(context, exchange->status);
    if (magic == END || magic == SENT || magic == TRACED) {
        replace(context,
                magic == END    ? &exchange->on_end
                : magic == SENT ? &exchange->on_sent
                                : &exchange->on_traced,
                argv[1]);
    } else if (magic == DRAIN) {
        replace(context, &exchange->on_drain, argv[1]);
        (void)weir_http_request_on_drain(exchange->http, on_drain, exchange);
    } else {
        replace(context, &exchange->on_writable, argv[1]);
        weir_http_on_writable(exchange->http, on_writable, exchange);
    }
    return JS_UNDEFINED;
}

/* status(exchange): of the response; 0: none */
static JSValue status_of(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct weir__js_exchange *exchange = weir__js_exchange_of(context, argv[0]);

    return exchange == NULL
               ? JS_EXCEPTION
               : JS_NewUint32(context, weir_http_status(exchange->http));
}

/* write(exchange, bytes) -> whether more should be written now; throws if that
 * is not possible */
static JSValue write_bytes(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct weir__js_exchange *exchange = weir__js_exchange_of(context, argv[0]);
    struct weir__js_bytes bytes;
    int err;

    if (exchange == NULL || weir__js_bytes(context, argv[1], &bytes) < 0)
        return JS_EXCEPTION;
    err =
        exchange->is_over
            ? WEIR_ECLOSED
            : weir_http_write(exchange->http,
                              (weir_bytes){bytes.data, bytes.size}, NULL, NULL);
    if (is_mistake(err))
        return weir__js_throw_status(context, err);
    /* After an error the end of the exchange stops the writer. */
    return JS_NewBool(context, err == 0 && !weir_http_is_full(exchange->http));
}

enum { FINISH, ABORT };

/* finish(exchange), abort(exchange) */
static JSValue finish(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv, int magic)
{
    struct weir__js_exchange *exchange = weir__js_exchange_of(context, argv[0]);
    int err = 0;

    if (exchange == NULL)
        return JS_EXCEPTION;
    if (!exchange->is_over)
        err = magic == FINISH ? weir_http_end(exchange->http, NULL, 0)
                              : weir_http_abort(exchange->http);
    return is_mistake(err) ? weir__js_throw_status(context, err) : JS_UNDEFINED;
}

/* Whether everything below a directory may be read; otherwise it throws.  The
 * name that is looked up also asks for what "*" does not include in /proc. */
static bool may_serve(JSContext *context, const struct weir__js_place *place,
                      const char *root)
{
    char name[PATH_MAX + sizeof("/mem")];

    if (!weir__js_is_confined)
        return true;
    if (weir__js_place_name(place->path, true, name) != 0)
        name[0] = '\0';
    else if (name[0] != '\0')
        strcat(name, "/mem");
    if (weir__js_missing_for_file(WEIR__JS_MAY_READ, name) == 0)
        return true;
    weir__js_throw_denied(context, WEIR__JS_MAY_READ, root);
    return false;
}

/* Serve a file below the root.  Returns a status of weir_http_serve_file, or
 * WEIR_ETHROWN. */
static int serve_below(JSContext *context, weir_http_request *http,
                       const char *root)
{
    struct weir__js_place place;
    int err =
        weir__js_place_find(&place, root, WEIR__JS_FOLLOW, WEIR__JS_MAY_READ);

    if (place.missing != 0) {
        weir__js_throw_denied(context, place.missing, root);
        return WEIR_ETHROWN;
    }
    if (err != 0) /* 404, even if there is something by now */
        return weir_http_serve_file(http, "/dev/null/");
    err = may_serve(context, &place, root)
              ? weir_http_serve_file(http, place.path)
              : WEIR_ETHROWN;
    weir__js_place_drop(&place);
    return err;
}

/* serveFile(exchange, root) */
static JSValue serve_file(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct weir__js_exchange *exchange = weir__js_exchange_of(context, argv[0]);
    const char *root;
    int err = 0;

    if (exchange == NULL)
        return JS_EXCEPTION;
    root = JS_ToCString(context, argv[1]);
    if (root == NULL)
        return JS_EXCEPTION;
    if (!exchange->is_over && !exchange->is_answered) {
        err = serve_below(context, exchange->http, root);
        exchange->is_answered = err != WEIR_ETHROWN;
    }
    JS_FreeCString(context, root);
    if (err == WEIR_ETHROWN)
        return JS_EXCEPTION;
    return is_mistake(err) ? weir__js_throw_status(context, err) : JS_UNDEFINED;
}

static JSValue address_text(JSContext *context, const weir_address *address)
{
    char text[128];

    weir_address_format(address, text, sizeof(text));
    return JS_NewString(context, text);
}

/* peer(exchange): "1.2.3.4:567", or undefined if the connection is gone */
static JSValue peer(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct weir__js_exchange *exchange = weir__js_exchange_of(context, argv[0]);
    weir_stream *stream;
    weir_address address;

    if (exchange == NULL)
        return JS_EXCEPTION;
    stream = weir_http_stream(exchange->http);
    if (stream == NULL)
        return JS_UNDEFINED;
    weir_stream_peer(stream, &address);
    return address_text(context, &address);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("requestOf", 1, request_of),
    JS_CFUNC_DEF("answer", 2, answer),
    JS_CFUNC_DEF("refuse", 2, refuse),
    JS_CFUNC_MAGIC_DEF("onEnd", 2, on, END),
    JS_CFUNC_MAGIC_DEF("onSent", 2, on, SENT),
    JS_CFUNC_MAGIC_DEF("onTraced", 2, on, TRACED),
    JS_CFUNC_MAGIC_DEF("onDrain", 2, on, DRAIN),
    JS_CFUNC_MAGIC_DEF("onWritable", 2, on, WRITABLE),
    JS_CFUNC_DEF("status", 1, status_of),
    JS_CFUNC_DEF("write", 2, write_bytes),
    JS_CFUNC_MAGIC_DEF("finish", 1, finish, FINISH),
    JS_CFUNC_MAGIC_DEF("abort", 1, finish, ABORT),
    JS_CFUNC_DEF("serveFile", 2, serve_file),
    JS_CFUNC_DEF("peer", 1, peer),
};

static int add_prototype(JSContext *context, JSValueConst native)
{
    weir_js *js = weir__js_of(context);
    JSValue proto = JS_GetClassProto(context, js->classes[WEIR__JS_ANSWER]);

    if (JS_IsObject(proto))
        return JS_DefinePropertyValueStr(context, native, "contextPrototype",
                                         proto, JS_PROP_C_W_E);
    proto = JS_NewObject(context);
    if (JS_IsException(proto))
        return -1;
    JS_SetClassProto(context, js->classes[WEIR__JS_ANSWER],
                     JS_DupValue(context, proto));
    return JS_DefinePropertyValueStr(context, native, "contextPrototype", proto,
                                     JS_PROP_C_W_E);
}

const struct weir__js_builtin weir__js_answer_builtin = {
    WEIR__JS_LIBS("http/answer"),
    WEIR__JS_NATIVES(natives),
    .add = add_prototype,
    .class_definition = &exchange_class,
};
