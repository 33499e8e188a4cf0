/* SPDX-License-Identifier: MIT */
/*
 * env -- environment variables of the process.
 *
 * A worker may share the environment (SHARE_ENV), so a lock protects the C
 * library's array: any host's thread reads or changes it.  Values are copied
 * under the lock, and become JavaScript values after it.  C code of the process
 * that calls setenv() itself is not covered.
 *
 * In a confined process only the variables that are granted can be seen or set.
 *
 * Tested by  test/js/program/process-basics.js,
 *            test/js/threads/worker-options.js
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/builtin.h"
#include "core/permission.h"
#include "core/property.h"
#include "weir/host/lock.h"

extern char **environ; /* under the lock; NULL after clearenv(3) */

static weir_lock lock = WEIR_LOCK_INIT;

static bool is_visible(const char *name, size_t length)
{
    return !weir__js_is_confined || weir__js_may_use_variable(name, length);
}

static JSValue get_variable(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    const char *name = JS_ToCString(context, argv[0]);
    const char *value;
    char *copy = NULL;
    JSValue result = JS_UNDEFINED;

    if (name == NULL)
        return JS_EXCEPTION;
    weir_lock_acquire(&lock);
    value = is_visible(name, strlen(name)) ? getenv(name) : NULL;
    if (value != NULL)
        copy = js_strdup(context, value);
    weir_lock_release(&lock);
    if (value != NULL)
        result = copy != NULL ? JS_NewString(context, copy) : JS_EXCEPTION;
    js_free(context, copy);
    JS_FreeCString(context, name);
    return result;
}

/* Set a variable, or remove it if the value is NULL.  As in Node, a name that
 * cannot be one has no effect.  Returns 0, or -1 if there is no memory. */
static int change(const char *name, const char *value)
{
    int err = 0;

    weir_lock_acquire(&lock);
    if (value == NULL)
        unsetenv(name);
    else if (setenv(name, value, 1) != 0 && errno == ENOMEM)
        err = -1;
    weir_lock_release(&lock);
    return err;
}

/* setenv(name, value); undefined removes the variable. */
static JSValue set_variable(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    bool is_set = !JS_IsUndefined(argv[1]);
    const char *name = JS_ToCString(context, argv[0]), *value = NULL;
    JSValue result = JS_EXCEPTION;

    if (name != NULL && !is_visible(name, strlen(name))) {
        weir__js_throw_denied(context, WEIR__JS_MAY_ENV, name);
        JS_FreeCString(context, name);
        return JS_EXCEPTION;
    }
    if (name != NULL && is_set)
        value = JS_ToCString(context, argv[1]);
    if (name != NULL && (value != NULL || !is_set))
        result = change(name, value) == 0 ? JS_UNDEFINED
                                          : JS_ThrowOutOfMemory(context);
    JS_FreeCString(context, value);
    JS_FreeCString(context, name);
    return result;
}

static size_t size_of_all(void)
{
    size_t size = 0;

    for (char **at = environ; at != NULL && *at != NULL; at++)
        size += strlen(*at) + 1;
    return size;
}

/* Copy all that are visible as "A=1\0B=2\0", up to *end; NULL with an
 * exception. */
static char *copy_all(JSContext *context, char **end)
{
    char *text;

    weir_lock_acquire(&lock);
    text = *end = js_malloc(context, size_of_all() + 1);
    for (char **at = environ; text != NULL && at != NULL && *at != NULL; at++)
        if (is_visible(*at, strcspn(*at, "=")))
            *end = stpcpy(*end, *at) + 1;
    weir_lock_release(&lock);
    return text;
}

/* envKeys() and envPairs(): the names, or "A=1" */
static JSValue list_visible(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv, int with_values)
{
    char *end, *text = copy_all(context, &end);
    JSValue list = text != NULL ? JS_NewArray(context) : JS_EXCEPTION;
    bool done = !JS_IsException(list);
    uint32_t count = 0;

    for (char *at = text; done && at < end; at += strlen(at) + 1) {
        size_t length = strcspn(at, "=");

        if (length == 0 || at[length] != '=')
            continue;
        if (with_values)
            length += strlen(at + length);
        done = weir__js_set_element(context, list, count++,
                                    JS_NewStringLen(context, at, length)) >= 0;
    }
    js_free(context, text);
    if (done)
        return list;
    JS_FreeValue(context, list);
    return JS_EXCEPTION;
}

/* variables() -> what copy_all writes: the environment that a worker begins
 * with */
static JSValue list_variables(JSContext *context, JSValueConst this_value,
                              int argc, JSValueConst *argv)
{
    char *end, *text = copy_all(context, &end);
    JSValue result = JS_EXCEPTION;

    if (text != NULL)
        result = JS_NewStringLen(context, text, (size_t)(end - text));
    js_free(context, text);
    return result;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("getenv", 1, get_variable),
    JS_CFUNC_DEF("setenv", 2, set_variable),
    JS_CFUNC_MAGIC_DEF("envKeys", 0, list_visible, false),
    JS_CFUNC_MAGIC_DEF("envPairs", 0, list_visible, true),
    JS_CFUNC_DEF("variables", 0, list_variables),
};

const struct weir__js_builtin weir__js_env_builtin = {
    WEIR__JS_LIBS("program/env", "threads/thread"),
    WEIR__JS_NATIVES(natives),
};
