/* SPDX-License-Identifier: MIT */
/*
 * grammar -- bytes become a program in JavaScript.
 *
 * Each byte chooses one of the sentences of a kind; "$e" in it is a sentence of
 * the kind 'e', and so on.  So what libFuzzer changes in the bytes changes a
 * branch of the program, and nearly all programs are valid.  When the bytes are
 * used up, or the program is deep or long enough, the first sentence of a kind
 * is taken; it has no '$'.
 */
#ifndef WEIR_TEST_FUZZ_GRAMMAR_H
#define WEIR_TEST_FUZZ_GRAMMAR_H

#include <stddef.h>
#include <stdint.h>

enum { GRAMMAR_TEXT_MAX = 16 * 1024 };

/* Its length; text is NUL-terminated. */
size_t grammar_write(const uint8_t *bytes, size_t count,
                     char text[GRAMMAR_TEXT_MAX]);

#endif /* WEIR_TEST_FUZZ_GRAMMAR_H */
