/* SPDX-License-Identifier: MIT */
/*
 * clock -- the time since a host was made.
 */
#ifndef WEIR_JS_CLOCK_H
#define WEIR_JS_CLOCK_H

#include "core/host.h"

/* When the host was made, by weir_clock_now(). */
static inline int64_t weir__js_started_ns(const weir_js *js)
{
    return *(const int64_t *)js->states[WEIR__JS_CLOCK];
}

#endif /* WEIR_JS_CLOCK_H */
