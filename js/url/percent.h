/* SPDX-License-Identifier: MIT */
/*
 * percent -- percent-encoding, by the URL Standard.
 *
 * A percent-encode set is a bit: `weir__js_percent_sets[byte] & set` tells
 * whether a byte must be encoded.
 */
#ifndef WEIR_JS_PERCENT_H
#define WEIR_JS_PERCENT_H

#include <stdint.h>

#include "url/piece.h"

enum weir__js_percent_set {
    WEIR__JS_PERCENT_C0 = 1, /* C0 controls, and what is not ASCII */
    WEIR__JS_PERCENT_FRAGMENT = 2,
    WEIR__JS_PERCENT_QUERY = 4,
    WEIR__JS_PERCENT_SPECIAL_QUERY = 8,
    WEIR__JS_PERCENT_PATH = 16,
    WEIR__JS_PERCENT_USERINFO = 32,
};

/* An encoded byte is "%XX". */
enum { WEIR__JS_PERCENT_GROWTH = 3 };

extern const uint8_t weir__js_percent_sets[256];

/* Append "%XX"; returns the new end. */
char *weir__js_percent_write(char *to, char byte);

/* Append a text, encoded; returns the new end. */
char *weir__js_percent_encode(char *to, struct weir__js_piece text,
                              enum weir__js_percent_set set);

/* Append a text, decoded, which is never longer; returns the new end. */
char *weir__js_percent_decode(char *to, struct weir__js_piece text);

/* The value of a hexadecimal digit, or -1. */
int weir__js_percent_digit(char c);

#endif /* WEIR_JS_PERCENT_H */
