/* SPDX-License-Identifier: MIT */
/*
 * check -- the answer to a caller's bug that would corrupt memory.
 *
 * CHECK is on in every build: it stands only where going on would be worse
 * than stopping, and never on a path where its branch could be measured.
 * DEBUG_CHECK is for rules that cost something to look at.
 */
#ifndef WEIR_SRC_CHECK_H
#define WEIR_SRC_CHECK_H

#ifdef WEIR_MODEL
#include "seam.h"
#else
/* Prints "weir: FILE:LINE: TEXT" to stderr and aborts. */
_Noreturn __attribute__((cold)) void
weir__check_failed(const char *file, int line, const char *text);
#endif

#define CHECK(condition, text)                                                 \
    (__builtin_expect(!(condition), 0)                                         \
         ? weir__check_failed(__FILE__, __LINE__, text)                        \
         : (void)0)

#ifdef NDEBUG
#define DEBUG_CHECK(condition, text) ((void)0)
#else
#define DEBUG_CHECK(condition, text) CHECK(condition, text)
#endif

#endif /* WEIR_SRC_CHECK_H */
