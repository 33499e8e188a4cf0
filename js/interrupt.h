/* SPDX-License-Identifier: MIT */
/*
 * interrupt -- how JavaScript that does not end is ended.
 */
#ifndef WEIR_JS_INTERRUPT_H
#define WEIR_JS_INTERRUPT_H

#include "host.h"

int weir__js_life_init(weir_js *js);
void weir__js_watch_interrupts(weir_js *js);
bool weir__js_is_terminated(const weir_js *js);

/* What JavaScript cannot catch: its entry ends. */
JSValue weir__js_end_entry(JSContext *context);

/* For builtins that take long: the engine asks only once in thousands of calls.
 * False, and thrown: the entry ends. */
bool weir__js_may_go_on(JSContext *context);

/* The time limit of an entry begins; there is one. */
void weir__js_begin_time(weir_js *js);

/* JavaScript is about to be left: tell who was busy, if that is known now. */
void weir__js_tell_culprit(weir_js *js);

#endif /* WEIR_JS_INTERRUPT_H */
