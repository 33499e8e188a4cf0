/* SPDX-License-Identifier: MIT */
/*
 * later -- queue a job that calls a function with one argument; and call a
 * function at once.
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

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("invoke", 2, invoke),
    JS_CFUNC_DEF("later", 2, later),
};

const struct weir__js_builtin weir__js_later_builtin = {
    WEIR__JS_LIBS("web/base"),
    WEIR__JS_NATIVES(natives),
};
