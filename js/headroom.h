/* SPDX-License-Identifier: MIT */
/*
 * headroom -- more of the thread's stack, for chains of modules.
 *
 * JavaScript has a part of the stack, so that code without an end to its calls
 * fails soon.  A chain of modules has an end, but each of its members lies on the
 * stack while the next one is loaded.  So the loader may use all that the thread
 * has, and a module that is required deep down has as much for itself as others.
 */
#ifndef WEIR_JS_HEADROOM_H
#define WEIR_JS_HEADROOM_H

#include "host.h"

/* All that the thread has. */
#define WEIR__HEADROOM_ALL SIZE_MAX

/* The stack begins here, with the host's own size. */
void weir__js_headroom_init(weir_js *js);

/* If a good part of the host's own stack is in use, JavaScript may take so many
 * bytes more than that, as far as the thread has them, until what this returns is
 * given back.  It never has less than before. */
size_t weir__js_headroom_take(weir_js *js, size_t size);

/* The same, where modules are linked and run: for the longest chain of them. */
size_t weir__js_headroom_take_chain(weir_js *js);

void weir__js_headroom_return(weir_js *js, size_t taken);

#endif /* WEIR_JS_HEADROOM_H */
