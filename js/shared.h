/* SPDX-License-Identifier: MIT */
/*
 * shared -- the memory of SharedArrayBuffers, which no host owns alone.
 *
 * A block is freed with its last reference: each buffer that shows it, in any
 * host, has one, and each message that carries it.  Until then it is charged to
 * the budget of the host that made it.
 */
#ifndef WEIR_JS_SHARED_H
#define WEIR_JS_SHARED_H

#include "host.h"

/* Any thread that has a reference, or runs a host that has. */
void weir__js_shared_ref(void *data);
void weir__js_shared_unref(void *data);

/* The length of memory that can grow, which is that of all buffers that show it:
 * it becomes `length` if it was less.  Whoever may call ref. */
size_t weir__js_shared_grow(void *data, size_t length);

/* How often such a length has changed, in all hosts.  Any thread. */
uint64_t weir__js_shared_growths(void);

/* The host's SharedArrayBuffers are such blocks from now on. */
void weir__js_watch_shared(weir_js *js);

#endif /* WEIR_JS_SHARED_H */
