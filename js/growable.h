/* SPDX-License-Identifier: MIT */
/*
 * growable -- SharedArrayBuffers that can grow, in more than one host.
 *
 * The engine (0.17.0) keeps the length in each buffer, where ECMAScript has one
 * for all buffers that show the same memory.  So that one is beside the memory
 * (js/shared.c), and each host brings its own buffers up to it: when JavaScript
 * is entered, when a length is read, and at each operation of Atomics.
 */
#ifndef WEIR_JS_GROWABLE_H
#define WEIR_JS_GROWABLE_H

#include "host.h"

/* The buffer can grow, and other hosts see its memory, or will.  0, or -1 with an
 * exception. */
int weir__js_growable_note(weir_js *js, JSValueConst buffer);

/* Inside JavaScript: buffers of this host are as long as others have made them.
 * Leaves no exception. */
void weir__js_growable_sync(weir_js *js);

#endif /* WEIR_JS_GROWABLE_H */
