/* SPDX-License-Identifier: MIT */
/*
 * seen -- a list, with a hash table of addresses once it is long.
 *
 * Tested by  test/js/messages/clone-*.js
 */
#include "core/seen.h"

#include "core/few.h"

void weir__js_seen_init(struct weir__js_seen *seen, JSContext *context)
{
    seen->context = context;
    seen->objects = seen->few;
    seen->capacity = WEIR__SEEN_FEW;
    seen->count = seen->table_size = 0;
    seen->table = NULL;
}

void weir__js_seen_fini(struct weir__js_seen *seen)
{
    for (size_t i = 0; i < seen->count; i++)
        JS_FreeValue(seen->context, seen->objects[i]);
    weir__js_drop_few(seen->objects, seen->few);
    free(seen->table);
}

static size_t slot_of(const struct weir__js_seen *seen, const void *address)
{
    uint64_t mixed =
        (uint64_t)(uintptr_t)address * UINT64_C(0x9E3779B97F4A7C15);

    return (size_t)(mixed >> 32) & (seen->table_size - 1);
}

static void enter(struct weir__js_seen *seen, size_t number)
{
    size_t slot = slot_of(seen, JS_VALUE_GET_PTR(seen->objects[number]));

    while (seen->table[slot] != 0)
        slot = (slot + 1) & (seen->table_size - 1);
    seen->table[slot] = (uint32_t)number + 1;
}

static bool grow_table(struct weir__js_seen *seen)
{
    size_t size = seen->table_size != 0 ? seen->table_size * 4 : 256;
    uint32_t *table = calloc(size, sizeof(*table));

    if (table == NULL)
        return false;
    free(seen->table);
    seen->table = table;
    seen->table_size = size;
    for (size_t i = 0; i < seen->count; i++)
        enter(seen, i);
    return true;
}

static bool add(struct weir__js_seen *seen, JSValueConst object)
{
    size_t number = seen->count;

    if (!weir__js_grow(&seen->objects, seen->few, &seen->capacity, number + 1,
                       sizeof(*seen->objects)))
        return false;
    seen->objects[number] = JS_DupValue(seen->context, object);
    seen->count++;
    if (number < WEIR__SEEN_FEW)
        return true;
    if (seen->table == NULL || number * 2 > seen->table_size)
        return grow_table(seen);
    enter(seen, number);
    return true;
}

bool weir__js_seen_add(struct weir__js_seen *seen, JSValueConst object)
{
    if (add(seen, object))
        return true;
    JS_ThrowOutOfMemory(seen->context);
    return false;
}

int64_t weir__js_seen_find(const struct weir__js_seen *seen,
                           JSValueConst object)
{
    const void *address = JS_VALUE_GET_PTR(object);

    if (seen->table == NULL) {
        for (size_t i = 0; i < seen->count; i++)
            if (JS_VALUE_GET_PTR(seen->objects[i]) == address)
                return (int64_t)i;
        return -1;
    }
    for (size_t slot = slot_of(seen, address); seen->table[slot] != 0;
         slot = (slot + 1) & (seen->table_size - 1))
        if (JS_VALUE_GET_PTR(seen->objects[seen->table[slot] - 1]) == address)
            return seen->table[slot] - 1;
    return -1;
}
