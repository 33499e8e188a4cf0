/* SPDX-License-Identifier: MIT */
/*
 * response -- see response.h.
 *
 * A Response is made for each request that a server answers, so it holds what
 * it was made of.  Its Headers object is made when a program reads it.
 *
 * Tested by  test/js/http/response-methods.mjs
 */
#include "http/response.h"

#include <string.h>

#include "core/builtin.h"
#include "http/headers.h"

static const weir_bytes type_name = WEIR_BYTES_OF("content-type");
static const weir_bytes text_type = WEIR_BYTES_OF("text/plain;charset=UTF-8");
static const weir_bytes json_type = WEIR_BYTES_OF("application/json");

/* ---- the struct ---- */

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct weir__js_response *response =
        weir__js_opaque(js, value, WEIR__JS_RESPONSE);

    if (response == NULL)
        return;
    weir__js_body_fini(runtime, &response->body);
    weir__js_fields_unref(runtime, response->fields);
    JS_FreeValueRT(runtime, response->headers);
    JS_FreeValueRT(runtime, response->status_text);
    JS_FreeValueRT(runtime, response->url);
    js_free_rt(runtime, response);
}

static void mark(JSRuntime *runtime, JSValueConst value, JS_MarkFunc *fn)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct weir__js_response *response =
        weir__js_opaque(js, value, WEIR__JS_RESPONSE);

    if (response == NULL)
        return;
    weir__js_body_mark(runtime, &response->body, fn);
    JS_MarkValue(runtime, response->headers, fn);
}

static const JSClassDef response_class = {
    .class_name = "Response", .finalizer = finalize, .gc_mark = mark};

struct weir__js_response *weir__js_response_of(JSContext *context,
                                               JSValueConst value)
{
    return weir__js_opaque(weir__js_of(context), value, WEIR__JS_RESPONSE);
}

/* Takes the object, and returns it with a struct. */
static JSValue fill_object(JSContext *context, JSValue self, unsigned status)
{
    struct weir__js_response *response;

    if (JS_IsException(self))
        return self;
    response = js_malloc(context, sizeof(*response));
    if (response == NULL) {
        JS_FreeValue(context, self);
        return JS_EXCEPTION;
    }
    *response = (struct weir__js_response){.status = (uint16_t)status,
                                           .headers = JS_UNDEFINED,
                                           .status_text = JS_UNDEFINED,
                                           .url = JS_UNDEFINED};
    weir__js_body_init(&response->body);
    JS_SetOpaque(self, response);
    return self;
}

JSValue weir__js_response_new(JSContext *context, unsigned status)
{
    JSClassID id = weir__js_of(context)->classes[WEIR__JS_RESPONSE];

    return fill_object(context, JS_NewObjectClass(context, id), status);
}

struct weir__js_fields *
weir__js_response_fields(JSContext *context, struct weir__js_response *response)
{
    if (response->fields != NULL)
        return response->fields;
    response->fields = weir__js_fields_new(context);
    if (response->fields == NULL)
        return NULL;
    if (response->is_text && weir__js_fields_add(context, response->fields,
                                                 type_name, text_type) < 0) {
        weir__js_fields_unref(JS_GetRuntime(context), response->fields);
        response->fields = NULL; /* the type is not among them yet */
        return NULL;
    }
    response->is_text = false;
    return response->fields;
}

/* ---- making ---- */

static bool has_no_body(unsigned status)
{
    return status == 101 || status == 103 || status == 204 || status == 205 ||
           status == 304;
}

static int read_status(JSContext *context, JSValueConst init,
                       struct weir__js_response *response)
{
    JSValue value = JS_GetPropertyStr(context, init, "status");
    uint32_t number;

    if (JS_IsException(value))
        return -1;
    if (JS_IsUndefined(value))
        return 0;
    if (JS_ToUint32(context, &number, value) < 0) {
        JS_FreeValue(context, value);
        return -1;
    }
    JS_FreeValue(context, value);
    number &= 0xFFFF; /* an unsigned short */
    response->status = (uint16_t)number;
    return 0;
}

static bool is_reason(weir_bytes reason)
{
    const unsigned char *text = reason.data;

    for (size_t i = 0; i < reason.size; i++)
        if (text[i] != '\t' && (text[i] < 0x20 || text[i] == 0x7F))
            return false;
    return true;
}

static int read_status_text(JSContext *context, JSValueConst init,
                            struct weir__js_response *response)
{
    JSValue value = JS_GetPropertyStr(context, init, "statusText"), text;
    struct weir__js_span span;
    bool is_valid;

