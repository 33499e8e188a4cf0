/* SPDX-License-Identifier: MIT */
/*
 * fields -- properties of a stream's state, as C reads and writes them.
 *
 * The states are JavaScript's objects, and most of what happens to them is in
 * the bundled readable-stream (js/bundle/stream-changes.js).  Only the common
 * course of the functions that run for each chunk is in C.  Such a function
 * first reads what it needs; if that is not the common case, or not of the
 * expected type, it changes nothing and calls the function of the bundle.
 */
#ifndef WEIR_JS_STREAM_FIELDS_H
#define WEIR_JS_STREAM_FIELDS_H

#include "core/host.h"

/* Get a property for the decision; undefined if that throws. */
static inline JSValue weir__js_field(JSContext *context, JSValueConst object,
                                     JSAtom name)
{
    JSValue value = JS_GetProperty(context, object, name);

    if (!JS_IsException(value))
        return value;
    JS_FreeValue(context, JS_GetException(context));
    return JS_UNDEFINED;
}

/* Get an integer.  Returns whether it is one. */
static inline bool weir__js_field_int(JSContext *context, JSValueConst object,
                                      JSAtom name, int32_t *out)
{
    JSValue value = weir__js_field(context, object, name);

    if (JS_VALUE_GET_TAG(value) == JS_TAG_INT) {
        *out = JS_VALUE_GET_INT(value);
        return true;
    }
    JS_FreeValue(context, value);
    return false;
}

/* Set an integer.  Returns false with an exception. */
static inline bool weir__js_set_field(JSContext *context, JSValueConst object,
                                      JSAtom name, int32_t value)
{
    return JS_SetProperty(context, object, name, JS_NewInt32(context, value)) >=
           0;
}

static inline bool weir__js_is_same(JSValueConst one, JSValueConst other)
{
    return JS_IsObject(one) && JS_IsObject(other) &&
           JS_VALUE_GET_PTR(one) == JS_VALUE_GET_PTR(other);
}

/* Get the length of a chunk that is a Buffer: a Uint8Array with this prototype.
 * Returns whether it is one. */
static inline bool weir__js_buffer_length(JSContext *context,
                                          JSValueConst chunk,
                                          JSValueConst prototype, int32_t *out)
{
    JSValue own;
    size_t length;
    bool is_buffer;

    if (JS_GetTypedArrayType(chunk) != JS_TYPED_ARRAY_UINT8)
        return false;
    own = JS_GetPrototype(context, chunk);
    is_buffer = weir__js_is_same(own, prototype);
    JS_FreeValue(context, own);
    if (!is_buffer || JS_GetUint8Array(context, &length, chunk) == NULL ||
        length > INT32_MAX / 2) {
        JS_FreeValue(context, JS_GetException(context));
        return false;
    }
    *out = (int32_t)length;
    return true;
}

#endif /* WEIR_JS_STREAM_FIELDS_H */
