/* SPDX-License-Identifier: MIT */
/*
 * memory -- the allocator hooks, and a count of live allocations.
 *
 * Shape     One struct of hooks and one counter.
 * Roles     alloc, free          any thread
 *           weir_set_allocator   one thread, while no other is inside weir.
 *                                The hooks are plain, so ThreadSanitizer
 *                                reports a caller that breaks this rule.
 *
 * Shared state
 *   hooks   plain; written only while `live` is 0 and no thread is inside weir
 *   live    any thread, relaxed: a count
 *
 * Not paired, on purpose
 *   live: it answers whether any allocation is still live.  The caller of
 *   weir_set_allocator guarantees that no other call runs concurrently.
 *   Whatever ensures that (a join, a closed gate) has also ordered the earlier
 *   counts.
 *
 * Tested by  test/unit/base/memory.c
 */
#include "base/memory.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/atomic.h"
#include "weir/host/memory.h"

static void *system_alloc(void *context, size_t size, size_t align)
{
    void *pointer;

    /* malloc keeps the last blocks of each size at hand; the other does not. */
    if (align <= _Alignof(max_align_t))
        return malloc(size);
    return posix_memalign(&pointer, align, size) == 0 ? pointer : NULL;
}

static void system_free(void *context, void *pointer, size_t size)
{
    free(pointer);
}

static const weir_allocator system_hooks = {system_alloc, system_free, NULL};
static weir_allocator hooks = {system_alloc, system_free, NULL};
static atomic(uint64_t) live;

int weir_set_allocator(const weir_allocator *allocator)
{
    if (allocator == NULL)
        allocator = &system_hooks;
    if (allocator->alloc == NULL || allocator->free == NULL)
        return -EINVAL;
    /* relaxed: count */
    if (load_relaxed(&live) != 0)
        return -EBUSY;
    hooks = *allocator;
    return 0;
}

void *weir__memory_alloc(size_t size, size_t align)
{
    void *pointer = hooks.alloc(hooks.context, size, align);

    if (pointer != NULL)
        fetch_add_relaxed(&live, 1); /* relaxed: count */
    return pointer;
}

void weir__memory_free(void *pointer, size_t size)
{
    if (pointer == NULL)
        return;
    hooks.free(hooks.context, pointer, size);
    fetch_sub_relaxed(&live, 1); /* relaxed: count */
}

void *weir_memory_alloc(size_t size)
{
    return weir__memory_alloc(size, _Alignof(max_align_t));
}

void weir_memory_free(void *pointer, size_t size)
{
    weir__memory_free(pointer, size);
}
