/* SPDX-License-Identifier: MIT */
/*
 * timer -- the armed timers of a host, for those who show them.
 */
#ifndef WEIR_JS_TIMER_H
#define WEIR_JS_TIMER_H

#include "core/host.h"

struct weir__js_armed {
    JSValueConst function;
    int64_t planned_ns, delay_ns;
    bool repeats, is_ref;
};

typedef void weir__js_armed_fn(void *arg, const struct weir__js_armed *armed);

/* Call fn for each timer of setTimeout and setInterval that is armed, in no
 * particular order.  It must not start or stop timers. */
void weir__js_timers_visit(weir_js *js, weir__js_armed_fn *fn, void *arg);

#endif /* WEIR_JS_TIMER_H */