    if (JS_IsUndefined(value))
        return 0;
    text = JS_IsException(value) ? JS_EXCEPTION : JS_ToString(context, value);
    JS_FreeValue(context, value);
    if (JS_IsException(text) || weir__js_span_read(context, text, &span) < 0) {
        JS_FreeValue(context, text);
        return -1;
    }
    is_valid = is_reason((weir_bytes){span.data, span.size});
    weir__js_span_free(context, &span);
    if (!is_valid) {
        JS_FreeValue(context, text);
        JS_ThrowTypeError(context, "Invalid statusText");
        return -1;
    }
    response->status_text = text;
    return 0;
}

static int read_headers(JSContext *context, JSValueConst init,
                        struct weir__js_response *response)
{
    JSValue headers = JS_GetPropertyStr(context, init, "headers");
    int status = 0;

    if (JS_IsException(headers))
        return -1;
    if (!JS_IsUndefined(headers)) {
        struct weir__js_fields *fields =
            weir__js_response_fields(context, response);

        status = fields == NULL
                     ? -1
                     : weir__js_headers_fill(context, fields, headers);
    }
    JS_FreeValue(context, headers);
    return status;
}

/* Read the second argument of a constructor. */
static int read_init(JSContext *context, JSValueConst init,
                     struct weir__js_response *response)
{
    if (JS_IsUndefined(init) || JS_IsNull(init))
        return 0;
    if (!JS_IsObject(init)) {
        JS_ThrowTypeError(context,
                          "Response constructor: init is not an object");
        return -1;
    }
    if (read_headers(context, init, response) < 0 ||
        read_status(context, init, response) < 0 ||
        read_status_text(context, init, response) < 0)
        return -1;
    if (response->status < 200 || response->status > 599) {
        JS_ThrowRangeError(context, "init[\"status\"] must be in the range of "
                                    "200 to 599, inclusive.");
        return -1;
    }
    return 0;
}

/* Add the type of the body, unless there is one. */
static int add_type(JSContext *context, struct weir__js_response *response,
                    weir_bytes type)
{
    struct weir__js_fields *fields;

    if (response->fields != NULL &&
        weir__js_fields_find(response->fields, type_name, 0) >= 0)
        return 0;
    fields = weir__js_response_fields(context, response);
    return fields == NULL
               ? -1
               : weir__js_fields_add(context, fields, type_name, type);
}

static int add_body_type(JSContext *context, struct weir__js_response *response,
                         JSValueConst type)
{
    struct weir__js_span span;
    int status;

    if (JS_IsUndefined(type) && response->body.kind != WEIR__JS_BODY_TEXT)
        return 0;
    if (JS_IsUndefined(type)) {
        response->is_text = response->fields == NULL;
        return response->is_text ? 0 : add_type(context, response, text_type);
    }
    if (weir__js_span_read(context, type, &span) < 0)
        return -1;
    status = add_type(context, response, (weir_bytes){span.data, span.size});
    weir__js_span_free(context, &span);
    return status;
}

static int set_body(JSContext *context, struct weir__js_response *response,
                    JSValueConst given)
{
    JSValue type;
    int status = weir__js_body_set(context, &response->body, given, &type);

    if (status == 0 && has_no_body(response->status)) {
        JS_ThrowTypeError(context,
                          "Response constructor: Invalid response status code "
                          "%u",
                          response->status);
        status = -1;
    }
    if (status == 0)
        status = add_body_type(context, response, type);
    JS_FreeValue(context, type);
    return status;
}

/* An object of this class, or of one that extends it. */
static JSValue new_object(JSContext *context, JSValueConst new_target)
{
    weir_js *js = weir__js_of(context);
    const JSValue *own = js->states[WEIR__JS_RESPONSE];
    JSValue proto, self;

    if (JS_VALUE_GET_PTR(new_target) == JS_VALUE_GET_PTR(*own))
        return weir__js_response_new(context, 200);
    proto = JS_GetPropertyStr(context, new_target, "prototype");
    if (JS_IsException(proto))
        return proto;
    self =
        JS_NewObjectProtoClass(context, proto, js->classes[WEIR__JS_RESPONSE]);
    JS_FreeValue(context, proto);
    return fill_object(context, self, 200);
}

static bool is_given(int argc, JSValueConst *argv, int index)
{
    return argc > index && !JS_IsUndefined(argv[index]) &&
           !JS_IsNull(argv[index]);
}

static JSValue construct(JSContext *context, JSValueConst new_target, int argc,
                         JSValueConst *argv)
{
    JSValue self = new_object(context, new_target);
    struct weir__js_response *response;

    if (JS_IsException(self))
        return self;
    response = weir__js_response_of(context, self);
    if ((argc > 1 && read_init(context, argv[1], response) < 0) ||
        (is_given(argc, argv, 0) && set_body(context, response, argv[0]) < 0)) {
        JS_FreeValue(context, self);
        return JS_EXCEPTION;
    }
    return self;
}

