/* SPDX-License-Identifier: MIT */
/*
 * weir/memory.h -- where weir's memory comes from.
 *
 * Most of weir's state lives in the caller's own structs.  What weir must
 * allocate itself comes from malloc, or from the hooks set here.
 *
 *     static const weir_allocator mine = {my_alloc, my_free, &my_heap};
 *     if (weir_set_allocator(&mine) != 0) ...     before anything else
 */
#ifndef WEIR_MEMORY_H
#define WEIR_MEMORY_H

#include <stddef.h>

#include "weir/error.h"
#include "weir/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Both hooks are called from any thread, concurrently, and sometimes while weir
 * holds a lock: they must not call weir.  alloc returns `size` uninitialized
 * bytes at a multiple of `align` (a power of two), or NULL.  free takes back
 * what alloc returned, with the size that was requested. */
typedef struct weir_allocator {
    void *(*alloc)(void *context, size_t size, size_t align);
    void (*free)(void *context, void *pointer, size_t size);
    void *context;
} weir_allocator;

/**
 * Set the hooks that allocate weir's memory.  Passing NULL restores malloc.
 *
 * Thread   any, but not while another thread is inside weir
 * Owns     copies the struct; `context` stays the caller's and must outlive
 *          the last allocation
 * Returns  0, -EINVAL (a hook is NULL), -EBUSY (memory from the old hooks is
 *          still in use)
 */
WEIR_API WEIR_CHECKED int weir_set_allocator(const weir_allocator *allocator);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_MEMORY_H */
