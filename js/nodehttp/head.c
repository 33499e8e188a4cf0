/* SPDX-License-Identifier: MIT */
/*
 * head -- the fields of a message as JavaScript sees them.
 *
 * The object `headers` has lower-case names.  What several fields of one name
 * become is Node's: Set-Cookie is an array, of some names the first one counts,
 * and the others are joined.
 *
 * Tested by  test/js/http/node-http-fields.js
 */
#include <string.h>

#include "core/builtin.h"
#include "core/property.h"
#include "nodehttp/nodehttp.h"

enum { SHORT = 256 }; /* bytes that are converted on the stack */

/* Convert bytes of which some are not ASCII. */
static JSValue widen(JSContext *context, const uint8_t *data, size_t size)
{
    uint16_t some[SHORT] = {0}, *wide = some;
    JSValue string;

    if (size > SHORT)
        wide = js_malloc(context, size * sizeof(*wide));
    if (wide == NULL)
        return JS_EXCEPTION;
    for (size_t at = 0; at < size; at++)
        wide[at] = data[at];
    string = JS_NewStringUTF16(context, wide, size);
    if (wide != some)
        js_free(context, wide);
    return string;
}

JSValue weir__node_latin1(JSContext *context, weir_bytes bytes)
{
    const uint8_t *data = bytes.data;

    for (size_t at = 0; at < bytes.size; at++)
        if (data[at] >= 0x80)
            return widen(context, data, bytes.size);
    return JS_NewStringLen(context, bytes.data, bytes.size);
}

/* ---- what becomes of several fields ---- */

/* The first one counts. */
static const char *const single[] = {"age",
                                     "authorization",
                                     "content-length",
                                     "content-type",
                                     "etag",
                                     "expires",
                                     "from",
                                     "host",
                                     "if-modified-since",
                                     "if-unmodified-since",
                                     "last-modified",
                                     "location",
                                     "max-forwards",
                                     "proxy-authorization",
                                     "referer",
                                     "retry-after",
                                     "server",
                                     "user-agent"};

static bool is_single(const char *name)
{
    for (size_t i = 0; i < sizeof(single) / sizeof(*single); i++)
        if (strcmp(name, single[i]) == 0)
            return true;
    return false;
}

/* Join two strings. */
static JSValue join(JSContext *context, JSValueConst first, const char *between,
                    JSValueConst second)
{
    JSValue parts[] = {JS_NewString(context, between)}, array, text;

    if (JS_IsException(parts[0]))
        return JS_EXCEPTION;
    array = JS_NewArray(context);
    if (JS_IsException(array) ||
        weir__js_set_element(context, array, 0, JS_DupValue(context, first)) <
            0 ||
        weir__js_set_element(context, array, 1, JS_DupValue(context, second)) <
            0) {
        text = JS_EXCEPTION;
    } else {
        JSAtom name = JS_NewAtom(context, "join");

        text = JS_Invoke(context, array, name, 1, (JSValueConst *)parts);
        JS_FreeAtom(context, name);
    }
    JS_FreeValue(context, array);
    JS_FreeValue(context, parts[0]);
    return text;
}

static JSValue push(JSContext *context, JSValueConst list, JSValueConst value)
{
    int64_t length;

    if (JS_GetLength(context, list, &length) < 0 ||
        weir__js_set_element(context, list, (uint32_t)length,
                             JS_DupValue(context, value)) < 0)
        return JS_EXCEPTION;
    return JS_DupValue(context, list);
}

/* A second field of a name.  Returns what its value becomes. */
static JSValue merge(JSContext *context, const char *name, JSValueConst old,
                     JSValueConst value, bool joins_all)
{
    if (strcmp(name, "set-cookie") == 0)
        return push(context, old, value);
    if (strcmp(name, "cookie") == 0)
        return join(context, old, "; ", value);
    if (!joins_all && is_single(name))
        return JS_DupValue(context, old);
    return join(context, old, ", ", value);
}

/* ---- the object ---- */

static JSValue first_value(JSContext *context, const char *name,
                           JSValueConst value)
{
    JSValue list;

    if (strcmp(name, "set-cookie") != 0)
        return JS_DupValue(context, value);
    list = JS_NewArray(context);
    if (JS_IsException(list) ||
        weir__js_set_element(context, list, 0, JS_DupValue(context, value)) >=
            0)
        return list;
    JS_FreeValue(context, list);
    return JS_EXCEPTION;
}

/* Add a field to the object, under its name in lower case. */
static int add_field(JSContext *context, JSValueConst object, const char *name,
                     size_t size, JSValueConst value, bool joins_all)
{
    JSAtom atom = JS_NewAtomLen(context, name, size);
    JSPropertyDescriptor old;
    JSValue merged;
    int status;

    if (atom == JS_ATOM_NULL)
        return -1;
    status = JS_GetOwnProperty(context, &old, object, atom);
    if (status == 0) {
        merged = first_value(context, name, value);
    } else if (status > 0) {
        merged = merge(context, name, old.value, value, joins_all);
        JS_FreeValue(context, old.value);
        JS_FreeValue(context, old.getter);
        JS_FreeValue(context, old.setter);
    } else {
        merged = JS_EXCEPTION;
    }
    status = JS_IsException(merged)
                 ? -1
                 : JS_DefinePropertyValue(context, object, atom, merged,
                                          JS_PROP_C_W_E);
    JS_FreeAtom(context, atom);
    return status < 0 ? -1 : 0;
}

