/* SPDX-License-Identifier: MIT */
/*
 * bytes -- the memory behind a buffer or a typed array.
 *
 * The pointer is valid only until JavaScript runs again, so convert all other
 * arguments first.
 */
#ifndef WEIR_JS_BYTES_H
#define WEIR_JS_BYTES_H

#include "core/host.h"

struct weir__js_bytes {
    uint8_t *data;  /* never NULL */
    size_t size;    /* 0 if it is detached */
    bool is_shared; /* other threads may write to it concurrently */
};

/* Find the memory of an ArrayBuffer, a SharedArrayBuffer or a typed array.
 * Returns 0, or -1 with a TypeError for any other value. */
int weir__js_bytes(JSContext *context, JSValueConst value,
                   struct weir__js_bytes *bytes);

/* Find memory that will be written to.  Immutable buffers are refused. */
int weir__js_writable_bytes(JSContext *context, JSValueConst value,
                            struct weir__js_bytes *bytes);

/* Convert a number and clamp it to `most`.  A value that is not a number
 * becomes `missing`. */
size_t weir__js_offset(JSValueConst value, size_t most, size_t missing);

/* Decode UTF-8.  Invalid sequences become U+FFFD as the Encoding Standard
 * requires, which the engine's own function does not do.  In encoding.c. */
JSValue weir__js_utf8_string(JSContext *context, const char *bytes,
                             size_t size);

/* Decode bytes in an encoding of js/lib/bytes/encodings.js.  In encoding.c. */
JSValue weir__js_decoded(JSContext *context, int encoding, const uint8_t *bytes,
                         size_t size);

#endif /* WEIR_JS_BYTES_H */
