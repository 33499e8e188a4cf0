/* SPDX-License-Identifier: MIT */
/*
 * fill -- from values of a program to header fields.
 *
 * Tested by  test/js/http/headers-methods.mjs
 */
#include "core/builtin.h"
#include "http/headers.h"

static const char not_init[] =
    "Headers constructor: Argument 1 could not be converted to one of: "
    "sequence<sequence<ByteString>>, record<ByteString, ByteString>.";

/* Throw: Headers.append: "a b" is an invalid header name. */
int weir__js_headers_refuse(JSContext *context, const char *method,
                            JSValueConst value, const char *what)
{
    const char *text = JS_ToCString(context, value);

    if (text != NULL)
        JS_ThrowTypeError(context,
                          "Headers.%s: \"%s\" is an invalid header %s.", method,
                          text, what);
    JS_FreeCString(context, text);
    return -1;
}

/* A name and a value as bytes.  Returns 0, or -1 with an exception. */
int weir__js_headers_read(JSContext *context, const char *method,
                          JSValueConst name, JSValueConst value,
                          struct weir__js_span spans[2], weir_bytes bytes[2])
{
    if (weir__js_span_read(context, name, &spans[0]) < 0)
        return -1;
    if (weir__js_span_read(context, value, &spans[1]) < 0) {
        weir__js_span_free(context, &spans[0]);
        return -1;
    }
    bytes[0] = (weir_bytes){spans[0].data, spans[0].size};
    bytes[1] = weir__js_trim((weir_bytes){spans[1].data, spans[1].size});
    if (weir__js_is_token(bytes[0]) && weir__js_is_field_value(bytes[1]))
        return 0;
    if (!weir__js_is_token(bytes[0]))
        weir__js_headers_refuse(context, method, name, "name");
    else
        weir__js_headers_refuse(context, method, value, "value");
    weir__js_span_free(context, &spans[0]);
    weir__js_span_free(context, &spans[1]);
    return -1;
}

int weir__js_headers_append(JSContext *context, struct weir__js_fields *fields,
                            JSValueConst name, JSValueConst value)
{
    struct weir__js_span spans[2];
    weir_bytes bytes[2];
    int status;

    if (weir__js_headers_read(context, "append", name, value, spans, bytes) < 0)
        return -1;
    status = weir__js_fields_add(context, fields, bytes[0], bytes[1]);
    weir__js_span_free(context, &spans[0]);
    weir__js_span_free(context, &spans[1]);
    return status;
}

static int copy_headers(JSContext *context, struct weir__js_fields *fields,
                        const struct weir__js_headers *other)
{
    weir_http_field field;
    size_t count = weir__js_headers_count(other);

    for (size_t i = 0; i < count && weir__js_headers_at(other, i, &field); i++)
        if (weir__js_fields_add(context, fields, field.name, field.value) < 0)
            return -1;
    return 0;
}

/* Append the own enumerable properties of an object. */
static int append_property(JSContext *context, struct weir__js_fields *fields,
                           JSValueConst init, JSAtom atom)
{
    JSValue name = JS_AtomToValue(context, atom);
    JSValue value = JS_GetProperty(context, init, atom);
    int status = -1;

    if (JS_IsSymbol(name) || JS_IsSymbol(value))
        JS_ThrowTypeError(context,
                          "Headers contructor: init is a symbol, which cannot "
                          "be converted to a DOMString.");
    else if (!JS_IsException(value))
        status = weir__js_headers_append(context, fields, name, value);
    JS_FreeValue(context, name);
    JS_FreeValue(context, value);
    return status;
}

static int fill_record(JSContext *context, struct weir__js_fields *fields,
                       JSValueConst init)
{
    JSPropertyEnum *names;
    uint32_t count;
    int status = 0;

    if (JS_GetOwnPropertyNames(context, &names, &count, init,
                               JS_GPN_STRING_MASK | JS_GPN_SYMBOL_MASK |
                                   JS_GPN_ENUM_ONLY) < 0)
        return -1;
    for (uint32_t i = 0; i < count && status == 0; i++)
        status = append_property(context, fields, init, names[i].atom);
    JS_FreePropertyEnum(context, names, count);
    return status;
}

/* Call a function of js/lib/http/classes.js, which appends each pair. */
static int fill_sequence(JSContext *context, struct weir__js_fields *fields,
                         JSValueConst init, JSValueConst iterate)
{
    JSValue target =
        weir__js_headers_new(context, fields, NULL, WEIR__JS_GUARD_NONE);
    JSValueConst args[] = {target, init};
    JSValue result = JS_IsException(target)
                         ? JS_EXCEPTION
                         : JS_Call(context, iterate, JS_UNDEFINED, 2, args);
    int status = JS_IsException(result) ? -1 : 0;

    JS_FreeValue(context, target);
    JS_FreeValue(context, result);
    return status;
}

static JSValue *iterate_of(JSContext *context)
{
    return weir__js_of(context)->states[WEIR__JS_HEADERS];
}

int weir__js_headers_fill(JSContext *context, struct weir__js_fields *fields,
                          JSValueConst init)
{
    const struct weir__js_headers *other = weir__js_headers_of(context, init);
    JSAtom key;
    JSValue method;
    int status;

    if (!JS_IsObject(init)) {
        JS_ThrowTypeError(context, "%s", not_init);
        return -1;
    }
    if (other != NULL)
        return copy_headers(context, fields, other);
    key = JS_ValueToAtom(context, iterate_of(context)[1]);
    method = JS_GetProperty(context, init, key);
    JS_FreeAtom(context, key);
    if (JS_IsException(method))
        return -1;
    status = JS_IsUndefined(method) || JS_IsNull(method)
                 ? fill_record(context, fields, init)
                 : fill_sequence(context, fields, init, iterate_of(context)[0]);
    JS_FreeValue(context, method);
    return status;
}
