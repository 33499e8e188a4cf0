/* SPDX-License-Identifier: MIT */
/*
 * body -- see body.h.
 *
 * What concerns streams is in js/lib/http/body.js.
 *
 * Tested by  test/js/http/request-methods.mjs, response-methods.mjs
 */
#include "http/body.h"

#include <string.h>

#include "bytes/bytes.h"
#include "bytes/utf8.h"
#include "core/builtin.h"

struct weir__js_body *weir__js_body_of(JSContext *context, JSValueConst value)
{
    weir_js *js = weir__js_of(context);
    struct weir__js_body *body = weir__js_opaque(js, value, WEIR__JS_RESPONSE);

    return body != NULL ? body : weir__js_opaque(js, value, WEIR__JS_REQUEST);
}

void weir__js_body_fini(JSRuntime *runtime, struct weir__js_body *body)
{
    JS_FreeValueRT(runtime, body->value);
    if (body->source != NULL)
        weir__js_source_unref(body->source);
}

JSValue weir__js_body_call(JSContext *context, int hook, int argc,
                           JSValueConst *argv)
{
    JSValue *hooks = weir__js_of(context)->states[WEIR__JS_BODY];

    return JS_Call(context, hooks[hook], JS_UNDEFINED, argc, argv);
}

/* ---- strings ---- */

int weir__js_text_read(JSContext *context, JSValueConst string,
                       struct weir__js_text *text)
{
    size_t units;

    text->copy = NULL;
    text->string = JS_ToCStringLen(context, &text->size, string);
    text->data = text->string;
    if (text->string == NULL)
        return -1;
    if (memchr(text->data, 0xED, text->size) == NULL ||
        weir__js_utf8_valid((const uint8_t *)text->data, text->size) ==
            text->size)
        return 0;
    text->copy = js_malloc(context, text->size);
    if (text->copy == NULL) {
        JS_FreeCString(context, text->string);
        return -1;
    }
    text->size =
        weir__js_utf8_copy((uint8_t *)text->copy, text->size,
                           (const uint8_t *)text->string, text->size, &units);
    text->data = text->copy;
    return 0;
}

void weir__js_text_free(JSContext *context, struct weir__js_text *text)
{
    js_free(context, text->copy);
    JS_FreeCString(context, text->string);
}

/* ---- making ---- */

static int set_bytes(JSContext *context, struct weir__js_body *body,
                     const struct weir__js_bytes *bytes)
{
    JSValue copy = JS_NewUint8ArrayCopy(context, bytes->data, bytes->size);

    if (JS_IsException(copy))
        return -1;
    body->kind = WEIR__JS_BODY_BYTES;
    body->value = copy;
    return 0;
}

/* Anything else: a Blob, a FormData, a stream. */
static int extract(JSContext *context, struct weir__js_body *body,
                   JSValueConst given, JSValue *type)
{
    JSValue parts =
        weir__js_body_call(context, WEIR__JS_BODY_EXTRACT, 1, &given);
    JSValue kind = JS_UNDEFINED;
    int32_t number = 0;

    if (!JS_IsException(parts))
        kind = JS_GetPropertyUint32(context, parts, 0);
    if (JS_IsException(parts) || JS_ToInt32(context, &number, kind) < 0) {
        JS_FreeValue(context, parts);
        return -1;
    }
    body->kind = (enum weir__js_body_kind)number;
    body->value = JS_GetPropertyUint32(context, parts, 1);
    *type = JS_GetPropertyUint32(context, parts, 2);
    JS_FreeValue(context, parts);
    return 0;
}

int weir__js_body_set(JSContext *context, struct weir__js_body *body,
                      JSValueConst given, JSValue *type)
{
    struct weir__js_bytes bytes;

    *type = JS_UNDEFINED;
    if (JS_IsString(given)) {
        body->kind = WEIR__JS_BODY_TEXT;
        body->value = JS_DupValue(context, given);
        return 0;
    }
    if (JS_IsArrayBuffer(given) || JS_GetTypedArrayType(given) >= 0)
        return weir__js_bytes(context, given, &bytes) < 0
                   ? -1
                   : set_bytes(context, body, &bytes);
    return extract(context, body, given, type);
}

/* ---- reading ---- */

int weir__js_body_is_used(JSContext *context, const struct weir__js_body *body)
{
    JSValueConst stream = body->value;
    JSValue result;
    int is_used;

    if (body->is_used || body->kind != WEIR__JS_BODY_STREAM)
        return body->is_used ||
               (body->kind == WEIR__JS_BODY_SOURCE && body->source->has_begun);
    result = weir__js_body_call(context, WEIR__JS_BODY_DISTURBED, 1, &stream);
    is_used = JS_IsException(result) ? -1 : JS_ToBool(context, result);
    JS_FreeValue(context, result);
    return is_used;
}

