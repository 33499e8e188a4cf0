/* SPDX-License-Identifier: MIT */
/*
 * check -- stop at a caller's bug that would corrupt memory.
 *
 * CHECK is active in every build.  It is used only where continuing would be
 * worse than aborting, and never on a path where its branch would be
 * measurable.  DEBUG_CHECK is for checks that cost something.
 */
#ifndef WEIR_SRC_CHECK_H
#define WEIR_SRC_CHECK_H

#ifdef WEIR_MODEL
#include "seam.h"
#else
/* Print "weir: FILE:LINE: TEXT" to stderr and abort. */
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
