/* SPDX-License-Identifier: MIT */
/*
 * errand -- a JavaScript function that the loop will call: a next-tick, an
 * immediate, or a step of import().
 *
 * An errand (a pending call) is held by the loop, and it holds the host's
 * struct.  If the host ends first, the errand's values are released at once,
 * and the rest when the loop returns it.
 */
#ifndef WEIR_JS_ERRAND_H
#define WEIR_JS_ERRAND_H

#include "core/host.h"

struct weir__js_errand {
    struct weir__js_link link;
    weir_js *js;
    JSValue function;
    int count;
    JSValue args[];
};

/* Returns NULL with an exception thrown. */
struct weir__js_errand *weir__js_errand_new(weir_js *js, JSValueConst function,
                                            int count, JSValueConst *args);

/* Call the function with `this` undefined.  What it throws is reported. */
void weir__js_errand_call(struct weir__js_errand *errand);

/* Hand the errand to the loop.  `how` is weir_loop_submit or a function like
 * it, and fn receives the errand.  The errand may be NULL, as `new` returned
 * it.  Returns false with an exception thrown; the errand has been freed
 * then. */
bool weir__js_errand_send(JSContext *context, struct weir__js_errand *errand,
                          int (*how)(weir_loop *, weir_fn *, void *),
                          weir_fn *fn);

void weir__js_errand_free(struct weir__js_errand *errand);

void weir__js_drop_errands(weir_js *js);

#endif /* WEIR_JS_ERRAND_H */
