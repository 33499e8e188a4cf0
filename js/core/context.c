/* SPDX-License-Identifier: MIT */
/*
 * context -- see context.h.
 *
 * Tested by  test/js/events/async-local-*.js
 */
#include "core/context.h"

#include "core/builtin.h"
#include "core/frames.h"

JSValue weir__js_context_call(weir_js *js, JSValueConst captured,
                              JSValueConst function, JSValueConst self,
                              int argc, JSValueConst *argv)
{
    JSContext *context = js->context;
    /* What holds these may release them while the function runs. */
    JSValue held = JS_DupValue(context, function);
    JSValue kept = JS_DupValue(context, captured);
    JSValue before = weir__js_context_swap(js, JS_DupValue(context, kept));
    JSValue result = JS_Call(context, held, self, argc, argv);

    weir__js_frames_name(js, held);
    JS_FreeValue(context, weir__js_context_swap(js, before));
    if (JS_IsException(result)) {
        JS_FreeValue(context, js->thrown_in);
        js->thrown_in = JS_DupValue(context, kept);
    }
    JS_FreeValue(context, kept);
    JS_FreeValue(context, held);
    return result;
}

JSValue weir__js_context_take_thrown(weir_js *js)
{
    JSValue value = js->thrown_in;

    js->thrown_in = JS_UNDEFINED;
    return value;
}

/* context() */
static JSValue get(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv)
{
    return weir__js_context_capture(weir__js_of(context));
}

/* setContext(value) -> the one before */
static JSValue set(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv)
{
    return weir__js_context_swap(weir__js_of(context),
                                 JS_DupValue(context, argv[0]));
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("context", 0, get),
    JS_CFUNC_DEF("setContext", 1, set),
#ifdef JS_HAS_JOB_CONTEXT
    JS_PROP_INT32_DEF("hasContext", 1, 0),
#else
    JS_PROP_INT32_DEF("hasContext", 0, 0),
#endif
};

const struct weir__js_builtin weir__js_context_builtin = {
    WEIR__JS_LIBS("core/context"),
    WEIR__JS_NATIVES(natives),
};
