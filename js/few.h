/* SPDX-License-Identifier: MIT */
/*
 * few -- a list that begins where its owner is, mostly on the stack, and moves
 * to memory of its own when it grows.
 */
#ifndef WEIR_JS_FEW_H
#define WEIR_JS_FEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Room for `needed` entries of that size.  `list` is the address of the list's
 * pointer, `few` where it began.  False: no memory, and it is as it was. */
static inline bool weir__js_grow(void *list, const void *few, size_t *capacity,
                                 size_t needed, size_t size)
{
    size_t wanted = needed > 2 * *capacity ? needed : 2 * *capacity;
    void *old = *(void **)list, *fresh;

    if (needed <= *capacity)
        return true;
    fresh = old == few ? malloc(wanted * size) : realloc(old, wanted * size);
    if (fresh == NULL)
        return false;
    if (old == few)
        memcpy(fresh, old, *capacity * size);
    *(void **)list = fresh;
    *capacity = wanted;
    return true;
}

static inline void weir__js_drop_few(void *list, const void *few)
{
    if (list != few)
        free(list);
}

#endif /* WEIR_JS_FEW_H */
