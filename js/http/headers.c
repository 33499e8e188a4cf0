/* SPDX-License-Identifier: MIT */
/*
 * headers -- see headers.h.
 *
 * js/lib/http/classes.js adds what iterates.  It asks for the list in the order
 * of iteration, which is made once and again after each change.
 *
 * Tested by  test/js/http/headers-methods.mjs
 */
#include "http/headers.h"

#include <stdlib.h>
#include <string.h>

#include "core/builtin.h"
#include "core/property.h"

static const weir_bytes set_cookie = WEIR_BYTES_OF("set-cookie");

/* ---- the struct ---- */

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct weir__js_headers *headers =
        weir__js_opaque(js, value, WEIR__JS_HEADERS);

    if (headers == NULL)
        return;
    weir__js_fields_unref(runtime, headers->fields);
    if (headers->exchange != NULL)
        weir__js_exchange_unref(headers->exchange);
    JS_FreeValueRT(runtime, headers->sorted);
    js_free_rt(runtime, headers);
}

static void mark(JSRuntime *runtime, JSValueConst value, JS_MarkFunc *fn)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct weir__js_headers *headers =
        weir__js_opaque(js, value, WEIR__JS_HEADERS);

    if (headers != NULL)
        JS_MarkValue(runtime, headers->sorted, fn);
}

static const JSClassDef headers_class = {
    .class_name = "Headers", .finalizer = finalize, .gc_mark = mark};

struct weir__js_headers *weir__js_headers_of(JSContext *context,
                                             JSValueConst value)
{
    return weir__js_opaque(weir__js_of(context), value, WEIR__JS_HEADERS);
}

/* Takes the object, which has no struct yet, and returns it with one. */
static JSValue fill_object(JSContext *context, JSValue self,
                           struct weir__js_fields *fields,
                           struct weir__js_exchange *exchange,
                           enum weir__js_guard guard)
{
    struct weir__js_headers *headers;

    if (JS_IsException(self))
        return self;
    headers = js_mallocz(context, sizeof(*headers));
    if (headers == NULL) {
        JS_FreeValue(context, self);
        return JS_EXCEPTION;
    }
    headers->fields = fields;
    if (fields != NULL)
        fields->refs++;
    headers->exchange = exchange;
    if (exchange != NULL)
        weir__js_exchange_ref(exchange);
    headers->guard = guard;
    headers->sorted = JS_UNDEFINED;
    JS_SetOpaque(self, headers);
    return self;
}

JSValue weir__js_headers_new(JSContext *context, struct weir__js_fields *fields,
                             struct weir__js_exchange *exchange,
                             enum weir__js_guard guard)
{
    JSClassID id = weir__js_of(context)->classes[WEIR__JS_HEADERS];

    return fill_object(context, JS_NewObjectClass(context, id), fields,
                       exchange, guard);
}

size_t weir__js_headers_count(const struct weir__js_headers *headers)
{
    weir_http_field field;
    size_t count = 0;

    if (headers->fields != NULL)
        return headers->fields->count;
    while (weir_http_field_at(headers->exchange->http, count, &field))
        count++;
    return count;
}

bool weir__js_headers_at(const struct weir__js_headers *headers, size_t index,
                         weir_http_field *field)
{
    if (headers->fields == NULL)
        return weir_http_field_at(headers->exchange->http, index, field);
    if (index >= headers->fields->count)
        return false;
    field->name = weir__js_fields_name(headers->fields, (uint32_t)index);
    field->value = weir__js_fields_value(headers->fields, (uint32_t)index);
    return true;
}

/* Copy the fields of an exchange, to change them.  Returns 0, or -1 with an
 * exception. */
static int own_fields(JSContext *context, struct weir__js_headers *headers)
{
    struct weir__js_fields *fields;
    weir_http_field field;

    if (headers->fields != NULL)
        return 0;
    fields = weir__js_fields_new(context);
    if (fields == NULL)
        return -1;
    for (size_t i = 0; weir__js_headers_at(headers, i, &field); i++)
        if (weir__js_fields_add(context, fields, field.name, field.value) < 0) {
            weir__js_fields_unref(JS_GetRuntime(context), fields);
            return -1;
        }
    headers->fields = fields;
    return 0;
}

/* ---- the constructor ---- */

static JSValue construct(JSContext *context, JSValueConst new_target, int argc,
                         JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct weir__js_fields *fields;
    JSValue proto, self;

    proto = JS_GetPropertyStr(context, new_target, "prototype");
    if (JS_IsException(proto))
        return proto;
    fields = weir__js_fields_new(context);
    self = fields == NULL
               ? JS_EXCEPTION
               : fill_object(context,
                             JS_NewObjectProtoClass(
                                 context, proto, js->classes[WEIR__JS_HEADERS]),
                             fields, NULL, WEIR__JS_GUARD_NONE);
    JS_FreeValue(context, proto);
    if (!JS_IsException(self) && argc > 0 && !JS_IsUndefined(argv[0]) &&
        weir__js_headers_fill(context, fields, argv[0]) < 0) {
        JS_FreeValue(context, self);
        self = JS_EXCEPTION;
    }
    weir__js_fields_unref(JS_GetRuntime(context), fields);
    return self;
}

