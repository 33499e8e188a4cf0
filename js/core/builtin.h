/* SPDX-License-Identifier: MIT */
/*
 * builtin -- what a builtin tells the host about itself.
 *
 *     const struct weir__js_builtin weir__js_clock_builtin = {
 *         WEIR__JS_LIBS("timers/clock"),
 *         WEIR__JS_NATIVES(natives),
 *     };
 *
 * and a row of js/builtins.h.  Each member is optional.
 */
#ifndef WEIR_JS_BUILTIN_H
#define WEIR_JS_BUILTIN_H

#include "core/host.h"

struct weir__js_builtin {
    /* The files of js/lib whose `native` gets the functions, up to a NULL. */
    const char *const *libs;
    const JSCFunctionListEntry *natives;
    int native_count;
    /* Add to `native` what a list of functions cannot say.  Returns 0, or -1
     * with an exception. */
    int (*add)(JSContext *context, JSValueConst native);
    /* Of the objects that have a C struct behind them; js->classes[number] */
    const JSClassDef *class_definition;
    /* The builtin's part of each host; js->states[number], zeroed.  It lives as
     * long as the host's struct. */
    size_t state_bytes;
    /* The state begins with so many JSValues: functions of js/lib that C calls.
     * `native` gets setHooks(functions), which sets them; they are undefined
     * before it, and from drop on. */
    int hook_count;
    /* Begin, before any JavaScript runs.  Returns 0 or -ENOMEM. */
    int (*init)(weir_js *js);
    /* Release what the state holds.  Called once after init, with no JavaScript
     * to follow. */
    void (*drop)(weir_js *js);
};

#define X(NAME, name)                                                          \
    extern const struct weir__js_builtin weir__js_##name##_builtin;
WEIR__JS_BUILTINS(X)
#undef X

#define WEIR__JS_LIBS(...)                                                     \
    .libs = (const char *const[])                                              \
    {                                                                          \
        __VA_ARGS__, NULL                                                      \
    }
#define WEIR__JS_NATIVES(list)                                                 \
    .natives = (list), .native_count = (int)(sizeof(list) / sizeof(*(list)))

/* Define a list of functions on an object.  Returns 0, or -1 with an
 * exception. */
#define WEIR__JS_SET_FUNCTIONS(context, object, list)                          \
    JS_SetPropertyFunctionList(context, object, list,                          \
                               (int)(sizeof(list) / sizeof(*(list))))

/* The struct behind a value of that class, or NULL for any other value. */
static inline void *weir__js_opaque(const weir_js *js, JSValueConst value,
                                    int builtin)
{
    return JS_GetOpaque(value, js->classes[builtin]);
}

/* Values in a builtin's state, such as the functions that it calls. */
static inline void weir__js_values_init(JSValue *values, int count)
{
    for (int i = 0; i < count; i++)
        values[i] = JS_UNDEFINED;
}

static inline void weir__js_values_set(JSContext *context, JSValue *values,
                                       int count, JSValueConst *from)
{
    for (int i = 0; i < count; i++) {
        JS_FreeValue(context, values[i]);
        values[i] = JS_DupValue(context, from[i]);
    }
}

/* Set them to the elements of an array. */
static inline void weir__js_values_read(JSContext *context, JSValue *values,
                                        int count, JSValueConst array)
{
    for (int i = 0; i < count; i++) {
        JS_FreeValue(context, values[i]);
        values[i] = JS_GetPropertyUint32(context, array, (uint32_t)i);
    }
}

static inline void weir__js_values_drop(JSContext *context, JSValue *values,
                                        int count)
{
    for (int i = 0; i < count; i++) {
        JS_FreeValue(context, values[i]);
        values[i] = JS_UNDEFINED;
    }
}

/* Allocate a host's struct, zeroed, with all states behind it; NULL if there is
 * no memory. */
weir_js *weir__js_builtins_new_host(void);

/* Register the classes and begin each builtin.  Returns 0 or -ENOMEM. */
int weir__js_builtins_init(weir_js *js);

/* Drop those that have begun. */
void weir__js_builtins_drop(weir_js *js);

/* Fill the `native` of a file of js/lib.  Returns 0, or -1 with an
 * exception. */
int weir__js_builtins_add(JSContext *context, JSValueConst native,
                          const char *lib);

#endif /* WEIR_JS_BUILTIN_H */
