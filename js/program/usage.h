/* SPDX-License-Identifier: MIT */
/*
 * usage -- what the process has used.
 */
#ifndef WEIR_JS_USAGE_H
#define WEIR_JS_USAGE_H

#include <quickjs.h>
#include <stdint.h>

/* The bytes of all ArrayBuffers and SharedArrayBuffers of this thread, with
 * their objects.  0 with an engine that weir does not patch. */
int64_t weir__js_buffer_bytes(JSContext *context);

#endif /* WEIR_JS_USAGE_H */
