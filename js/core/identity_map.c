/* SPDX-License-Identifier: MIT */
/*
 * identity_map -- a list, with a hash table of addresses once it is long.
 *
 * Tested by  test/js/messages/clone-*.js
 */
#include "core/identity_map.h"

#include "core/small_array.h"

void weir__js_identity_map_init(struct weir__js_identity_map *map,
                                JSContext *context)
{
    map->context = context;
    map->objects = map->small;
    map->capacity = WEIR__IDENTITY_MAP_SMALL;
    map->count = map->table_size = 0;
    map->table = NULL;
}

void weir__js_identity_map_fini(struct weir__js_identity_map *map)
{
    for (size_t i = 0; i < map->count; i++)
        JS_FreeValue(map->context, map->objects[i]);
    weir__js_small_array_fini(map->objects, map->small);
    free(map->table);
}

static size_t slot_of(const struct weir__js_identity_map *map,
                      const void *address)
{
    uint64_t mixed =
        (uint64_t)(uintptr_t)address * UINT64_C(0x9E3779B97F4A7C15);

    return (size_t)(mixed >> 32) & (map->table_size - 1);
}

static void enter(struct weir__js_identity_map *map, size_t number)
{
    size_t slot = slot_of(map, JS_VALUE_GET_PTR(map->objects[number]));

    while (map->table[slot] != 0)
        slot = (slot + 1) & (map->table_size - 1);
    map->table[slot] = (uint32_t)number + 1;
}

static bool grow_table(struct weir__js_identity_map *map)
{
    size_t size = map->table_size != 0 ? map->table_size * 4 : 256;
    uint32_t *table = calloc(size, sizeof(*table));

    if (table == NULL)
        return false;
    free(map->table);
    map->table = table;
    map->table_size = size;
    for (size_t i = 0; i < map->count; i++)
        enter(map, i);
    return true;
}

static bool add(struct weir__js_identity_map *map, JSValueConst object)
{
    size_t number = map->count;

    if (!weir__js_small_array_grow(&map->objects, map->small, &map->capacity,
                                   number + 1, sizeof(*map->objects)))
        return false;
    map->objects[number] = JS_DupValue(map->context, object);
    map->count++;
    if (number < WEIR__IDENTITY_MAP_SMALL)
        return true;
    if (map->table == NULL || number * 2 > map->table_size)
        return grow_table(map);
    enter(map, number);
    return true;
}

bool weir__js_identity_map_add(struct weir__js_identity_map *map,
                               JSValueConst object)
{
    if (add(map, object))
        return true;
    JS_ThrowOutOfMemory(map->context);
    return false;
}

int64_t weir__js_identity_map_find(const struct weir__js_identity_map *map,
                                   JSValueConst object)
{
    const void *address = JS_VALUE_GET_PTR(object);

    if (map->table == NULL) {
        for (size_t i = 0; i < map->count; i++)
            if (JS_VALUE_GET_PTR(map->objects[i]) == address)
                return (int64_t)i;
        return -1;
    }
    for (size_t slot = slot_of(map, address); map->table[slot] != 0;
         slot = (slot + 1) & (map->table_size - 1))
        if (JS_VALUE_GET_PTR(map->objects[map->table[slot] - 1]) == address)
            return map->table[slot] - 1;
    return -1;
}
