/* SPDX-License-Identifier: MIT */
/*
 * weir/net/bytes.h -- views of bytes, and blocks of bytes that change hands.
 *
 *     weir_bytes parts[] = {WEIR_BYTES_OF("hello, "), {name, strlen(name)}};
 *     weir_stream_write(stream, parts, 2, NULL, NULL);
 *
 * A weir_bytes owns nothing.  A weir_buffer is a block that a stream has read
 * into.  A program that takes one from the stream frees it.
 */
#ifndef WEIR_NET_BYTES_H
#define WEIR_NET_BYTES_H

#include <stdbool.h>
#include <stddef.h>

#include "weir/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A view of bytes, which it does not own.  It has the layout of a struct
 * iovec. */
typedef struct weir_bytes {
    const void *data;
    size_t size;
} weir_bytes;

/* A string literal without its NUL. */
/* clang-format off */
#define WEIR_BYTES_OF(literal) {"" literal, sizeof(literal) - 1}
/* clang-format on */

typedef struct weir_buffer weir_buffer;

/**
 * Get the bytes of a buffer.  The caller may change them.
 *
 * Thread   the one that owns the buffer
 * Returns  the first byte; *size is set to the number of bytes
 */
WEIR_API void *weir_buffer_data(const weir_buffer *buffer, size_t *size);

/**
 * Free a buffer.  Passing NULL has no effect.
 *
 * Thread   any
 */
WEIR_API void weir_buffer_free(weir_buffer *buffer);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_NET_BYTES_H */
