/* SPDX-License-Identifier: MIT */
/*
 * piece -- a part of a text that someone else owns.
 */
#ifndef WEIR_JS_PIECE_H
#define WEIR_JS_PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct weir__js_piece {
    const char *start;
    size_t length;
};

static inline struct weir__js_piece weir__js_piece_between(const char *start,
                                                           const char *end)
{
    return (struct weir__js_piece){start, (size_t)(end - start)};
}

static inline bool weir__js_piece_is(struct weir__js_piece piece,
                                     const char *text)
{
    return strlen(text) == piece.length &&
           memcmp(text, piece.start, piece.length) == 0;
}

/* Append a piece; returns the new end. */
static inline char *weir__js_piece_write(char *to, struct weir__js_piece piece)
{
    if (piece.length > 0)
        memmove(to, piece.start, piece.length);
    return to + piece.length;
}

#endif /* WEIR_JS_PIECE_H */
