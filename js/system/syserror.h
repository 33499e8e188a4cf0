/* SPDX-License-Identifier: MIT */
/*
 * syserror -- system errors with Node's names.
 */
#ifndef WEIR_JS_SYSERROR_H
#define WEIR_JS_SYSERROR_H

#include <stdbool.h>

struct weir__js_syserror {
    int number; /* positive */
    const char *name, *text;
    bool is_public; /* listed in os.constants.errno */
};

/* The error at this index, or NULL behind the last one. */
const struct weir__js_syserror *weir__js_syserror_at(int index);

/* The error with this number, or NULL if it is unknown. */
const struct weir__js_syserror *weir__js_syserror_find(int number);

#endif /* WEIR_JS_SYSERROR_H */
