/* SPDX-License-Identifier: MIT */
/*
 * shared -- the memory of SharedArrayBuffers, which several hosts own together.
 *
 * A block is reference-counted.  Each buffer that shows it, in any host, has a
 * reference, and so has each message that carries it.  It is charged to the
 * budget of the host that created it until the last reference is released.
 */
#ifndef WEIR_JS_SHARED_H
#define WEIR_JS_SHARED_H

#include "core/host.h"

/* Any thread that has a reference, or that runs a host with one. */
void weir__js_shared_ref(void *data);
void weir__js_shared_unref(void *data);

/* Raise the length of growable memory to `length` if it was less.  All buffers
 * that show the memory have this length.  Same threads as ref. */
size_t weir__js_shared_grow(void *data, size_t length);

/* How often such a length has changed, in all hosts.  Any thread. */
uint64_t weir__js_shared_growths(void);

#endif /* WEIR_JS_SHARED_H */
