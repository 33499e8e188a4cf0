/* SPDX-License-Identifier: MIT */
/*
 * growable -- growable SharedArrayBuffers that several hosts share.
 *
 * ECMAScript has one length for all buffers that share a block of memory, but
 * the engine (0.17.0) keeps one in each buffer.  The common length is therefore
 * stored beside the memory (js/messages/shared.c), and each host brings its own
 * buffers up to date: when JavaScript is entered, when a length is read, and at
 * each operation of Atomics.
 */
#ifndef WEIR_JS_GROWABLE_H
#define WEIR_JS_GROWABLE_H

#include "core/host.h"

/* Register a growable buffer whose memory other hosts see or will see.  Returns
 * 0, or -1 with an exception. */
int weir__js_growable_note(weir_js *js, JSValueConst buffer);

/* Bring this host's buffers up to the lengths that others have set.  Call it
 * inside JavaScript.  Leaves no exception. */
void weir__js_growable_sync(weir_js *js);

#endif /* WEIR_JS_GROWABLE_H */
