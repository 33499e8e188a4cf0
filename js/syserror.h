/* SPDX-License-Identifier: MIT */
/*
 * syserror -- errors of the system, as Node names them.
 */
#ifndef WEIR_JS_SYSERROR_H
#define WEIR_JS_SYSERROR_H

#include <stdbool.h>

struct weir__js_syserror {
    int number; /* positive */
    const char *name, *text;
    bool is_public; /* os.constants.errno has it */
};

/* All of them, one by one; NULL behind the last. */
const struct weir__js_syserror *weir__js_syserror_at(int index);

/* By its number; NULL: nobody knows it. */
const struct weir__js_syserror *weir__js_syserror_find(int number);

#endif /* WEIR_JS_SYSERROR_H */
