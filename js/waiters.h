/* SPDX-License-Identifier: MIT */
/*
 * waiters -- what Atomics.waitAsync has under way.
 */
#ifndef WEIR_JS_WAITERS_H
#define WEIR_JS_WAITERS_H

#include "host.h"

/* A word that JavaScript waits for. */
struct weir__js_word {
    JSValueConst array; /* the typed array that it is in */
    const void *address;
    size_t size;
    uint64_t expected;
    int64_t timeout_ns; /* negative: for ever */
};

/*
 * Call resolve with "ok" or "timed-out" when the wait is over.  0, -EAGAIN (the
 * word is not what was expected), or why there is no wait.
 */
int weir__js_wait_begin(weir_js *js, const struct weir__js_word *word,
                        JSValueConst resolve);

/* The host ends: its waits leave the table. */
void weir__js_drop_waits(weir_js *js);

#endif /* WEIR_JS_WAITERS_H */
