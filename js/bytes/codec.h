/* SPDX-License-Identifier: MIT */
/*
 * codec -- hexadecimal and base64, both directions.
 *
 * Decoding is as lenient as Node's Buffer.  Hexadecimal stops at the first
 * invalid pair.  Base64 accepts both alphabets, skips characters of neither,
 * and stops at "=".
 */
#ifndef WEIR_JS_CODEC_H
#define WEIR_JS_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes 2 * size characters. */
void weir__js_hex_print(char *to, const uint8_t *bytes, size_t size);

/* Decode at most room bytes; return how many were written. */
size_t weir__js_hex_read(uint8_t *to, size_t room, const uint16_t *text,
                         size_t length);

/* The number of characters that size bytes become; is_url omits the "=". */
size_t weir__js_base64_size(size_t size, bool is_url);
void weir__js_base64_print(char *to, const uint8_t *bytes, size_t size,
                           bool is_url);

size_t weir__js_base64_read(uint8_t *to, size_t room, const uint16_t *text,
                            size_t length);

#endif /* WEIR_JS_CODEC_H */
