/* SPDX-License-Identifier: MIT */
/*
 * keeper -- the control loop of all HTTP servers of a process.
 */
#ifndef WEIR_JS_KEEPER_H
#define WEIR_JS_KEEPER_H

#include "weir/loop.h"

/* Get the loop, which a thread of its own runs from the first call until the
 * process ends.  Returns 0, or an error of weir_loop_new or
 * weir_thread_start. */
int weir__js_keeper_loop(weir_loop **loop);

#endif /* WEIR_JS_KEEPER_H */