/* ---- methods ---- */

static struct weir__js_headers *check(JSContext *context, JSValueConst value)
{
    struct weir__js_headers *headers = weir__js_headers_of(context, value);

    if (headers == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    return headers;
}

static bool has_arguments(JSContext *context, const char *method, int argc,
                          int needed)
{
    if (argc >= needed)
        return true;
    JS_ThrowTypeError(
        context, "Headers.%s: %d argument%s required, but%s %d found.", method,
        needed, needed > 1 ? "s" : "", argc > 0 ? " only" : "", argc);
    return false;
}

/* A struct whose fields may be changed, or NULL with an exception. */
static struct weir__js_headers *check_change(JSContext *context,
                                             JSValueConst value)
{
    struct weir__js_headers *headers = check(context, value);

    if (headers == NULL)
        return NULL;
    if (headers->guard == WEIR__JS_GUARD_IMMUTABLE) {
        JS_ThrowTypeError(context, "immutable");
        return NULL;
    }
    return own_fields(context, headers) == 0 ? headers : NULL;
}

static JSValue append(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct weir__js_headers *headers = check(context, this_value);
    JSValue name, value;
    int status = -1;

    if (headers == NULL || !has_arguments(context, "append", argc, 2))
        return JS_EXCEPTION;
    name = JS_ToString(context, argv[0]);
    value = JS_ToString(context, argv[1]);
    headers = check_change(context, this_value);
    if (!JS_IsException(name) && !JS_IsException(value) && headers != NULL)
        status = weir__js_headers_append(context, headers->fields, name, value);
    JS_FreeValue(context, name);
    JS_FreeValue(context, value);
    return status < 0 ? JS_EXCEPTION : JS_UNDEFINED;
}

static int set_pair(JSContext *context, struct weir__js_fields *fields,
                    weir_bytes name, weir_bytes value)
{
    int at = weir__js_fields_find(fields, name, 0), next;

    if (at < 0)
        return weir__js_fields_add(context, fields, name, value);
    while ((next = weir__js_fields_find(fields, name, (uint32_t)at + 1)) >= 0)
        weir__js_fields_remove(fields, (uint32_t)next);
    return weir__js_fields_set(context, fields, (uint32_t)at, value);
}

static JSValue set(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv)
{
    struct weir__js_headers *headers = check(context, this_value);
    struct weir__js_span spans[2];
    weir_bytes bytes[2];
    int status = -1;

    if (headers == NULL || !has_arguments(context, "set", argc, 2) ||
        weir__js_headers_read(context, "set", argv[0], argv[1], spans, bytes) <
            0)
        return JS_EXCEPTION;
    headers = check_change(context, this_value);
    if (headers != NULL)
        status = set_pair(context, headers->fields, bytes[0], bytes[1]);
    weir__js_span_free(context, &spans[0]);
    weir__js_span_free(context, &spans[1]);
    return status < 0 ? JS_EXCEPTION : JS_UNDEFINED;
}

/* Read the name that a method is called with. */
static int read_name(JSContext *context, const char *method, JSValueConst value,
                     struct weir__js_span *span, weir_bytes *name)
{
    if (weir__js_span_read(context, value, span) < 0)
        return -1;
    *name = (weir_bytes){span->data, span->size};
    if (weir__js_is_token(*name))
        return 0;
    weir__js_headers_refuse(context, method, value, "name");
    weir__js_span_free(context, span);
    return -1;
}

static JSValue delete_name(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct weir__js_headers *headers = check(context, this_value);
    struct weir__js_span span;
    weir_bytes name;
    int at = 0;

    if (headers == NULL || !has_arguments(context, "delete", argc, 1) ||
        read_name(context, "delete", argv[0], &span, &name) < 0)
        return JS_EXCEPTION;
    headers = check_change(context, this_value);
    while (headers != NULL && (at = weir__js_fields_find(headers->fields, name,
                                                         (uint32_t)at)) >= 0)
        weir__js_fields_remove(headers->fields, (uint32_t)at);
    weir__js_span_free(context, &span);
    return headers != NULL ? JS_UNDEFINED : JS_EXCEPTION;
}

/* The next field of this name. */
static bool find(const struct weir__js_headers *headers, weir_bytes name,
                 size_t *index, weir_http_field *field)
{
    while (weir__js_headers_at(headers, *index, field)) {
        ++*index;
        if (weir__js_is_name(field->name, name))
            return true;
    }
    return false;
}

/* All values of a name, with ", " between them, the first of which was found
 * before `index`. */
JSValue weir__js_headers_join(JSContext *context,
                              const struct weir__js_headers *headers,
                              weir_bytes name, weir_bytes first, size_t index)
{
    weir_http_field field;
    size_t at = index, size = first.size;
    char *text, *to;
    JSValue value;

    while (find(headers, name, &at, &field))
        size += field.value.size + 2;
    if (size == first.size)
        return weir__js_byte_string(context, first, false);
    text = js_malloc(context, size);
    if (text == NULL)
        return JS_EXCEPTION;
    memcpy(text, first.data, first.size);
    for (to = text + first.size; find(headers, name, &index, &field);) {
        memcpy(to, ", ", 2);
        if (field.value.size > 0)
            memcpy(to + 2, field.value.data, field.value.size);
        to += field.value.size + 2;
    }
    value = weir__js_byte_string(context, (weir_bytes){text, size}, false);
    js_free(context, text);
    return value;
}

enum { GET, HAS };

static JSValue get(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv, int magic)
{
    struct weir__js_headers *headers = check(context, this_value);
    const char *method = magic == GET ? "get" : "has";
    struct weir__js_span span;
    weir_http_field field;
    weir_bytes name;
    size_t index = 0;
    JSValue value;

    if (headers == NULL || !has_arguments(context, method, argc, 1) ||
        read_name(context, method, argv[0], &span, &name) < 0)
        return JS_EXCEPTION;
    if (!find(headers, name, &index, &field))
        value = magic == GET ? JS_NULL : JS_FALSE;
    else if (magic == HAS)
        value = JS_TRUE;
    else
        value =
            weir__js_headers_join(context, headers, name, field.value, index);
    weir__js_span_free(context, &span);
    return value;
}

static JSValue get_set_cookie(JSContext *context, JSValueConst this_value,
                              int argc, JSValueConst *argv)
{
    struct weir__js_headers *headers = check(context, this_value);
    weir_http_field field;
    uint32_t count = 0;
    size_t index = 0;
    JSValue list;

    if (headers == NULL)
        return JS_EXCEPTION;
    list = JS_NewArray(context);
    while (!JS_IsException(list) && find(headers, set_cookie, &index, &field))
        weir__js_put_element(context, &list, count++,
                             weir__js_byte_string(context, field.value, false));
    return list;
}

/* ---- for the library ---- */

/* isHeaders(value) */
static JSValue is_headers(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    return JS_NewBool(context, weir__js_headers_of(context, argv[0]) != NULL);
}

/* setImmutable(headers) */
static JSValue set_immutable(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    struct weir__js_headers *headers = check(context, argv[0]);

    if (headers == NULL)
        return JS_EXCEPTION;
    headers->guard = WEIR__JS_GUARD_IMMUTABLE;
    return JS_UNDEFINED;
}

/* onSequence(function): it gets a Headers object and an iterable. */
static JSValue on_sequence(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    JSValue *own = ((JSValue *)weir__js_of(context)->states[WEIR__JS_HEADERS]);

    JS_FreeValue(context, own[0]);
    JS_FreeValue(context, own[1]);
    own[0] = JS_DupValue(context, argv[0]);
    own[1] = JS_DupValue(context, argv[1]);
    return JS_UNDEFINED;
}

static const JSCFunctionListEntry methods[] = {
    JS_CFUNC_DEF("append", 2, append),
    JS_CFUNC_DEF("delete", 1, delete_name),
    JS_CFUNC_MAGIC_DEF("get", 1, get, GET),
    JS_CFUNC_MAGIC_DEF("has", 1, get, HAS),
    JS_CFUNC_DEF("set", 2, set),
    JS_CFUNC_DEF("getSetCookie", 0, get_set_cookie),
};

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("isHeaders", 1, is_headers),
    JS_CFUNC_DEF("setImmutable", 1, set_immutable),
    JS_CFUNC_DEF("onSequence", 2, on_sequence),
};

