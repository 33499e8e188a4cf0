/* SPDX-License-Identifier: MIT */
/*
 * inspect -- parts of a value that JavaScript code cannot see.
 *
 * Tested by  test/js/util/inspect-*.js
 */
#include "core/builtin.h"

static JSValue class_of(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    JSAtom name =
        JS_GetClassName(JS_GetRuntime(context), JS_GetClassID(argv[0]));
    JSValue text;

    if (name == JS_ATOM_NULL)
        return JS_NewString(context, "");
    text = JS_AtomToString(context, name);
    JS_FreeAtom(context, name);
    return text;
}

static JSValue is_error(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    return JS_NewBool(context, JS_IsError(argv[0]));
}

static JSValue is_proxy(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    return JS_NewBool(context, JS_IsProxy(argv[0]));
}

enum { TARGET, HANDLER };

/* Returns null for a revoked proxy. */
static JSValue proxy_part(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv, int magic)
{
    JSValue part = (magic == TARGET ? JS_GetProxyTarget
                                    : JS_GetProxyHandler)(context, argv[0]);

    if (!JS_IsException(part))
        return part;
    JS_FreeValue(context, JS_GetException(context));
    return JS_NULL;
}

/* [state, result]: 0 pending, 1 fulfilled, 2 rejected. */
static JSValue promise(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    JSPromiseStateEnum state = JS_PromiseState(context, argv[0]);
    JSValue pair[2] = {JS_NewInt32(context, state), JS_UNDEFINED};

    if (state > JS_PROMISE_PENDING)
        pair[1] = JS_PromiseResult(context, argv[0]);
    return JS_NewArrayFrom(context, 2, pair);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("classOf", 1, class_of),
    JS_CFUNC_DEF("isError", 1, is_error),
    JS_CFUNC_DEF("isProxy", 1, is_proxy),
    JS_CFUNC_MAGIC_DEF("proxyTarget", 1, proxy_part, TARGET),
    JS_CFUNC_MAGIC_DEF("proxyHandler", 1, proxy_part, HANDLER),
    JS_CFUNC_DEF("promise", 1, promise),
};

const struct weir__js_builtin weir__js_inspect_builtin = {
    WEIR__JS_LIBS("util/inspect", "util/base", "util/kinds", "messages/clone"),
    WEIR__JS_NATIVES(natives),
};