/* Response.json(data, init) */
static JSValue make_json(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    JSValue text, self;
    struct weir__js_response *response;

    if (argc == 0)
        return JS_ThrowTypeError(
            context, "Response.json: 1 argument required, but 0 found.");
    text = JS_JSONStringify(context, argv[0], JS_UNDEFINED, JS_UNDEFINED);
    if (JS_IsException(text))
        return text;
    if (!JS_IsString(text)) {
        JS_FreeValue(context, text);
        return JS_ThrowTypeError(context, "Value is not JSON serializable");
    }
    self = weir__js_response_new(context, 200);
    response =
        JS_IsException(self) ? NULL : weir__js_response_of(context, self);
    if (response == NULL ||
        (argc > 1 && read_init(context, argv[1], response) < 0) ||
        add_type(context, response, json_type) < 0) {
        JS_FreeValue(context, text);
        JS_FreeValue(context, self);
        return JS_EXCEPTION;
    }
    response->body.kind = WEIR__JS_BODY_TEXT;
    response->body.value = text;
    if (!has_no_body(response->status))
        return self;
    JS_ThrowTypeError(context,
                      "Response constructor: Invalid response status code %u",
                      response->status);
    JS_FreeValue(context, self);
    return JS_EXCEPTION;
}

/* ---- properties ---- */

enum { STATUS, OK, STATUS_TEXT, TYPE, URL, REDIRECTED, HEADERS };

static JSValue get_headers(JSContext *context,
                           struct weir__js_response *response)
{
    struct weir__js_fields *fields;
    JSValue made;

    if (JS_IsUndefined(response->headers)) {
        fields = weir__js_response_fields(context, response);
        if (fields == NULL)
            return JS_EXCEPTION;
        made = weir__js_headers_new(context, fields, NULL,
                                    response->is_immutable
                                        ? WEIR__JS_GUARD_IMMUTABLE
                                        : WEIR__JS_GUARD_NONE);
        if (JS_IsException(made))
            return made;
        response->headers = made;
    }
    return JS_DupValue(context, response->headers);
}

static JSValue text_of(JSContext *context, JSValueConst value)
{
    return JS_IsUndefined(value) ? JS_NewStringLen(context, "", 0)
                                 : JS_DupValue(context, value);
}

static JSValue get(JSContext *context, JSValueConst this_value, int magic)
{
    static const char *const types[] = {"default", "error", "basic",
                                        "opaqueredirect"};
    struct weir__js_response *response =
        weir__js_response_of(context, this_value);

    if (response == NULL)
        return JS_ThrowTypeError(context, "Illegal invocation");
    switch (magic) {
    case STATUS:
        return JS_NewInt32(context, response->status);
    case OK:
        return JS_NewBool(context,
                          response->status >= 200 && response->status <= 299);
    case STATUS_TEXT:
        return text_of(context, response->status_text);
    case TYPE:
        return JS_NewString(context, types[response->type]);
    case URL:
        return text_of(context, response->url);
    case REDIRECTED:
        return JS_NewBool(context, response->is_redirected);
    default:
        return get_headers(context, response);
    }
}

static const JSCFunctionListEntry members[] = {
    JS_CGETSET_MAGIC_DEF("type", get, NULL, TYPE),
    JS_CGETSET_MAGIC_DEF("url", get, NULL, URL),
    JS_CGETSET_MAGIC_DEF("redirected", get, NULL, REDIRECTED),
    JS_CGETSET_MAGIC_DEF("status", get, NULL, STATUS),
    JS_CGETSET_MAGIC_DEF("ok", get, NULL, OK),
    JS_CGETSET_MAGIC_DEF("statusText", get, NULL, STATUS_TEXT),
    JS_CGETSET_MAGIC_DEF("headers", get, NULL, HEADERS),
};

/* ---- for the library ---- */

/* isResponse(value) */
static JSValue is_response(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    return JS_NewBool(context, weir__js_response_of(context, argv[0]) != NULL);
}

/* Copy what an options object says: {type, url, redirected, immutable}. */
static int set_options(JSContext *context, struct weir__js_response *response,
                       JSValueConst options)
{
    JSValue type = JS_GetPropertyStr(context, options, "type");
    JSValue url = JS_GetPropertyStr(context, options, "url");
    JSValue redirected = JS_GetPropertyStr(context, options, "redirected");
    JSValue immutable = JS_GetPropertyStr(context, options, "immutable");
    int32_t number = 0;
    bool failed =
        JS_IsException(type) || JS_IsException(url) ||
        JS_IsException(redirected) || JS_IsException(immutable) ||
        (!JS_IsUndefined(type) && JS_ToInt32(context, &number, type) < 0);

    response->type = (uint8_t)number;
    response->is_redirected = JS_ToBool(context, redirected) == 1;
    response->is_immutable = JS_ToBool(context, immutable) == 1;
    JS_FreeValue(context, response->url);
    response->url = url;
    JS_FreeValue(context, type);
    JS_FreeValue(context, redirected);
    JS_FreeValue(context, immutable);
    return failed ? -1 : 0;
}

