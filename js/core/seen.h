/* SPDX-License-Identifier: MIT */
/*
 * seen -- objects, numbered in order of appearance.
 *
 * Each object is held, so that no other object can get its address.
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
    JSValue *objects; /* index = number */
    size_t count, capacity;
    uint32_t *table; /* number + 1 by address, once there are many */
    size_t table_size;
    JSValue few[WEIR__SEEN_FEW];
};

void weir__js_seen_init(struct weir__js_seen *seen, JSContext *context);
void weir__js_seen_fini(struct weir__js_seen *seen);

/* The object's number, or -1. */
int64_t weir__js_seen_find(const struct weir__js_seen *seen,
                           JSValueConst object);

/* Add an object under the next number.  Returns false with an exception if
 * there is no memory. */
bool weir__js_seen_add(struct weir__js_seen *seen, JSValueConst object);

#endif /* WEIR_JS_SEEN_H */
