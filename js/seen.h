/* SPDX-License-Identifier: MIT */
/*
 * seen -- objects, numbered in the order in which they appear.
 *
 * Each is held, so that its address stays its own.
 */
#ifndef WEIR_JS_SEEN_H
#define WEIR_JS_SEEN_H

#include <quickjs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WEIR__SEEN_FEW = 16 };

struct weir__js_seen {
    JSContext *context;
    JSValue *objects; /* the place is the number */
    size_t count, capacity;
    uint32_t *table; /* number + 1 by address, when there are many */
    size_t table_size;
    JSValue few[WEIR__SEEN_FEW];
};

void weir__js_seen_init(struct weir__js_seen *seen, JSContext *context);
void weir__js_seen_fini(struct weir__js_seen *seen);

/* Its number, or -1. */
int64_t weir__js_seen_find(const struct weir__js_seen *seen,
                           JSValueConst object);

/* The next number.  False, with an exception: no memory. */
bool weir__js_seen_add(struct weir__js_seen *seen, JSValueConst object);

#endif /* WEIR_JS_SEEN_H */
