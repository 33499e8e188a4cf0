/* SPDX-License-Identifier: MIT */
/*
 * context -- the async context: a value that asynchronous work inherits from
 * the code that starts it.
 *
 * AsyncLocalStorage keeps its stores there.  The engine passes the value on to
 * promise jobs (js/engine/promise-context.patch).  Everything else that calls
 * JavaScript later (timers, pending calls, ports) captures the value when it is
 * created, and restores it for the call.  Outside of all calls the value is
 * undefined.
 *
 * Without the patch, which an installed engine lacks, it is always undefined,
 * and node:async_hooks is absent.
 */
#ifndef WEIR_JS_CONTEXT_H
#define WEIR_JS_CONTEXT_H

#include "core/host.h"

/* Get the value, as a new reference. */
static inline JSValue weir__js_context_capture(weir_js *js)
{
#ifdef JS_HAS_JOB_CONTEXT
    return JS_DupValue(js->context, JS_GetJobContext(js->runtime));
#else
    return JS_UNDEFINED;
#endif
}

/* Set the value, which is consumed, and return the one before. */
static inline JSValue weir__js_context_swap(weir_js *js, JSValue value)
{
#ifdef JS_HAS_JOB_CONTEXT
    return JS_SetJobContext(js->runtime, value);
#else
    return value;
#endif
}

/* Call a function with a value that was captured.  If it throws, the value is
 * kept for the report of the exception. */
JSValue weir__js_context_call(weir_js *js, JSValueConst captured,
                              JSValueConst function, JSValueConst self,
                              int argc, JSValueConst *argv);

/* Take the value with which the exception was thrown; undefined if it is not
 * known.  A new reference. */
JSValue weir__js_context_take_thrown(weir_js *js);

#endif /* WEIR_JS_CONTEXT_H */
