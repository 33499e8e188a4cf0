/* SPDX-License-Identifier: MIT */
/*
 * deflate -- permessage-deflate (RFC 7692) by zlib: one direction each.
 *
 * A compressor with a window of 15 bits has 256 KiB, a decompressor 40 KiB.
 * Both are allocated when they are first used.  If the context is not taken over
 * from message to message, they are freed at the end of each message.
 */
#ifndef WEIR_NET_WEBSOCKET_DEFLATE_H
#define WEIR_NET_WEBSOCKET_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/net/bytes.h"

struct weir__zlib; /* a z_stream, whose memory is weir's */

struct weir__deflate {
    struct weir__zlib *zlib; /* NULL: not used yet */
    uint8_t window_bits;     /* 9 to 15 */
    int8_t level;            /* 1 to 9, -1 for zlib's default */
    bool takes_over;         /* the context, from message to message */
};

struct weir__inflate {
    struct weir__zlib *zlib;
    uint8_t window_bits; /* 8 to 15 */
    bool takes_over;
    bool is_ending; /* the tail that the peer has removed was given */
    bool is_whole;  /* what was decompressed ends with a block */
};

void weir__deflate_fini(struct weir__deflate *deflate);
void weir__inflate_fini(struct weir__inflate *inflate);

/* Compress the next part of a message, so that all of it can be sent.  *block,
 * of *size bytes, is the caller's; the first *used bytes are the payload.
 * Returns 0 or -ENOMEM; then the compressor has been reset. */
int weir__deflate_part(struct weir__deflate *deflate, weir_bytes part,
                       bool is_last, void **block, size_t *size, size_t *used);

/* Forget what was compressed, because it was not sent.  The peer's context has
 * more than ours from now on, which is harmless: nothing refers to it. */
void weir__deflate_forget(struct weir__deflate *deflate);

/* Give the next part of a compressed message.  It is borrowed until
 * weir__inflate_run has returned less than it could.  Returns 0 or -ENOMEM. */
int weir__inflate_feed(struct weir__inflate *inflate, weir_bytes part);

/* The bytes of that part which were not used yet.  Whoever moves them tells the
 * decompressor. */
size_t weir__inflate_left(const struct weir__inflate *inflate);
void weir__inflate_move(struct weir__inflate *inflate, const void *to);

/* Give the tail of a message, after its last part. */
void weir__inflate_feed_tail(struct weir__inflate *inflate);

/* Decompress at most *size bytes; *size becomes their number.  If it is less,
 * everything that was fed is used up.  Returns 0, WEIR_EWEBSOCKET (not a valid
 * stream, or the message ends in the middle of a block), or -ENOMEM. */
int weir__inflate_run(struct weir__inflate *inflate, void *to, size_t *size);

/* The message is over. */
void weir__inflate_end(struct weir__inflate *inflate);

#endif /* WEIR_NET_WEBSOCKET_DEFLATE_H */
