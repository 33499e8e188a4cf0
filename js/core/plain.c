/* SPDX-License-Identifier: MIT */
/*
 * plain -- measure and copy plain values.
 *
 * Tested by  test/js/core/post.c, test/js/core/async.c
 */
#include "core/plain.h"

#include <errno.h>
#include <string.h>

#include "core/value.h"

int weir__js_plain_measure(const weir_js_value *values, size_t count,
                           size_t *size)
{
    *size = 0;
    if (values == NULL && count > 0)
        return -EINVAL;
    for (size_t i = 0; i < count; i++) {
        if (!weir__js_is_plain(&values[i]))
            return -EINVAL;
        if (!weir__js_has_text(&values[i]))
            continue;
        if (values[i].length >= PTRDIFF_MAX - *size)
            return -EINVAL;
        *size += values[i].length + 1;
    }
    return 0;
}

void weir__js_plain_copy(weir_js_value *copies, const weir_js_value *values,
                         size_t count)
{
    char *text = (char *)&copies[count];

    for (size_t i = 0; i < count; i++) {
        copies[i] = values[i];
        copies[i].handle = NULL;
        if (!weir__js_has_text(&values[i]))
            continue;
        if (values[i].length > 0)
            memcpy(text, values[i].text, values[i].length);
        text[values[i].length] = '\0';
        copies[i].text = text;
        text += values[i].length + 1;
    }
}

/* Find the bytes of a buffer or of a view.  A detached buffer has none. */
static bool find_bytes(JSContext *context, JSValueConst value,
                       weir_js_value *out)
{
    size_t offset = 0, length = 0, whole = 0;
    JSValue buffer = JS_UNDEFINED;
    const uint8_t *bytes;
    bool is_view = JS_GetTypedArrayType(value) >= 0;

    if (!is_view && !JS_IsArrayBuffer(value))
        return false;
    if (is_view)
        buffer = JS_GetTypedArrayBuffer(context, value, &offset, &length, NULL);
    bytes = JS_IsException(buffer)
                ? NULL
                : JS_GetArrayBuffer(context, &whole, is_view ? buffer : value);
    JS_FreeValue(context, buffer); /* the view holds it */
    if (JS_HasException(context)) {
        JS_FreeValue(context, JS_GetException(context));
        return false;
    }
    if (is_view && length > whole - offset) /* an engine without our patch */
        length = whole - offset;
    *out = weir_js_bytes(bytes != NULL ? bytes + offset : NULL,
                         is_view ? length : whole);
    return true;
}

int weir__js_plain_from(weir_js *js, JSValueConst value, weir_js_value *out)
{
    if (JS_IsObject(value))
        return find_bytes(js->context, value, out) ? 0 : -EINVAL;
    if (JS_IsSymbol(value) || JS_IsBigInt(value))
        return -EINVAL;
    return weir__js_from(js, JS_DupValue(js->context, value), out);
}
