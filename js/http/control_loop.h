/* SPDX-License-Identifier: MIT */
/*
 * control_loop -- the control loop of all HTTP servers of a process.
 */
#ifndef WEIR_JS_CONTROL_LOOP_H
#define WEIR_JS_CONTROL_LOOP_H

#include "weir/loop.h"

/* Get the loop, which a separate thread runs from the first call until the
 * process ends.  Returns 0, or an error of weir_loop_new or
 * weir_thread_start. */
int weir__js_control_loop(weir_loop **loop);

#endif /* WEIR_JS_CONTROL_LOOP_H */
