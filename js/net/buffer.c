/* SPDX-License-Identifier: MIT */
/*
 * buffer -- see buffer.h.
 *
 * The prototype of Buffers is looked up once for each host, in the module that
 * defines them, whatever the program has done to the global variable.
 *
 * Tested by  test/js/net/net-*.js
 */
#include "net/buffer.h"

#include "core/builtin.h"
#include "core/lib.h"

static JSValue *prototype_of(const weir_js *js)
{
    return js->states[WEIR__JS_NET_BUFFER];
}

static JSValue find_prototype(JSContext *context)
{
    JSValue exports = weir__js_require(context, "bytes/buffer");
    JSValue constructor = JS_IsException(exports)
                              ? exports
                              : JS_GetPropertyStr(context, exports, "Buffer");
    JSValue prototype =
        JS_IsException(constructor)
            ? constructor
            : JS_GetPropertyStr(context, constructor, "prototype");

    JS_FreeValue(context, constructor);
    JS_FreeValue(context, exports);
    return prototype;
}

JSValue weir__js_new_buffer(JSContext *context, const void *bytes, size_t size)
{
    JSValue *prototype = prototype_of(weir__js_of(context)), array;

    if (JS_IsUndefined(*prototype)) {
        JSValue found = find_prototype(context);

        if (JS_IsException(found))
            return found;
        *prototype = found;
    }
    array = JS_NewUint8ArrayCopy(context, bytes, size);
    if (JS_IsException(array) ||
        JS_SetPrototype(context, array, *prototype) >= 0)
        return array;
    JS_FreeValue(context, array);
    return JS_EXCEPTION;
}

static int init_prototype(weir_js *js)
{
    *prototype_of(js) = JS_UNDEFINED;
    return 0;
}

static void drop_prototype(weir_js *js)
{
    JS_FreeValue(js->context, *prototype_of(js));
    *prototype_of(js) = JS_UNDEFINED;
}

const struct weir__js_builtin weir__js_net_buffer_builtin = {
    .state_bytes = sizeof(JSValue),
    .init = init_prototype,
    .drop = drop_prototype,
};
