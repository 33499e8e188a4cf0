/* SPDX-License-Identifier: MIT */
/*
 * atomics -- Atomics.wait, waitAsync and notify.
 */
#ifndef WEIR_JS_ATOMICS_H
#define WEIR_JS_ATOMICS_H

#include "core/host.h"

/* Convert milliseconds, which may have a fraction, to nanoseconds.  The result
 * is rounded up, so that no timeout is early.  NaN and anything above 285 years
 * become -1, which means forever.  Returns 0, or -1 with an exception. */
int weir__js_to_timeout(JSContext *context, JSValueConst value,
                        int64_t *timeout_ns);

#endif /* WEIR_JS_ATOMICS_H */
