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

/* Whether it is the text of an array's index. */
static bool is_index(const char *text, size_t length)
{
    uint64_t number = 0;

    if (length == 0 || length > 10 || (text[0] == '0' && length > 1))
        return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        number = number * 10 + (uint64_t)(text[i] - '0');
    }
    return number < UINT32_MAX;
}

/* How many of the properties are indices: they come first, so only those after
 * them become texts.  Returns -1 with an exception. */
static int64_t count_indices(JSContext *context, const JSPropertyEnum *table,
                             uint32_t count)
{
    int64_t left = count;

    while (left > 0) {
        JSValue key = JS_AtomToValue(context, table[left - 1].atom);
        bool found = false;

        if (JS_IsString(key)) {
            size_t length;
            const char *text = JS_ToCStringLen(context, &length, key);

            found = text != NULL && is_index(text, length);
            JS_FreeCString(context, text);
            if (text == NULL)
                left = -1;
        } else if (JS_IsException(key)) {
            left = -1;
        }
        JS_FreeValue(context, key);
        if (found || left < 0)
            break;
        left--;
    }
    return left;
}

/* nonIndexKeys(array, showHidden): its own keys that are not indices.  The time
 * for each index is that of an entry in a table. */
static JSValue non_index_keys(JSContext *context, JSValueConst this_value,
                              int argc, JSValueConst *argv)
{
    int flags = JS_GPN_STRING_MASK | JS_GPN_SYMBOL_MASK |
                (JS_ToBool(context, argv[1]) == 1 ? 0 : JS_GPN_ENUM_ONLY);
    JSPropertyEnum *table;
    uint32_t count;
    JSValue keys;
    int64_t from;

    if (JS_GetOwnPropertyNames(context, &table, &count, argv[0], flags) < 0)
        return JS_EXCEPTION;
    from = count_indices(context, table, count);
    keys = from < 0 ? JS_EXCEPTION : JS_NewArray(context);
    for (int64_t i = from; i < count && !JS_IsException(keys); i++)
        if (JS_DefinePropertyValueUint32(context, keys, (uint32_t)(i - from),
                                         JS_AtomToValue(context, table[i].atom),
                                         JS_PROP_C_W_E) < 0) {
            JS_FreeValue(context, keys);
            keys = JS_EXCEPTION;
        }
    JS_FreePropertyEnum(context, table, count);
    return keys;
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
    JS_CFUNC_DEF("nonIndexKeys", 2, non_index_keys),
};

const struct weir__js_builtin weir__js_inspect_builtin = {
    WEIR__JS_LIBS("util/inspect", "util/base", "util/kinds", "messages/clone"),
    WEIR__JS_NATIVES(natives),
};
