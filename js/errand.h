/* SPDX-License-Identifier: MIT */
/*
 * errand -- a JavaScript function that the loop will call: a next-tick, an
 * immediate, a timer.
 *
 * The loop holds the errand, and the errand the host's struct.  When the host
 * ends first, its values go at once and the rest when the loop gives it back.
 */
#ifndef WEIR_JS_ERRAND_H
#define WEIR_JS_ERRAND_H

#include "host.h"

struct weir__js_errand {
    struct weir__js_link link;
    weir_js *js;
    JSValue function;
    int count;
    JSValue args[];
};

/* NULL, with an exception thrown. */
struct weir__js_errand *weir__js_errand_new(weir_js *js, JSValueConst function,
                                            int count, JSValueConst *args);

/* Call the function, `this` undefined; what it throws is reported. */
void weir__js_errand_call(struct weir__js_errand *errand);

/* Give it to the loop: `how` is weir_loop_submit or its like, and fn gets the
 * errand.  NULL is what `new` returned.  False: an exception is thrown, and the
 * errand is gone. */
bool weir__js_errand_send(JSContext *context, struct weir__js_errand *errand,
                          int (*how)(weir_loop *, weir_fn *, void *),
                          weir_fn *fn);

void weir__js_errand_free(struct weir__js_errand *errand);

void weir__js_drop_errands(weir_js *js);

#endif /* WEIR_JS_ERRAND_H */
