/* SPDX-License-Identifier: MIT */
/*
 * atomics -- Atomics.wait, waitAsync and notify.
 */
#ifndef WEIR_JS_ATOMICS_H
#define WEIR_JS_ATOMICS_H

#include "host.h"

/* In the place of the engine's, which share one lock.  0, or -ENOMEM. */
int weir__js_add_atomics(weir_js *js);

/* Milliseconds, with fractions, rounded up: never early.  NaN and more than 285
 * years are -1, for ever.  0, or -1 with an exception. */
int weir__js_to_timeout(JSContext *context, JSValueConst value,
                        int64_t *timeout_ns);

#endif /* WEIR_JS_ATOMICS_H */
