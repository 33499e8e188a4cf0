/* SPDX-License-Identifier: MIT */
/*
 * plain -- values that can be copied for another thread: undefined, null,
 * booleans, numbers, strings, bytes.
 */
#ifndef WEIR_JS_PLAIN_H
#define WEIR_JS_PLAIN_H

#include "host.h"

static inline bool weir__js_has_text(const weir_js_value *value)
{
    return value->type == WEIR_JS_STRING || value->type == WEIR_JS_BYTES;
}

static inline bool weir__js_is_plain(const weir_js_value *value)
{
    if (weir__js_has_text(value))
        return value->text != NULL || value->length == 0;
    return (unsigned)value->type < WEIR_JS_STRING;
}

/* What the texts of the values need, NULs included; or -EINVAL: one of them is
 * not plain, or they are too much. */
int weir__js_plain_measure(const weir_js_value *values, size_t count,
                           size_t *size);

/* Copy the values, and their texts behind them: copies has room for both. */
void weir__js_plain_copy(weir_js_value *copies, const weir_js_value *values,
                         size_t count);

/* A value of JavaScript's as one of C's; bytes stay where they are, so nothing
 * of JavaScript may run while it is used.  Strings hold storage.
 * 0, -EINVAL (it is not plain), -ENOMEM. */
int weir__js_plain_from(weir_js *js, JSValueConst value, weir_js_value *out);

#endif /* WEIR_JS_PLAIN_H */
