/* SPDX-License-Identifier: MIT */
/*
 * heap -- arenas of pages; see heap.h.
 */
#include "heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "hash.h"
#include "image.h"
#include "model.h"

#ifndef WEIR_EXPLORE_BLOCKS
#define WEIR_EXPLORE_BLOCKS 64
#endif
enum {
    PAGE = 4096,
    ARENAS = MODEL_THREADS + 1,
    ARENA_PAGES = WEIR_EXPLORE_BLOCKS,
    BLOCKS = WEIR_EXPLORE_BLOCKS,
    FRESH = 0xa5 /* what new memory is filled with */
};

struct block {
    char *start;
    size_t size;
    bool is_freed, is_reached;
    uint16_t touched[ARENAS]; /* each thread's last step in it */
};

static struct heap {
    char *pages;
    unsigned used[ARENAS]; /* pages */
    unsigned blocks;
    struct block block[BLOCKS];
} * heap;

static void protect(const struct block *block, int protection)
{
    if (mprotect(block->start, block->size, protection) != 0) {
        perror("mprotect");
        abort();
    }
}

void heap_reset(void)
{
    if (heap == NULL) {
        heap = calloc(1, sizeof(*heap));
        if (heap == NULL)
            abort();
        heap->pages =
            mmap(NULL, (size_t)ARENAS * ARENA_PAGES * PAGE,
                 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (heap->pages == MAP_FAILED)
            abort();
    }
    for (unsigned i = 0; i < heap->blocks; i++)
        if (heap->block[i].is_freed)
            protect(&heap->block[i], PROT_READ | PROT_WRITE);
    heap->blocks = 0;
    memset(heap->used, 0, sizeof(heap->used));
}

void *heap_alloc(unsigned arena, size_t size)
{
    unsigned pages = (unsigned)((size + PAGE - 1) / PAGE);
    struct block *block = &heap->block[heap->blocks];

    if (heap->blocks == BLOCKS || heap->used[arena] + pages > ARENA_PAGES) {
        fprintf(stderr, "explorer: out of heap; enlarge it in heap.c\n");
        exit(3);
    }
    block->start =
        heap->pages + (size_t)(arena * ARENA_PAGES + heap->used[arena]) * PAGE;
    block->size = size;
    block->is_freed = false;
    memset(block->touched, 0, sizeof(block->touched));
    heap->used[arena] += pages;
    heap->blocks++;
    memset(block->start, FRESH, size);
    return block->start;
}

static struct block *find(const void *address)
{
    for (unsigned i = 0; i < heap->blocks; i++) {
        struct block *block = &heap->block[i];

        if ((const char *)address >= block->start &&
            (const char *)address < block->start + block->size)
            return block;
    }
    return NULL;
}

bool heap_free(void *pointer)
{
    struct block *block = find(pointer);

    if (block == NULL || block->is_freed || block->start != pointer)
        return false;
    block->is_freed = true;
    protect(block, PROT_NONE);
    return true;
}

void heap_touch(const void *address, unsigned thread, uint16_t step)
{
    struct block *block = find(address);

    if (block != NULL)
        block->touched[thread] = step;
}

int heap_find_user(const void *pointer, unsigned self, const uint16_t *clock)
{
    struct block *block = find(pointer);

    for (unsigned i = 0; block != NULL && i < ARENAS; i++)
        if (i != self && block->touched[i] > clock[i])
            return (int)i;
    return -1;
}

bool heap_is_freed(const void *address)
{
    struct block *block = find(address);

    return block != NULL && block->is_freed;
}

static void reach(uintptr_t value)
{
    struct block *block = find((const void *)value);

    if (block == NULL || block->is_freed || block->is_reached)
        return;
    block->is_reached = true;
    for (size_t at = 0; at + sizeof(value) <= block->size;
         at += sizeof(value)) {
        memcpy(&value, block->start + at, sizeof(value));
        reach(value);
    }
}

const void *heap_find_leak(void)
{
    for (unsigned i = 0; i < heap->blocks; i++)
        heap->block[i].is_reached = false;
    if (heap->blocks != 0)
        image_scan(reach);
    for (unsigned i = 0; i < heap->blocks; i++)
        if (!heap->block[i].is_freed && !heap->block[i].is_reached)
            return heap->block[i].start;
    return NULL;
}

uint64_t heap_hash(uint64_t seed)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < heap->blocks; i++) {
        const struct block *block = &heap->block[i];
        uint64_t hash = hash_mix(seed, (uintptr_t)block->start);

        sum += block->is_freed ? hash_mix(hash, 1)
                               : hash_bytes(hash, block->start, block->size);
    }
    return sum;
}

uint64_t heap_hash_known(const uint16_t *clock, uint64_t seed)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < heap->blocks; i++) {
        const struct block *block = &heap->block[i];
        unsigned known = 0;

        for (unsigned thread = 0; thread < ARENAS; thread++)
            if (block->touched[thread] <= clock[thread])
                known |= 1u << thread;
        if (!block->is_freed)
            sum += hash_mix(hash_mix(seed, (uintptr_t)block->start), known);
    }
    return sum;
}