static JSValue get_used(JSContext *context, JSValueConst this_value)
{
    const struct weir__js_body *body = weir__js_body_of(context, this_value);
    int is_used;

    if (body == NULL)
        return JS_ThrowTypeError(context, "Illegal invocation");
    is_used = weir__js_body_is_used(context, body);
    return is_used < 0 ? JS_EXCEPTION : JS_NewBool(context, is_used == 1);
}

static JSValue get_stream(JSContext *context, JSValueConst this_value)
{
    struct weir__js_body *body = weir__js_body_of(context, this_value);
    JSValue stream;

    if (body == NULL)
        return JS_ThrowTypeError(context, "Illegal invocation");
    if (body->kind == WEIR__JS_BODY_NONE)
        return JS_NULL;
    if (body->kind != WEIR__JS_BODY_STREAM) {
        JSValueConst args[] = {this_value, body->value,
                               JS_NewBool(context, body->is_used)};

        stream = weir__js_body_call(context, WEIR__JS_BODY_MAKE, 3, args);
        if (JS_IsException(stream))
            return stream;
        JS_FreeValue(context, body->value);
        body->value = stream;
        body->kind = WEIR__JS_BODY_STREAM;
    }
    return JS_DupValue(context, body->value);
}

/* A promise that is rejected with the pending exception. */
static JSValue rejected(JSContext *context)
{
    JSValue functions[2], reason = JS_GetException(context), result;
    JSValue promise = JS_NewPromiseCapability(context, functions);

    if (!JS_IsException(promise)) {
        result = JS_Call(context, functions[1], JS_UNDEFINED, 1,
                         (JSValueConst *)&reason);
        JS_FreeValue(context, result);
        JS_FreeValue(context, functions[0]);
        JS_FreeValue(context, functions[1]);
    }
    JS_FreeValue(context, reason);
    return promise;
}

/* A promise that is resolved with a value, or rejected if that is an
 * exception. */
static JSValue resolved(JSContext *context, JSValue value)
{
    JSValue functions[2], promise, result;

    if (JS_IsException(value))
        return rejected(context);
    promise = JS_NewPromiseCapability(context, functions);
    if (!JS_IsException(promise)) {
        result = JS_Call(context, functions[0], JS_UNDEFINED, 1,
                         (JSValueConst *)&value);
        JS_FreeValue(context, result);
        JS_FreeValue(context, functions[0]);
        JS_FreeValue(context, functions[1]);
    }
    JS_FreeValue(context, value);
    return promise;
}

static JSValue form_text(JSContext *context, JSValueConst string,
                         enum weir__js_form form)
{
    struct weir__js_text text;
    JSValue value;

    if (weir__js_text_read(context, string, &text) < 0)
        return JS_EXCEPTION;
    value =
        weir__js_form_bytes(context, form, (weir_bytes){text.data, text.size});
    weir__js_text_free(context, &text);
    return value;
}

static JSValue form_body(JSContext *context, const struct weir__js_body *body,
                         enum weir__js_form form)
{
    struct weir__js_bytes bytes;

    switch (body->kind) {
    case WEIR__JS_BODY_TEXT:
        return form_text(context, body->value, form);
    case WEIR__JS_BODY_BYTES:
        if (weir__js_bytes(context, body->value, &bytes) < 0)
            return JS_EXCEPTION;
        return weir__js_form_bytes(context, form,
                                   (weir_bytes){bytes.data, bytes.size});
    default:
        return weir__js_form_bytes(context, form, (weir_bytes){"", 0});
    }
}

static JSValue consume_stream(JSContext *context, JSValueConst stream,
                              enum weir__js_form form)
{
    JSValueConst args[] = {stream, JS_NewInt32(context, (int32_t)form)};

    return weir__js_body_call(context, WEIR__JS_BODY_CONSUME, 2, args);
}

/* text(), json(), arrayBuffer(), bytes() */
static JSValue consume(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv, int magic)
{
    struct weir__js_body *body = weir__js_body_of(context, this_value);
    enum weir__js_form form = (enum weir__js_form)magic;
    int is_used;

    if (body == NULL) {
        JS_ThrowTypeError(context, "Illegal invocation");
        return rejected(context);
    }
    is_used = weir__js_body_is_used(context, body);
    if (is_used != 0) {
        if (is_used > 0)
            JS_ThrowTypeError(context,
                              "Body is unusable: Body has already been read");
        return rejected(context);
    }
    if (body->kind == WEIR__JS_BODY_STREAM)
        return consume_stream(context, body->value, form);
    body->is_used = body->kind != WEIR__JS_BODY_NONE;
    if (body->kind == WEIR__JS_BODY_SOURCE) {
        JSValue promise = weir__js_source_consume(context, body->source, form);

        return JS_IsException(promise) ? rejected(context) : promise;
    }
    return resolved(context, form_body(context, body, form));
}

/* ---- the library ---- */