/* Convert a name to lower case and add the field. */
static int add_lower(JSContext *context, JSValueConst object, weir_bytes name,
                     JSValueConst value, bool joins_all)
{
    const char *data = name.data;
    char some[SHORT], *lower = some;
    int status;

    if (name.size >= SHORT)
        lower = js_malloc(context, name.size + 1);
    if (lower == NULL)
        return -1;
    for (size_t i = 0; i < name.size; i++)
        lower[i] =
            data[i] >= 'A' && data[i] <= 'Z' ? (char)(data[i] | 0x20) : data[i];
    lower[name.size] = '\0';
    status = add_field(context, object, lower, name.size, value, joins_all);
    if (lower != some)
        js_free(context, lower);
    return status;
}

static bool get_field(const weir_http_request *http, bool is_trailer,
                      size_t index, weir_http_field *field)
{
    return is_trailer ? weir_http_trailer_at(http, index, field)
                      : weir_http_field_at(http, index, field);
}

/* headers(exchange, isTrailers, joinsAll) */
static JSValue get_headers(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct weir__node_exchange *exchange =
        weir__node_exchange_of(context, argv[0]);
    bool is_trailer = JS_ToBool(context, argv[1]) == 1;
    bool joins_all = JS_ToBool(context, argv[2]) == 1;
    JSValue object = exchange != NULL ? JS_NewObject(context) : JS_EXCEPTION;
    weir_http_field field;

    if (JS_IsException(object))
        return object;
    for (size_t i = 0; get_field(exchange->http, is_trailer, i, &field); i++) {
        JSValue value = weir__node_latin1(context, field.value);
        int status =
            JS_IsException(value)
                ? -1
                : add_lower(context, object, field.name, value, joins_all);

        JS_FreeValue(context, value);
        if (status < 0) {
            JS_FreeValue(context, object);
            return JS_EXCEPTION;
        }
    }
    return object;
}

void weir__node_put_field(JSContext *context, JSValue *list, uint32_t i,
                          const weir_http_field *field)
{
    weir__js_put_element(context, list, 2 * i,
                         weir__node_latin1(context, field->name));
    weir__js_put_element(context, list, 2 * i + 1,
                         weir__node_latin1(context, field->value));
}

/* rawHeaders(exchange, isTrailers) */
static JSValue get_raw(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct weir__node_exchange *exchange =
        weir__node_exchange_of(context, argv[0]);
    bool is_trailer = JS_ToBool(context, argv[1]) == 1;
    JSValue list = exchange != NULL ? JS_NewArray(context) : JS_EXCEPTION;
    weir_http_field field;

    for (uint32_t i = 0; !JS_IsException(list) &&
                         get_field(exchange->http, is_trailer, i, &field);
         i++)
        weir__node_put_field(context, &list, i, &field);
    return list;
}

/* headersOf(raw, joinsAll): the object for an array of names and values */
static JSValue get_headers_of(JSContext *context, JSValueConst this_value,
                              int argc, JSValueConst *argv)
{
    JSValue object = JS_NewObject(context);
    bool joins_all = JS_ToBool(context, argv[1]) == 1;
    int64_t length;

    if (JS_IsException(object) || JS_GetLength(context, argv[0], &length) < 0) {
        JS_FreeValue(context, object);
        return JS_EXCEPTION;
    }
    for (uint32_t i = 0; i + 1 < length; i += 2) {
        JSValue name = JS_GetPropertyUint32(context, argv[0], i);
        JSValue value = JS_GetPropertyUint32(context, argv[0], i + 1);
        size_t size = 0;
        const char *text = JS_ToCStringLen(context, &size, name);
        int status = text == NULL || JS_IsException(value)
                         ? -1
                         : add_lower(context, object, (weir_bytes){text, size},
                                     value, joins_all);

        JS_FreeCString(context, text);
        JS_FreeValue(context, value);
        JS_FreeValue(context, name);
        if (status < 0) {
            JS_FreeValue(context, object);
            return JS_EXCEPTION;
        }
    }
    return object;
}

/* ---- fields that are sent ---- */

/* Bit n of word n / 32 says whether character n may be in a name: letters,
 * digits, and !#$%&'*+-.^_`|~ */
static const uint32_t token_bits[8] = {0, 0x03FF6CFA, 0xC7FFFFFE, 0x57FFFFFF};

bool weir__node_is_token(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        uint8_t c = (uint8_t)text[i];

        if ((token_bits[c / 32] >> c % 32 & 1) == 0)
            return false;
    }
    return size > 0;
}

bool weir__node_is_value(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (((signed char)text[i] < 0x20 && text[i] != '\t') || text[i] == 0x7f)
            return false;
    return true;
}

/* Whether a string passes a test of ASCII; -1 with an exception. */
static int test_text(JSContext *context, JSValueConst value,
                     bool (*test)(const char *text, size_t size))
{
    size_t size;
    const char *text = JS_ToCStringLen(context, &size, value);
    bool passes;

    if (text == NULL)
        return -1;
    passes = test(text, size);
    JS_FreeCString(context, text);
    return passes;
}

/* isField(name, value): whether both are certainly valid, which is so for most.
 * A value that is not ASCII is not certain. */
static JSValue is_field(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    int passes =
        JS_IsString(argv[0]) && (JS_IsNumber(argv[1]) || JS_IsString(argv[1]));

    if (passes == 1)
        passes = test_text(context, argv[0], weir__node_is_token);
    if (passes == 1 && JS_IsString(argv[1]))
        passes = test_text(context, argv[1], weir__node_is_value);
    return passes < 0 ? JS_EXCEPTION : JS_NewBool(context, passes);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("isField", 2, is_field),
    JS_CFUNC_DEF("headers", 3, get_headers),
    JS_CFUNC_DEF("rawHeaders", 2, get_raw),
    JS_CFUNC_DEF("headersOf", 2, get_headers_of),
};

const struct weir__js_builtin weir__js_node_head_builtin = {
    WEIR__JS_LIBS("nodehttp/binding"),
    WEIR__JS_NATIVES(natives),
};
