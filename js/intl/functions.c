/* SPDX-License-Identifier: MIT */
/*
 * functions -- the methods of numbers, dates and strings that depend on locales.
 *
 * The engine asks for them (js/engine/locale-function.patch), in any of its
 * contexts.  They are in js/lib/intl/functions.js, which is loaded by the first
 * call.
 *
 * Tested by  test/js/intl/intl-functions.js
 */
#include "core/builtin.h"
#include "core/lib.h"

#ifdef JS_HAS_LOCALE_FUNCTION

struct state {
    JSValue functions[JS_LOCALE_COUNT];
};

/* Call functions[which](value, ...arguments). */
static JSValue call(JSContext *context, JSValueConst value, int argc,
                    JSValueConst *argv, int which)
{
    weir_js *js = weir__js_of(context);
    struct state *state = js->states[WEIR__JS_INTL_FUNCTIONS];
    JSValueConst args[4] = {value, JS_UNDEFINED, JS_UNDEFINED, JS_UNDEFINED};

    if (JS_IsUndefined(state->functions[which])) {
        JSValue exports = weir__js_require(js->context, "intl/functions");

        if (JS_IsException(exports))
            return exports;
        JS_FreeValue(context, exports);
    }
    for (int i = 0; i < argc && i < 3; i++)
        args[i + 1] = argv[i];
    return JS_Call(context, state->functions[which], JS_UNDEFINED, 4, args);
}

static int init(weir_js *js)
{
    JS_SetLocaleFunction(js->runtime, call);
    return 0;
}

const struct weir__js_builtin weir__js_intl_functions_builtin = {
    WEIR__JS_LIBS("intl/functions"),
    .state_bytes = sizeof(struct state),
    .hook_count = JS_LOCALE_COUNT,
    .init = init,
};

#else
const struct weir__js_builtin weir__js_intl_functions_builtin = {0};
#endif
