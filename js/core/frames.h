/* SPDX-License-Identifier: MIT */
/*
 * frames -- what the flight recorder is told about JavaScript: the names of
 * callbacks, and what a long one is doing.
 */
#ifndef WEIR_JS_FRAMES_H
#define WEIR_JS_FRAMES_H

#include "core/host.h"

/* Name the running callback after a function that it has called, such as
 * "onRequest (server.js:12)", if the recorder wants to know. */
void weir__js_frames_name(weir_js *js, JSValueConst function);

/* Record the stack, if a callback has run for long.  Called where the engine
 * looks for interrupts; no JavaScript runs. */
void weir__js_frames_record(weir_js *js);

#endif /* WEIR_JS_FRAMES_H */
