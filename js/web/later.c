/* SPDX-License-Identifier: MIT */
/*
 * later -- queue a job that calls a function with one argument; call a function
 * at once; and promises without functions that resolve them.
 *
 * The algorithms of the Streams Standard react to promises that are fulfilled
 * with undefined, once or twice for each chunk.  A job has the same effect, at
 * the same time, and costs neither a promise nor a closure.
 *
 * Tested by  test/js/web/streams-order.js
 */
#include "core/builtin.h"

static JSValue run_later(JSContext *context, int argc, JSValueConst *argv)
{
    return JS_Call(context, argv[0], JS_UNDEFINED, 1, argv + 1);
}

/* later(function, argument) */
static JSValue later(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    return JS_EnqueueJob(context, run_later, 2, argv) < 0 ? JS_EXCEPTION
                                                          : JS_UNDEFINED;
}

/* invoke(function, this, first, second): Reflect.apply without an array */
static JSValue invoke(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    return JS_Call(context, argv[0], argv[1], argc > 2 ? argc - 2 : 0,
                   argv + 2);
}

/* An engine that could not be patched lacks these.  Its promise gets a property
 * with the functions that resolve it. */
#ifndef JS_HAS_PENDING_PROMISES
static JSValue JS_NewPendingPromise(JSContext *context)
{
    JSValue functions[2];
    JSValue promise = JS_NewPromiseCapability(context, functions);

    for (int i = 0; i < 2 && !JS_IsException(promise); i++)
        JS_DefinePropertyValueStr(
            context, promise, i == 0 ? "fulfil" : "reject", functions[i], 0);
    return promise;
}

static void JS_SettlePromise(JSContext *context, JSValueConst promise,
                             JSValueConst value, bool is_reject)
{
    JSValue function =
        JS_GetPropertyStr(context, promise, is_reject ? "reject" : "fulfil");

    JS_FreeValue(context, JS_Call(context, function, JS_UNDEFINED, 1, &value));
    JS_FreeValue(context, function);
}
#endif

static JSValue pending(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    return JS_NewPendingPromise(context);
}

/* fulfill(promise, value) */
static JSValue fulfill(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    JS_SettlePromise(context, argv[0], argv[1], false);
    return JS_UNDEFINED;
}

/* reject(promise, reason) */
static JSValue reject(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    JS_SettlePromise(context, argv[0], argv[1], true);
    return JS_UNDEFINED;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("fulfill", 2, fulfill), JS_CFUNC_DEF("invoke", 2, invoke),
    JS_CFUNC_DEF("later", 2, later),     JS_CFUNC_DEF("pending", 0, pending),
    JS_CFUNC_DEF("reject", 2, reject),
};

const struct weir__js_builtin weir__js_later_builtin = {
    WEIR__JS_LIBS("web/base"),
    WEIR__JS_NATIVES(natives),
};
