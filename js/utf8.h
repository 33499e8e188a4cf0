/* SPDX-License-Identifier: MIT */
/*
 * utf8 -- bytes that may or may not be UTF-8.
 *
 * What is broken is replaced as the Encoding Standard says: one U+FFFD for each
 * longest beginning of a character that goes no further.  Strings that come out
 * of the engine are UTF-8 but for lone surrogates, which it writes as three
 * bytes; they are replaced too.
 */
#ifndef WEIR_JS_UTF8_H
#define WEIR_JS_UTF8_H

#include <stddef.h>
#include <stdint.h>

enum { WEIR__JS_UTF8_REPLACEMENT = 3 }; /* the size of U+FFFD */

/* How many bytes from the beginning on are valid. */
size_t weir__js_utf8_valid(const uint8_t *bytes, size_t size);

/* How many bytes at the end begin a character that more could finish: 0-3. */
size_t weir__js_utf8_tail(const uint8_t *bytes, size_t size);

/* The size that repair needs at `to`. */
size_t weir__js_utf8_repaired_size(const uint8_t *bytes, size_t size);

void weir__js_utf8_repair(uint8_t *to, const uint8_t *bytes, size_t size);

/* Whole characters of the engine's text, as many as there is room for.  Returns
 * the bytes; units: what they were in UTF-16. */
size_t weir__js_utf8_copy(uint8_t *to, size_t room, const uint8_t *text,
                          size_t size, size_t *units);

#endif /* WEIR_JS_UTF8_H */
