/* SPDX-License-Identifier: MIT */
/*
 * resizable -- the maximum length of a resizable ArrayBuffer or a growable
 * SharedArrayBuffer, read without running the program's code.
 *
 * The engine (0.17.0) publishes it to JavaScript only: as getters, which a
 * program can replace or hide behind a property of the buffer.
 */
#ifndef WEIR_JS_RESIZABLE_H
#define WEIR_JS_RESIZABLE_H

#include "core/host.h"

/* Set *max to the maximum length of the buffer, or to 0 if its length is fixed.
 * It never changes.  Returns 0, or -1 with an exception. */
int weir__js_resizable_max(weir_js *js, JSValueConst buffer, bool is_shared,
                           size_t *max);

#endif /* WEIR_JS_RESIZABLE_H */
