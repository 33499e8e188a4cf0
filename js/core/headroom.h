/* SPDX-License-Identifier: MIT */
/*
 * headroom -- extra stack for chains of modules.
 *
 * JavaScript may use a part of the thread's stack, so that infinite recursion
 * fails early.  A chain of modules is finite, but each member stays on the
 * stack while the next one is loaded.  The loader may therefore use the whole
 * stack of the thread, and a module that is required at any depth gets as much
 * as any other.
 */
#ifndef WEIR_JS_HEADROOM_H
#define WEIR_JS_HEADROOM_H

#include "core/host.h"

/* The whole stack of the thread. */
#define WEIR__HEADROOM_ALL SIZE_MAX

/* Note the top of the stack and set the host's own limit. */
void weir__js_headroom_init(weir_js *js);

/* Let JavaScript use up to size bytes beyond what is in use now, if a good part
 * of the host's own stack is in use and as far as the thread's stack reaches.
 * The limit never shrinks.  Returns a value to pass to the function that gives
 * the stack back. */
size_t weir__js_headroom_take(weir_js *js, size_t size);

/* Raise the limit for linking and running modules, enough for the longest chain
 * so far. */
size_t weir__js_headroom_take_chain(weir_js *js);

void weir__js_headroom_return(weir_js *js, size_t taken);

#endif /* WEIR_JS_HEADROOM_H */
