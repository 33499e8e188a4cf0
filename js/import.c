/* SPDX-License-Identifier: MIT */
/*
 * import -- import() at Node's pace.
 *
 * The engine would load what import() names within one job.  Node reads files
 * while the loop turns, and takes some jobs in any case, so that other jobs,
 * next-ticks and immediates come first.  The engine has no hook for that, but
 * the language has: a module that exports a function `then` answers import()
 * with what that function says.  So an import() gets such a module, a gate; its
 * `then` is in js/lib/import.js.  There are as many gates as there were ever
 * import()s under way at once, for the engine keeps each module for ever.
 *
 * An import() with attributes (of JSON) goes the engine's way.
 *
 * Tested by  test/js/order-import-*
 */
#include "module.h"

#include "errand.h"
#include "error.h"
#include "headroom.h"
#include "lib.h"
#include "native.h"

static void on_submitted(void *arg, int status)
{
    struct weir__js_errand *errand = arg;

    if (status == 0)
        weir__js_errand_call(errand);
    weir__js_errand_free(errand);
}

/* submit(function): where the loop serves what comes from outside, between
 * timers and immediates. */
static JSValue submit(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct weir__js_errand *errand = weir__js_errand_new(js, argv[0], 0, NULL);

    (void)this_value;
    (void)argc;
    return weir__js_errand_send(context, errand, weir_loop_submit, on_submitted)
               ? JS_UNDEFINED
               : JS_EXCEPTION;
}

/* loadModule(name, parent): a promise of its namespace. */
static JSValue load_module(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    const char *name = JS_ToCString(context, argv[0]);
    const char *parent = JS_ToCString(context, argv[1]);
    size_t taken = weir__js_headroom_take_chain(js);
    JSValue promise = JS_EXCEPTION;

    (void)this_value;
    (void)argc;
    js->linking++;
    if (name != NULL && parent != NULL)
        promise = JS_LoadModule(context, parent, name);
    js->linking--;
    weir__js_headroom_return(js, taken);
    JS_FreeCString(context, name);
    JS_FreeCString(context, parent);
    return promise;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("submit", 1, submit),
    JS_CFUNC_DEF("loadModule", 2, load_module),
};

int weir__js_add_import(JSContext *context, JSValueConst native)
{
    return WEIR__JS_SET_NATIVE(context, native, natives);
}
