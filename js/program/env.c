/* SPDX-License-Identifier: MIT */
/*
 * env -- environment variables of the process.
 *
 * Tested by  test/js/program/process-basics.js,
 *            test/js/threads/worker-options.js
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/lib.h"
#include "core/native.h"

extern char **environ;

/* A worker may share the environment (SHARE_ENV). */
static pthread_mutex_t environment_lock = PTHREAD_MUTEX_INITIALIZER;

static JSValue get_variable(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    const char *name = JS_ToCString(context, argv[0]);
    const char *value;
    JSValue result = JS_UNDEFINED;

    (void)this_value;
    (void)argc;
    if (name == NULL)
        return JS_EXCEPTION;
    pthread_mutex_lock(&environment_lock);
    value = getenv(name);
    if (value != NULL)
        result = JS_NewString(context, value);
    pthread_mutex_unlock(&environment_lock);
    JS_FreeCString(context, name);
    return result;
}

/* setenv(name, value); undefined removes the variable. */
static JSValue set_variable(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    const char *name = JS_ToCString(context, argv[0]);
    const char *value =
        JS_IsUndefined(argv[1]) ? NULL : JS_ToCString(context, argv[1]);

    (void)this_value;
    (void)argc;
    pthread_mutex_lock(&environment_lock);
    if (name != NULL && value != NULL)
        setenv(name, value, 1);
    else if (name != NULL)
        unsetenv(name);
    pthread_mutex_unlock(&environment_lock);
    JS_FreeCString(context, value);
    JS_FreeCString(context, name);
    return JS_UNDEFINED;
}

static JSValue variable_names(JSContext *context, JSValueConst this_value,
                              int argc, JSValueConst *argv)
{
    JSValue names = JS_NewArray(context);
    uint32_t count = 0;

    (void)this_value;
    (void)argc;
    (void)argv;
    pthread_mutex_lock(&environment_lock);
    for (char **at = environ; *at != NULL; at++) {
        const char *end = strchr(*at, '=');

        if (end != NULL && end != *at)
            JS_SetPropertyUint32(
                context, names, count++,
                JS_NewStringLen(context, *at, (size_t)(end - *at)));
    }
    pthread_mutex_unlock(&environment_lock);
    return names;
}

static size_t size_of_all(void)
{
    size_t size = 0;

    for (char **at = environ; *at != NULL; at++)
        size += strlen(*at) + 1;
    return size;
}

/* variables() -> "A=1\0B=2\0", the current environment */
JSValue weir__js_variables(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    JSValue result;
    char *text, *end;

    (void)this_value;
    (void)argc;
    (void)argv;
    pthread_mutex_lock(&environment_lock);
    text = end = js_malloc(context, size_of_all() + 1);
    for (char **at = environ; text != NULL && *at != NULL; at++)
        end = stpcpy(end, *at) + 1;
    pthread_mutex_unlock(&environment_lock);
    if (text == NULL)
        return JS_EXCEPTION;
    result = JS_NewStringLen(context, text, (size_t)(end - text));
    js_free(context, text);
    return result;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("getenv", 1, get_variable),
    JS_CFUNC_DEF("setenv", 2, set_variable),
    JS_CFUNC_DEF("envKeys", 0, variable_names),
};

int weir__js_add_env(JSContext *context, JSValueConst native)
{
    return WEIR__JS_SET_NATIVE(context, native, natives);
}