static int add_class(JSContext *context, JSValueConst native)
{
    weir_js *js = weir__js_of(context);
    JSValue proto = JS_NewObject(context);
    JSValue constructor = JS_NewCFunction2(context, construct, "Headers", 0,
                                           JS_CFUNC_constructor, 0);

    if (JS_IsException(proto) || JS_IsException(constructor) ||
        WEIR__JS_SET_FUNCTIONS(context, proto, methods) < 0) {
        JS_FreeValue(context, proto);
        JS_FreeValue(context, constructor);
        return -1;
    }
    JS_SetConstructor(context, constructor, proto);
    JS_SetClassProto(context, js->classes[WEIR__JS_HEADERS], proto);
    return weir__js_set_property(context, native, "Headers", constructor);
}

static int init_headers(weir_js *js)
{
    JSValue *own = js->states[WEIR__JS_HEADERS];

    own[0] = own[1] = JS_UNDEFINED;
    return 0;
}

static void drop_headers(weir_js *js)
{
    JSValue *own = js->states[WEIR__JS_HEADERS];

    JS_FreeValue(js->context, own[0]);
    JS_FreeValue(js->context, own[1]);
    own[0] = own[1] = JS_UNDEFINED;
}

const struct weir__js_builtin weir__js_headers_builtin = {
    WEIR__JS_LIBS("http/headers"),
    WEIR__JS_NATIVES(natives),
    .add = add_class,
    .class_definition = &headers_class,
    .state_bytes = 2 * sizeof(JSValue),
    .init = init_headers,
    .drop = drop_headers,
};
