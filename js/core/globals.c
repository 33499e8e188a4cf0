/* SPDX-License-Identifier: MIT */
/*
 * globals -- names of the global object whose library is loaded on first use;
 * and queueMicrotask, which needs none.
 *
 * Each name is an accessor that replaces itself with the value.  If the program
 * has frozen or sealed the global object, the accessor stays and returns the
 * same value each time.  This is written in C because each new host creates all
 * of them: closures in JavaScript took five times as long.
 *
 * Tested by  test/js/core/globals-lazy.js
 */
#include "core/builtin.h"
#include "core/lib.h"

enum { NAME, LIB, KEY, FLAGS, DATA }; /* what each accessor stores */

/* Returns 1; 0 if the global object does not allow it; -1 with an exception. */
static int define(JSContext *context, JSValueConst *data, JSValue value)
{
    JSValue global = JS_GetGlobalObject(context);
    JSAtom name = JS_ValueToAtom(context, data[NAME]);
    int status = JS_DefinePropertyValue(context, global, name, value,
                                        JS_PROP_WRITABLE |
                                            JS_VALUE_GET_INT(data[FLAGS]));

    JS_FreeAtom(context, name);
    JS_FreeValue(context, global);
    return status;
}

static JSValue get(JSContext *context, JSValueConst *data)
{
    JSValue exports = weir__js_require(context, data[LIB]), value = exports;

    if (!JS_IsException(exports) && !JS_IsUndefined(data[KEY])) {
        JSAtom key = JS_ValueToAtom(context, data[KEY]);

        value = JS_GetProperty(context, exports, key);
        JS_FreeAtom(context, key);
        JS_FreeValue(context, exports);
    }
    if (!JS_IsException(value) &&
        define(context, data, JS_DupValue(context, value)) < 0) {
        JS_FreeValue(context, value);
        return JS_EXCEPTION;
    }
    return value;
}

static JSValue set(JSContext *context, JSValueConst *data, JSValueConst given)
{
    int status = define(context, data, JS_DupValue(context, given));
    const char *name;

    if (status != 0)
        return status < 0 ? JS_EXCEPTION : JS_UNDEFINED;
    name = JS_ToCString(context, data[NAME]);
    if (name != NULL)
        JS_ThrowTypeError(context,
                          "Cannot assign to read only property '%s' of object "
                          "'#<Object>'",
                          name);
    JS_FreeCString(context, name);
    return JS_EXCEPTION;
}

/* Getter and setter in one, which only the latter passes a value to: half as many
 * functions to create. */
static JSValue access(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv, int magic, JSValueConst *data)
{
    return argc == 0 ? get(context, data) : set(context, data, argv[0]);
}

/* lazy(name, lib, key, isEnumerable); key undefined: the exports themselves */
static JSValue lazy(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    int flags = JS_PROP_CONFIGURABLE |
                (JS_ToBool(context, argv[3]) == 1 ? JS_PROP_ENUMERABLE : 0);
    JSValueConst data[DATA] = {argv[NAME], argv[LIB], argv[KEY],
                               JS_NewInt32(context, flags)};
    JSValue global = JS_GetGlobalObject(context);
    JSAtom name = JS_ValueToAtom(context, argv[NAME]);
    JSValue function = JS_NewCFunctionData(context, access, 0, 0, DATA, data);
    int status =
        JS_IsException(function)
            ? -1
            : JS_DefinePropertyGetSet(context, global, name, function,
                                      JS_DupValue(context, function), flags);

    JS_FreeAtom(context, name);
    JS_FreeValue(context, global);
    return status < 0 ? JS_EXCEPTION : JS_UNDEFINED;
}

static JSValue run_microtask(JSContext *context, int argc, JSValueConst *argv)
{
    return JS_Call(context, argv[0], JS_UNDEFINED, 0, NULL);
}

/* queueMicrotask(function): the engine's version throws other errors and passes
 * another `this`. */
static JSValue queue_microtask(JSContext *context, JSValueConst this_value,
                               int argc, JSValueConst *argv)
{
    if (!JS_IsFunction(context, argv[0]))
        return weir__js_call_hook(weir__js_of(context),
                                  WEIR__JS_HOOK_INVALID_CALLBACK, argv[0]);
    return JS_EnqueueJob(context, run_microtask, 1, argv) < 0 ? JS_EXCEPTION
                                                              : JS_UNDEFINED;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("lazy", 4, lazy),
    JS_CFUNC_DEF("queueMicrotask", 1, queue_microtask),
};

const struct weir__js_builtin weir__js_globals_builtin = {
    WEIR__JS_LIBS("core/bootstrap"),
    WEIR__JS_NATIVES(natives),
};