static const JSCFunctionListEntry members[] = {
    JS_CGETSET_DEF("body", get_stream, NULL),
    JS_CGETSET_DEF("bodyUsed", get_used, NULL),
    JS_CFUNC_MAGIC_DEF("text", 0, consume, WEIR__JS_FORM_TEXT),
    JS_CFUNC_MAGIC_DEF("json", 0, consume, WEIR__JS_FORM_JSON),
    JS_CFUNC_MAGIC_DEF("arrayBuffer", 0, consume, WEIR__JS_FORM_BUFFER),
    JS_CFUNC_MAGIC_DEF("bytes", 0, consume, WEIR__JS_FORM_BYTES),
};

int weir__js_body_add(JSContext *context, JSValueConst proto)
{
    return WEIR__JS_SET_FUNCTIONS(context, proto, members);
}

/* form(bytes, form) */
static JSValue form_of(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct weir__js_bytes bytes;
    int32_t form;

    if (JS_ToInt32(context, &form, argv[1]) < 0 ||
        weir__js_bytes(context, argv[0], &bytes) < 0)
        return JS_EXCEPTION;
    return weir__js_form_bytes(context, (enum weir__js_form)form,
                               (weir_bytes){bytes.data, bytes.size});
}

enum { START, PAUSE, RESUME, CANCEL };

/* start(message, onBody), pause(message), resume(message), cancel(message):
 * read the source of a message */
static JSValue drive(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv, int magic)
{
    struct weir__js_body *body = weir__js_body_of(context, argv[0]);
    struct weir__js_source *source = body != NULL ? body->source : NULL;

    if (source == NULL)
        return JS_ThrowTypeError(context, "Illegal invocation");
    if (magic == START)
        return weir__js_source_start(context, source, argv[1]) < 0
                   ? JS_EXCEPTION
                   : JS_UNDEFINED;
    if (magic == CANCEL)
        source->kind->cancel(source);
    else
        source->kind->pause(source, magic == PAUSE);
    return JS_UNDEFINED;
}

/* The body of a message, or NULL with an exception. */
static struct weir__js_body *check_body(JSContext *context, JSValueConst value)
{
    struct weir__js_body *body = weir__js_body_of(context, value);

    if (body == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    return body;
}

/* replace(message, stream): the stream is the body from now on */
static JSValue replace(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct weir__js_body *body = check_body(context, argv[0]);

    if (body == NULL)
        return JS_EXCEPTION;
    JS_FreeValue(context, body->value);
    body->value = JS_DupValue(context, argv[1]);
    body->kind = WEIR__JS_BODY_STREAM;
    return JS_UNDEFINED;
}

/* take(message): what its body is made of, which the caller uses: null, a
 * string, bytes, or the stream */
static JSValue take(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct weir__js_body *body = check_body(context, argv[0]);

    if (body == NULL)
        return JS_EXCEPTION;
    if (body->kind == WEIR__JS_BODY_NONE)
        return JS_NULL;
    if (body->kind == WEIR__JS_BODY_SOURCE)
        return get_stream(context, argv[0]);
    body->is_used = true;
    return JS_DupValue(context, body->value);
}

/* peek(message): the same for a string or bytes, which stay unused; otherwise
 * undefined */
static JSValue peek(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct weir__js_body *body = check_body(context, argv[0]);

    if (body == NULL)
        return JS_EXCEPTION;
    if (body->kind == WEIR__JS_BODY_NONE)
        return JS_NULL;
    return body->kind == WEIR__JS_BODY_TEXT || body->kind == WEIR__JS_BODY_BYTES
               ? JS_DupValue(context, body->value)
               : JS_UNDEFINED;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("form", 2, form_of),
    JS_CFUNC_MAGIC_DEF("start", 2, drive, START),
    JS_CFUNC_MAGIC_DEF("pause", 1, drive, PAUSE),
    JS_CFUNC_MAGIC_DEF("resume", 1, drive, RESUME),
    JS_CFUNC_MAGIC_DEF("cancel", 1, drive, CANCEL),
    JS_CFUNC_DEF("replace", 2, replace),
    JS_CFUNC_DEF("take", 1, take),
    JS_CFUNC_DEF("peek", 1, peek),
    JS_PROP_INT32_DEF("TEXT", WEIR__JS_BODY_TEXT, 0),
    JS_PROP_INT32_DEF("BYTES", WEIR__JS_BODY_BYTES, 0),
    JS_PROP_INT32_DEF("STREAM", WEIR__JS_BODY_STREAM, 0),
};

const struct weir__js_builtin weir__js_body_builtin = {
    WEIR__JS_LIBS("http/body"),
    WEIR__JS_NATIVES(natives),
    .state_bytes = WEIR__JS_BODY_HOOKS * sizeof(JSValue),
    .hook_count = WEIR__JS_BODY_HOOKS,
};
