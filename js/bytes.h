/* SPDX-License-Identifier: MIT */
/*
 * bytes -- the memory behind a buffer or a typed array.
 *
 * It is valid until JavaScript runs again: take what else is needed of the
 * arguments first.
 */
#ifndef WEIR_JS_BYTES_H
#define WEIR_JS_BYTES_H

#include "host.h"

struct weir__js_bytes {
    uint8_t *data;  /* never NULL */
    size_t size;    /* 0 if it was detached */
    bool is_shared; /* other threads may write to it meanwhile */
};

/* Of an ArrayBuffer, a SharedArrayBuffer or a typed array; else -1 with a
 * TypeError. */
int weir__js_bytes(JSContext *context, JSValueConst value,
                   struct weir__js_bytes *bytes);

/* The same, to be written to: immutable ones are refused. */
int weir__js_writable_bytes(JSContext *context, JSValueConst value,
                            struct weir__js_bytes *bytes);

/* A number, at most `most`; what is no number is `missing`. */
size_t weir__js_offset(JSValueConst value, size_t most, size_t missing);

/* The text that the bytes are; what is no UTF-8 becomes U+FFFD, as the web's
 * standard says (the engine's own function has other ideas).  encoding.c */
JSValue weir__js_utf8_string(JSContext *context, const char *bytes,
                             size_t size);

#endif /* WEIR_JS_BYTES_H */
