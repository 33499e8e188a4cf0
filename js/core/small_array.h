/* SPDX-License-Identifier: MIT */
/*
 * small_array -- a growable array that starts in a small buffer of its owner, usually
 * on the stack, and moves to the heap when it outgrows that.
 */
#ifndef WEIR_JS_SMALL_ARRAY_H
#define WEIR_JS_SMALL_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Make room for `needed` entries of that size.  `list` is the address of the
 * array's pointer, `small` the small buffer it started in.  Returns false if
 * there is no memory, and leaves the array unchanged. */
static inline bool weir__js_small_array_grow(void *list, const void *small,
                                             size_t *capacity, size_t needed,
                                             size_t size)
{
    size_t wanted = needed > 2 * *capacity ? needed : 2 * *capacity;
    void *old = *(void **)list, *fresh;

    if (needed <= *capacity)
        return true;
    fresh = old == small ? malloc(wanted * size) : realloc(old, wanted * size);
    if (fresh == NULL)
        return false;
    if (old == small)
        memcpy(fresh, old, *capacity * size);
    *(void **)list = fresh;
    *capacity = wanted;
    return true;
}

static inline void weir__js_small_array_fini(void *list, const void *small)
{
    if (list != small)
        free(list);
}

#endif /* WEIR_JS_SMALL_ARRAY_H */
