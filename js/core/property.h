/* SPDX-License-Identifier: MIT */
/*
 * property -- define properties of new objects with new values.
 *
 * What creates a value returns an exception if there is no memory.  The engine's
 * own functions would store that exception as a value.  These take each value
 * and return it as a failure.
 */
#ifndef WEIR_JS_PROPERTY_H
#define WEIR_JS_PROPERTY_H

#include <quickjs.h>
#include <stdbool.h>
#include <stdint.h>

/* Return 0 or more, or -1 with an exception. */
static inline int weir__js_set_property(JSContext *context, JSValueConst object,
                                        const char *name, JSValue value)
{
    return JS_IsException(value)
               ? -1
               : JS_DefinePropertyValueStr(context, object, name, value,
                                           JS_PROP_C_W_E);
}

static inline int weir__js_set_element(JSContext *context, JSValueConst array,
                                       uint32_t index, JSValue value)
{
    return JS_IsException(value)
               ? -1
               : JS_DefinePropertyValueUint32(context, array, index, value,
                                              JS_PROP_C_W_E);
}

/* Set an element of a list that is being made.  If that fails, or the value is
 * an exception, the list is freed and is an exception from then on. */
static inline void weir__js_put_element(JSContext *context, JSValue *list,
                                        uint32_t index, JSValue value)
{
    if (JS_IsException(*list)) {
        JS_FreeValue(context, value);
    } else if (weir__js_set_element(context, *list, index, value) < 0) {
        JS_FreeValue(context, *list);
        *list = JS_EXCEPTION;
    }
}

/* Create an array of the values. */
static inline JSValue weir__js_new_array(JSContext *context, int count,
                                         JSValue *values)
{
    bool has_failed = false;

    for (int i = 0; i < count; i++)
        has_failed |= JS_IsException(values[i]);
    if (!has_failed)
        return JS_NewArrayFrom(context, count, values);
    while (count > 0)
        JS_FreeValue(context, values[--count]);
    return JS_EXCEPTION;
}

#endif /* WEIR_JS_PROPERTY_H */
