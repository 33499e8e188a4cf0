/* SPDX-License-Identifier: MIT */
/*
 * clock -- when a host began, and what came then.
 */
#ifndef WEIR_JS_CLOCK_H
#define WEIR_JS_CLOCK_H

#include "core/host.h"

enum weir__js_milestone {
    WEIR__JS_BOOTED,     /* the program is about to begin */
    WEIR__JS_LOOP_BEGAN, /* its main module has run */
    WEIR__JS_LOOP_ENDED,
    WEIR__JS_MILESTONES
};

/* Record the time of a milestone. */
void weir__js_clock_reach(weir_js *js, enum weir__js_milestone milestone);

#endif /* WEIR_JS_CLOCK_H */
