/* SPDX-License-Identifier: MIT */
/*
 * codec -- bytes as text of hexadecimal digits or in base 64, and back.
 *
 * Reading is as forgiving as Node's Buffer: hex ends at the first pair that is
 * none, base 64 takes both alphabets, skips what is in neither, ends at "=".
 */
#ifndef WEIR_JS_CODEC_H
#define WEIR_JS_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes 2 * size characters. */
void weir__js_hex_print(char *to, const uint8_t *bytes, size_t size);

/* At most room bytes; returns how many. */
size_t weir__js_hex_read(uint8_t *to, size_t room, const uint16_t *text,
                         size_t length);

/* The characters of size bytes, with "=" or without. */
size_t weir__js_base64_size(size_t size, bool is_url);
void weir__js_base64_print(char *to, const uint8_t *bytes, size_t size,
                           bool is_url);

size_t weir__js_base64_read(uint8_t *to, size_t room, const uint16_t *text,
                            size_t length);

#endif /* WEIR_JS_CODEC_H */
