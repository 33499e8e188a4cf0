/* SPDX-License-Identifier: MIT */
/*
 * bytes -- the memory behind a buffer or a typed array.
 */
#include "bytes/bytes.h"

#include "core/builtin.h"

static uint8_t nothing[1];

/* Treat as empty: a detached buffer, or a view beyond a buffer that shrank. */
static int none(JSContext *context, struct weir__js_bytes *bytes)
{
    JS_FreeValue(context, JS_GetException(context));
    *bytes = (struct weir__js_bytes){.data = nothing};
    return 0;
}

static int of_buffer(JSContext *context, JSValueConst value,
                     struct weir__js_bytes *bytes)
{
    uint8_t *data = JS_GetArrayBuffer(context, &bytes->size, value);

    if (data == NULL && JS_HasException(context) && !JS_IsArrayBuffer(value))
        return -1; /* not a buffer; a shared one is never detached */
    if (data == NULL)
        return none(context, bytes);
    bytes->data = data;
    bytes->is_shared = !JS_IsArrayBuffer(value);
    return 0;
}

int weir__js_bytes(JSContext *context, JSValueConst value,
                   struct weir__js_bytes *bytes)
{
    size_t offset, size;
    JSValue buffer;
    int status;

    if (JS_GetTypedArrayType(value) < 0)
        return of_buffer(context, value, bytes);
    buffer = JS_GetTypedArrayBuffer(context, value, &offset, &size, NULL);
    if (JS_IsException(buffer))
        return none(context, bytes);
    status = of_buffer(context, buffer, bytes);
    JS_FreeValue(context, buffer); /* the array holds it */
    if (status == 0 && offset <= bytes->size && size <= bytes->size - offset) {
        bytes->data += offset;
        bytes->size = size;
    } else {
        bytes->size = 0;
    }
    return status;
}

static bool is_immutable(JSContext *context, JSValueConst value)
{
    JSValue buffer;
    int answer;

    if (JS_GetTypedArrayType(value) < 0)
        return JS_IsImmutableArrayBuffer(value) > 0;
    buffer = JS_GetTypedArrayBuffer(context, value, NULL, NULL, NULL);
    if (JS_IsException(buffer)) {
        JS_FreeValue(context, JS_GetException(context));
        return false;
    }
    answer = JS_IsImmutableArrayBuffer(buffer);
    JS_FreeValue(context, buffer);
    return answer > 0;
}

int weir__js_writable_bytes(JSContext *context, JSValueConst value,
                            struct weir__js_bytes *bytes)
{
    if (is_immutable(context, value)) {
        JS_ThrowTypeError(context, "ArrayBuffer is immutable");
        return -1;
    }
    return weir__js_bytes(context, value, bytes);
}

size_t weir__js_offset(JSValueConst value, size_t most, size_t missing)
{
    double number;

    if (JS_VALUE_GET_TAG(value) == JS_TAG_INT)
        number = JS_VALUE_GET_INT(value);
    else if (JS_TAG_IS_FLOAT64(JS_VALUE_GET_TAG(value)))
        number = JS_VALUE_GET_FLOAT64(value);
    else
        return missing;
    if (!(number > 0))
        return 0;
    return number < (double)most ? (size_t)number : most;
}

/* text(buffer): decode UTF-8 */
static JSValue text(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    size_t size;
    const uint8_t *bytes = JS_GetArrayBuffer(context, &size, argv[0]);

    return bytes == NULL
               ? JS_EXCEPTION
               : weir__js_utf8_string(context, (const char *)bytes, size);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("text", 1, text),
};

const struct weir__js_builtin weir__js_bytes_builtin = {
    WEIR__JS_LIBS("bytes/bytes"),
    WEIR__JS_NATIVES(natives),
};
