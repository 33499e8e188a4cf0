/* SPDX-License-Identifier: MIT */
/*
 * plain -- values that can be copied to another thread: undefined, null,
 * booleans, numbers, strings and bytes.
 */
#ifndef WEIR_JS_PLAIN_H
#define WEIR_JS_PLAIN_H

#include "core/host.h"

static inline bool weir__js_has_text(const weir_js_value *value)
{
    return value->type == WEIR_JS_TYPE_STRING ||
           value->type == WEIR_JS_TYPE_BYTES;
}

static inline bool weir__js_is_plain(const weir_js_value *value)
{
    if (weir__js_has_text(value))
        return value->text != NULL || value->length == 0;
    return (unsigned)value->type < WEIR_JS_TYPE_STRING;
}

/* Compute the size of the values' texts, NULs included.  Returns -EINVAL if a
 * value is not plain or the texts are too long. */
int weir__js_plain_measure(const weir_js_value *values, size_t count,
                           size_t *size);

/* Copy the values and, behind them, their texts.  copies has room for both. */
void weir__js_plain_copy(weir_js_value *copies, const weir_js_value *values,
                         size_t count);

/* Convert a JavaScript value.  Bytes are not copied, so no JavaScript may run
 * while they are used.  Strings hold storage of the engine.  Returns 0, -EINVAL
 * (not plain) or -ENOMEM. */
int weir__js_plain_from(weir_js *js, JSValueConst value, weir_js_value *out);

#endif /* WEIR_JS_PLAIN_H */
