/* SPDX-License-Identifier: MIT */
/*
 * identity_map -- objects, numbered in order of appearance.
 *
 * Each object is held, so that no other object can get its address.
 */
#ifndef WEIR_JS_IDENTITY_MAP_H
#define WEIR_JS_IDENTITY_MAP_H

#include <quickjs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WEIR__IDENTITY_MAP_SMALL = 16 };

struct weir__js_identity_map {
    JSContext *context;
    JSValue *objects; /* index = number */
    size_t count, capacity;
    uint32_t *table; /* number + 1 by address, once there are many */
    size_t table_size;
    JSValue small[WEIR__IDENTITY_MAP_SMALL];
};

void weir__js_identity_map_init(struct weir__js_identity_map *map,
                                JSContext *context);
void weir__js_identity_map_fini(struct weir__js_identity_map *map);

/* The object's number, or -1. */
int64_t weir__js_identity_map_find(const struct weir__js_identity_map *map,
                                   JSValueConst object);

/* Add an object under the next number.  Returns false with an exception if
 * there is no memory. */
bool weir__js_identity_map_add(struct weir__js_identity_map *map,
                               JSValueConst object);

#endif /* WEIR_JS_IDENTITY_MAP_H */
