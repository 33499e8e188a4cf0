/* SPDX-License-Identifier: MIT */
/*
 * waiters -- pending calls of Atomics.waitAsync.
 */
#ifndef WEIR_JS_WAITERS_H
#define WEIR_JS_WAITERS_H

#include "core/host.h"

/* A word that JavaScript waits on. */
struct weir__js_word {
    JSValueConst array; /* the typed array that holds it */
    const void *address;
    size_t size;
    uint64_t expected;
    int64_t timeout_ns; /* negative: forever */
};

/*
 * Call resolve with "ok" or "timed-out" when the wait is over.  Returns 0,
 * -EAGAIN (the word does not have the expected value), or the reason there is
 * no wait.
 */
int weir__js_wait_begin(weir_js *js, const struct weir__js_word *word,
                        JSValueConst resolve);

#endif /* WEIR_JS_WAITERS_H */
