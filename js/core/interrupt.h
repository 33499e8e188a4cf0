/* SPDX-License-Identifier: MIT */
/*
 * interrupt -- how JavaScript that does not end is stopped.
 */
#ifndef WEIR_JS_INTERRUPT_H
#define WEIR_JS_INTERRUPT_H

#include "core/host.h"

int weir__js_life_init(weir_js *js);
void weir__js_watch_interrupts(weir_js *js);
bool weir__js_is_terminated(const weir_js *js);

/* Throw what JavaScript cannot catch, which ends the entry. */
JSValue weir__js_end_entry(JSContext *context);

/* Check for an interrupt in a builtin that takes long: the engine itself checks
 * only once in thousands of calls.  Returns false with that thrown if the entry
 * must end. */
bool weir__js_may_go_on(JSContext *context);

/* Start the time limit of an entry.  There must be one. */
void weir__js_begin_time(weir_js *js);

/* A time that code sets to other code, within the entry's own.  Such limits
 * nest: an inner one is over no later than those around it.  end returns
 * whether this limit was what ended the code; the exception is then its. */
struct weir__js_limit {
    int64_t deadline_ns, outer_ns;
};

void weir__js_limit_begin(weir_js *js, struct weir__js_limit *limit,
                          int64_t limit_ns);
bool weir__js_limit_end(weir_js *js, const struct weir__js_limit *limit);

/* Report the function that was busy, if it is known by now.  Called just before
 * JavaScript is left. */
void weir__js_tell_culprit(weir_js *js);

#endif /* WEIR_JS_INTERRUPT_H */
