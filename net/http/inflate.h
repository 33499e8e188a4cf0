/* SPDX-License-Identifier: MIT */
/*
 * inflate -- decode the body of a response by its Content-Encoding.
 *
 *     weir__http_inflate_new(&inflate, value);       "gzip", "br, gzip", ...
 *     do {
 *         size = weir__http_inflate_read(inflate, &input, buffer, room);
 *         ... size bytes are in buffer ...
 *     } while (size > 0);
 *     if (size < 0) ...                              corrupt, or no memory
 *     ... 0: all of the input was taken ...
 *     weir__http_inflate_end(inflate);               at the end of the body
 *     weir__http_inflate_free(inflate);
 *
 * Each call writes at most the room that it is given, so a small body that
 * becomes very large does so at the reader's pace.  Bytes of the input that are
 * still inside come out with the next call, even if that brings no input.
 *
 * Owner     the caller
 * Thread    the loop's
 */
#ifndef WEIR_NET_HTTP_INFLATE_H
#define WEIR_NET_HTTP_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "weir/net/bytes.h"

/* The value of Accept-Encoding that says what can be decoded. */
#define WEIR__HTTP_INFLATE_ACCEPT "gzip, deflate, br, zstd"

struct weir__http_inflate;

/* Make a decoder for a Content-Encoding: a list of gzip, x-gzip, deflate, br,
 * zstd and identity, in the order in which they were applied, at most
 * WEIR__HTTP_INFLATE_MOST of them without identity.  Returns 0, -EOPNOTSUPP
 * (another coding, or too many), -ENOMEM.  *made is NULL if there is nothing to
 * decode. */
enum { WEIR__HTTP_INFLATE_MOST = 3 };
int weir__http_inflate_new(struct weir__http_inflate **made,
                           weir_bytes encoding);

/* Decode: take bytes off the front of input, and write at most size > 0 bytes.
 * Returns how many were written, 0 (all of the input was taken, and more is
 * needed), -EBADMSG (the data is corrupt), or -ENOMEM.  Several members of gzip
 * and frames of zstd are one after the other.  Anything else that follows the
 * end of the data is taken and ignored, except after zstd, where it is
 * corrupt. */
ssize_t weir__http_inflate_read(struct weir__http_inflate *inflate,
                                weir_bytes *input, void *to, size_t size);

/* The input has ended, and weir__http_inflate_read has returned 0.  Returns 0
 * if the data was complete or empty, otherwise WEIR_ETRUNCATED. */
int weir__http_inflate_end(const struct weir__http_inflate *inflate);

/* Free a decoder.  NULL has no effect. */
void weir__http_inflate_free(struct weir__http_inflate *inflate);

#endif /* WEIR_NET_HTTP_INFLATE_H */
