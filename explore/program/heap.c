/* SPDX-License-Identifier: MIT */
/*
 * heap -- heap.h for a program: shelf.c has its memory, and shadow.c records
 * which thread may access it.
 */
#include "heap.h"

#include "clock.h"
#include "hash.h"
#include "kernel.h"
#include "program.h"
#include "shadow.h"
#include "shelf.h"
#include "site.h"
#include "sync.h"
#include "thread.h"

void heap_reset(void)
{
    shelf_reset();
    shadow_reset();
    sync_reset();
    clock_reset();
    thread_reset();
    site_reset();
    kernel_reset();
}

void *heap_alloc(unsigned arena, size_t size)
{
    (void)arena;
    (void)size;
    return NULL; /* programs allocate between operations */
}

bool heap_free(void *pointer)
{
    (void)pointer;
    return false;
}

void heap_touch(const void *address, unsigned thread, uint16_t step)
{
    (void)address;
    (void)thread;
    (void)step;
}

int heap_find_user(const void *pointer, unsigned self, const uint16_t *clock)
{
    (void)pointer;
    (void)self;
    (void)clock;
    return -1;
}

bool heap_is_freed(const void *address)
{
    (void)address;
    return false; /* checked by the thread itself */
}

/* Threads that are not over may hold any block. */
const void *heap_find_leak(void)
{
    const void *leak;
    char name[300];

    for (unsigned i = 0; i < execution->threads; i++)
        if (execution->actor[i].status != DONE)
            return NULL;
    leak = shelf_find_leak();
    if (leak != NULL) {
        shelf_name(name, sizeof(name), leak);
        execution_fail(MODEL_LEAK, "nothing points to the %s", name);
    }
    return leak;
}

uint64_t heap_hash(uint64_t seed)
{
    return hash_mix(shelf_hash(seed), shadow_hash(seed));
}

uint64_t heap_hash_known(const uint16_t *clock, uint64_t seed)
{
    return shadow_hash_clock(clock, seed);
}
