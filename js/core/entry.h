/* SPDX-License-Identifier: MIT */
/*
 * entry -- from C into JavaScript, and back.  Entries nest.
 */
#ifndef WEIR_JS_ENTRY_H
#define WEIR_JS_ENTRY_H

#include "core/host.h"

/* Returns 0, or WEIR_ECANCELED if the host was terminated or has ended. */
int weir__js_enter(weir_js *js);

/* The outermost leave queues the jobs and rejections that came up. */
void weir__js_leave(weir_js *js);

/* The time that promises remember, in units of about 1 ms: the beginning of the
 * turn in which they were created. */
static inline uint32_t weir__js_promise_time(int64_t now_ns)
{
    return (uint32_t)((uint64_t)now_ns >> 20);
}

/* How long it is ago. */
static inline int64_t weir__js_promise_age_ns(uint32_t time, int64_t now_ns)
{
    return (int64_t)(weir__js_promise_time(now_ns) - time) << 20;
}

/* Whether the main module has failed, which fails the program.  The outermost
 * leave passes this on. */
static inline bool weir__js_main_has_failed(const weir_js *js)
{
    return JS_IsObject(js->main) &&
           JS_PromiseState(js->context, js->main) == JS_PROMISE_REJECTED;
}

#endif /* WEIR_JS_ENTRY_H */
