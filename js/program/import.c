/* SPDX-License-Identifier: MIT */
/*
 * import -- import() with Node's timing.
 *
 * The engine would load what import() names within one job.  Node reads files
 * while the loop turns and always takes several jobs, so that other jobs,
 * next-ticks and immediates come first.  The engine has no hook for this, but
 * the language has: if a module exports a function `then`, import() resolves to
 * what that function says.  So each import() gets such a module, called a gate
 * (not a weir_gate); its `then` is in js/lib/program/import.js.  The number of
 * gates is the greatest number of import()s that were ever under way at once,
 * because the engine never frees a module.
 *
 * An import() with attributes (for JSON) takes the engine's own path.
 *
 * Tested by  test/js/program/order-import-*
 */
#include "core/builtin.h"
#include "core/error.h"
#include "core/headroom.h"
#include "core/pending_call.h"

static void on_submitted(void *arg, int status)
{
    struct weir__js_pending_call *pending = arg;

    if (status == 0)
        weir__js_pending_call_run(pending);
    weir__js_pending_call_free(pending);
}

/* submit(function): runs where the loop serves work from outside, between
 * timers and immediates. */
static JSValue submit(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct weir__js_pending_call *pending =
        weir__js_pending_call_new(js, argv[0], 0, NULL);

    return weir__js_pending_call_send(context, pending, weir_loop_submit,
                                      on_submitted)
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

const struct weir__js_builtin weir__js_import_builtin = {
    WEIR__JS_LIBS("program/import"),
    WEIR__JS_NATIVES(natives),
};
