/* SPDX-License-Identifier: MIT */
/*
 * utf8 -- validate and repair UTF-8.
 *
 * Invalid sequences are replaced as the Encoding Standard requires: one U+FFFD
 * for each maximal prefix of a character.  Strings from the engine are UTF-8
 * except for lone surrogates, which it encodes as three bytes; those are
 * replaced, too.
 */
#ifndef WEIR_JS_UTF8_H
#define WEIR_JS_UTF8_H

#include <stddef.h>
#include <stdint.h>

enum { WEIR__JS_UTF8_REPLACEMENT = 3 }; /* the size of U+FFFD */

/* The length of the valid prefix. */
size_t weir__js_utf8_valid(const uint8_t *bytes, size_t size);

/* The length of an incomplete character at the end: 0 to 3. */
size_t weir__js_utf8_tail(const uint8_t *bytes, size_t size);

/* The size that the repaired text needs. */
size_t weir__js_utf8_repaired_size(const uint8_t *bytes, size_t size);

void weir__js_utf8_repair(uint8_t *to, const uint8_t *bytes, size_t size);

/* Copy whole characters of the engine's text, as many as there is room for.
 * Returns the number of bytes; *units is their number of UTF-16 code units. */
size_t weir__js_utf8_copy(uint8_t *to, size_t room, const uint8_t *text,
                          size_t size, size_t *units);

#endif /* WEIR_JS_UTF8_H */