/* make(status, statusText, headers, options): a Response without a body, whose
 * fields are copied from a Headers object, or null */
static JSValue make(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct weir__js_response *response;
    struct weir__js_fields *fields;
    uint32_t status;
    JSValue self;

    if (JS_ToUint32(context, &status, argv[0]) < 0)
        return JS_EXCEPTION;
    self = weir__js_response_new(context, status);
    if (JS_IsException(self))
        return self;
    response = weir__js_response_of(context, self);
    response->status_text = JS_DupValue(context, argv[1]);
    fields = weir__js_response_fields(context, response);
    if (fields == NULL || set_options(context, response, argv[3]) < 0 ||
        (JS_IsObject(argv[2]) &&
         weir__js_headers_fill(context, fields, argv[2]) < 0)) {
        JS_FreeValue(context, self);
        return JS_EXCEPTION;
    }
    return self;
}

/* copy(response): another one with a copy of all but the body */
static JSValue copy(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct weir__js_response *from = weir__js_response_of(context, argv[0]);
    struct weir__js_fields *fields;
    struct weir__js_response *to;
    JSValue self;

    if (from == NULL)
        return JS_ThrowTypeError(context, "Illegal invocation");
    self = weir__js_response_new(context, from->status);
    if (JS_IsException(self))
        return self;
    to = weir__js_response_of(context, self);
    to->type = from->type;
    to->is_redirected = from->is_redirected;
    to->is_immutable = from->is_immutable;
    to->is_decoded = from->is_decoded;
    to->status_text = JS_DupValue(context, from->status_text);
    to->url = JS_DupValue(context, from->url);
    fields = weir__js_response_fields(context, from);
    if (fields == NULL || weir__js_response_fields(context, to) == NULL)
        goto fail;
    for (uint32_t i = 0; i < fields->count; i++)
        if (weir__js_fields_add(context, to->fields,
                                weir__js_fields_name(fields, i),
                                weir__js_fields_value(fields, i)) < 0)
            goto fail;
    return self;
fail:
    JS_FreeValue(context, self);
    return JS_EXCEPTION;
}

/* setBody(response, value): a string, bytes or a stream */
static JSValue set_body_of(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct weir__js_body *body = weir__js_body_of(context, argv[0]);
    JSValue type;

    if (body == NULL)
        return JS_ThrowTypeError(context, "Illegal invocation");
    if (weir__js_body_set(context, body, argv[1], &type) < 0)
        return JS_EXCEPTION;
    JS_FreeValue(context, type);
    return JS_UNDEFINED;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("isResponse", 1, is_response),
    JS_CFUNC_DEF("makeResponse", 4, make),
    JS_CFUNC_DEF("copyResponse", 1, copy),
    JS_CFUNC_DEF("setBody", 2, set_body_of),
};

static const JSCFunctionListEntry statics[] = {
    JS_CFUNC_DEF("json", 1, make_json),
};

static int add_class(JSContext *context, JSValueConst native)
{
    weir_js *js = weir__js_of(context);
    JSValue *own = js->states[WEIR__JS_RESPONSE];
    JSValue proto = JS_NewObject(context);
    JSValue constructor = JS_NewCFunction2(context, construct, "Response", 0,
                                           JS_CFUNC_constructor, 0);

    if (JS_IsException(proto) || JS_IsException(constructor) ||
        WEIR__JS_SET_FUNCTIONS(context, proto, members) < 0 ||
        WEIR__JS_SET_FUNCTIONS(context, constructor, statics) < 0 ||
        weir__js_body_add(context, proto) < 0) {
        JS_FreeValue(context, proto);
        JS_FreeValue(context, constructor);
        return -1;
    }
    JS_SetConstructor(context, constructor, proto);
    JS_SetClassProto(context, js->classes[WEIR__JS_RESPONSE], proto);
    JS_FreeValue(context, *own);
    *own = JS_DupValue(context, constructor);
    return JS_DefinePropertyValueStr(context, native, "Response", constructor,
                                     JS_PROP_C_W_E);
}

static int init_response(weir_js *js)
{
    *(JSValue *)js->states[WEIR__JS_RESPONSE] = JS_UNDEFINED;
    return 0;
}

static void drop_response(weir_js *js)
{
    JSValue *own = js->states[WEIR__JS_RESPONSE];

    JS_FreeValue(js->context, *own);
    *own = JS_UNDEFINED;
}

const struct weir__js_builtin weir__js_response_builtin = {
    WEIR__JS_LIBS("http/classes"),
    WEIR__JS_NATIVES(natives),
    .add = add_class,
    .class_definition = &response_class,
    .state_bytes = sizeof(JSValue),
    .init = init_response,
    .drop = drop_response,
};
