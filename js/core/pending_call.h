/* SPDX-License-Identifier: MIT */
/*
 * pending_call -- a JavaScript function that the loop will call: a next-tick, an
 * immediate, or a step of import().
 *
 * The loop holds the call, and the call holds the host's struct.  If the host
 * ends first, the call's values are released at once, and the rest when the loop
 * returns it.
 */
#ifndef WEIR_JS_PENDING_CALL_H
#define WEIR_JS_PENDING_CALL_H

#include "core/host.h"

struct weir__js_pending_call {
    struct weir__js_link link;
    weir_js *js;
    JSValue function;
    JSValue context; /* captured (core/context.h) */
    int count;
    JSValue args[];
};

/* Returns NULL with an exception thrown. */
struct weir__js_pending_call *weir__js_pending_call_new(weir_js *js,
                                                        JSValueConst function,
                                                        int count,
                                                        JSValueConst *args);

/* Call the function with `this` undefined.  What it throws is reported. */
void weir__js_pending_call_run(struct weir__js_pending_call *pending);

/* Hand the call to the loop.  `how` is weir_loop_submit or a function like
 * it, and fn receives the call.  The call may be NULL, as `new` returned
 * it.  Returns false with an exception thrown; the call has been freed
 * then. */
bool weir__js_pending_call_send(JSContext *context,
                                struct weir__js_pending_call *pending,
                                int (*how)(weir_loop *, weir_fn *, void *),
                                weir_fn *fn);

void weir__js_pending_call_free(struct weir__js_pending_call *pending);

void weir__js_drop_pending_calls(weir_js *js);

#endif /* WEIR_JS_PENDING_CALL_H */
