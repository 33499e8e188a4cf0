/* SPDX-License-Identifier: MIT */
/*
 * failing_allocator -- see failing_allocator.h.  The counts are atomic, because
 * any thread may call the hooks.
 */
#include "failing_allocator.h"

#include <stdlib.h>

static void *alloc(void *context, size_t size, size_t align)
{
    struct failing_allocator *memory = context;
    uint64_t call = __atomic_add_fetch(&memory->calls, 1, __ATOMIC_RELAXED);
    void *pointer;

    if (call == __atomic_load_n(&memory->fail_at, __ATOMIC_ACQUIRE))
        return NULL;
    if (align < sizeof(void *))
        align = sizeof(void *);
    if (posix_memalign(&pointer, align, size) != 0)
        return NULL;
    __atomic_fetch_add(&memory->live, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&memory->live_bytes, size, __ATOMIC_RELAXED);
    return pointer;
}

static void release(void *context, void *pointer, size_t size)
{
    struct failing_allocator *memory = context;

    __atomic_fetch_sub(&memory->live, 1, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&memory->live_bytes, size, __ATOMIC_RELAXED);
    free(pointer);
}

void failing_allocator_init(struct failing_allocator *memory, uint64_t fail_at)
{
    *memory = (struct failing_allocator){.hooks = {alloc, release, memory},
                                         .fail_at = fail_at};
}

void failing_allocator_fail_next(struct failing_allocator *memory)
{
    __atomic_store_n(&memory->fail_at,
                     __atomic_load_n(&memory->calls, __ATOMIC_RELAXED) + 1,
                     __ATOMIC_RELEASE);
}
