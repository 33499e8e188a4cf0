/* SPDX-License-Identifier: MIT */
/*
 * utf8 -- checks UTF-8 that arrives in pieces.
 *
 * A piece may end inside a character.  The checker remembers how many bytes the
 * character still needs, and the range of its next byte, which excludes
 * overlong forms, surrogates and what lies beyond U+10FFFF (RFC 3629).
 */
#ifndef WEIR_NET_WEBSOCKET_UTF8_H
#define WEIR_NET_WEBSOCKET_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeros is the beginning of a text. */
struct weir__utf8 {
    uint8_t needed; /* bytes that the current character still needs */
    uint8_t low;    /* the range of the next byte, if needed > 0 */
    uint8_t high;
};

/* Check the next piece.  Returns false at the first byte that no valid text can
 * have here. */
bool weir__utf8_check(struct weir__utf8 *utf8, const void *data, size_t size);

/* Whether the text may end here. */
static inline bool weir__utf8_is_whole(const struct weir__utf8 *utf8)
{
    return utf8->needed == 0;
}

#endif /* WEIR_NET_WEBSOCKET_UTF8_H */
