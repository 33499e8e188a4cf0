/* SPDX-License-Identifier: MIT */
/*
 * suspended -- where the async functions are that a promise is pending for.
 */
#ifndef WEIR_JS_SUSPENDED_H
#define WEIR_JS_SUSPENDED_H

#include "core/host.h"

/* The lines of a stack, such as "    at async handler (file:///app.js:3:5)", from
 * the function that waits for something else to the one whose promise it is;
 * undefined if there are none.  It takes the time of a look at every object. */
JSValue weir__js_suspended_stack(JSContext *context, JSValueConst promise);

#endif /* WEIR_JS_SUSPENDED_H */
