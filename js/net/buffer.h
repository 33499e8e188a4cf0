/* SPDX-License-Identifier: MIT */
/*
 * buffer -- bytes from the network as Node's Buffers.
 */
#ifndef WEIR_JS_NET_BUFFER_H
#define WEIR_JS_NET_BUFFER_H

#include "core/host.h"

/* Make a Buffer with a copy of the bytes, or return an exception. */
JSValue weir__js_new_buffer(JSContext *context, const void *bytes, size_t size);

#endif /* WEIR_JS_NET_BUFFER_H */
