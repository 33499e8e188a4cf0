/* SPDX-License-Identifier: MIT */
/*
 * shelf -- arenas that only grow; see shelf.h.
 */
#include "shelf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "hash.h"
#include "image.h"
#include "modules.h"
#include "program.h"
#include "shadow.h"
#include "site.h"

enum {
    ARENA_BYTES = 64 << 20,
    BLOCKS = 1 << 16, /* of each arena */
    GAP = 16,         /* bytes between blocks, which nobody may touch */
    FRESH = 0xa5      /* what new memory is filled with */
};

struct block {
    char *start;
    size_t size;
    bool is_freed, is_reached;
    site_id allocated, freed;
};

static struct arena {
    char *bytes;
    size_t used;
    unsigned blocks;
    struct block *block; /* by address */
} * arenas;              /* ACTORS of them, side by side */

static char *all_bytes;

/* The arena of SETUP, as it was when the exploration began. */
static struct arena before;

static void map_arenas(void)
{
    all_bytes = mmap(NULL, (size_t)ACTORS * ARENA_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    arenas = calloc(ACTORS, sizeof(*arenas));
    if (all_bytes == MAP_FAILED || arenas == NULL)
        abort();
    for (unsigned i = 0; i < ACTORS; i++) {
        arenas[i].bytes = all_bytes + (size_t)i * ARENA_BYTES;
        arenas[i].block =
            mmap(NULL, BLOCKS * sizeof(struct block), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (arenas[i].block == MAP_FAILED)
            abort();
    }
}

void shelf_open(void)
{
    if (arenas == NULL)
        map_arenas();
    site_name_heap(shelf_name);
}

void shelf_take(void)
{
    const struct arena *arena = &arenas[SETUP];

    free(before.bytes);
    free(before.block);
    before = *arena;
    before.bytes = malloc(arena->used + 1);
    before.block = malloc((arena->blocks + 1) * sizeof(struct block));
    if (before.bytes == NULL || before.block == NULL)
        abort();
    memcpy(before.bytes, arena->bytes, arena->used);
    memcpy(before.block, arena->block, arena->blocks * sizeof(struct block));
}

void shelf_reset(void)
{
    struct arena *arena = &arenas[SETUP];

    for (unsigned i = 0; i < SETUP; i++) {
        arenas[i].used = 0;
        arenas[i].blocks = 0;
    }
    if (before.bytes == NULL)
        return;
    arena->used = before.used;
    arena->blocks = before.blocks;
    memcpy(arena->bytes, before.bytes, before.used);
    memcpy(arena->block, before.block, before.blocks * sizeof(struct block));
}

bool shelf_has(const void *address)
{
    return arenas != NULL && (size_t)((const char *)address - all_bytes) <
                                 (size_t)ACTORS * ARENA_BYTES;
}

/* The block that the address is in, freed or not; NULL if there is none. */
static struct block *find(const void *address)
{
    size_t offset = (size_t)((const char *)address - all_bytes);
    const struct arena *arena = &arenas[offset / ARENA_BYTES];
    unsigned low = 0, high = arena->blocks;

    while (low < high) {
        unsigned middle = (low + high) / 2;

        if (arena->block[middle].start > (const char *)address)
            high = middle;
        else
            low = middle + 1;
    }
    if (low == 0 || (const char *)address >= arena->block[low - 1].start +
                                                 arena->block[low - 1].size)
        return NULL;
    return &arena->block[low - 1];
}

void *shelf_alloc(size_t size, size_t align, bool is_zero, uintptr_t pc)
{
    struct arena *arena =
        &arenas[is_exploring() ? program_self() : (unsigned)SETUP];
    struct block *block = &arena->block[arena->blocks];
    size_t start;

    align = align < GAP ? GAP : align;
    start = (arena->used + align - 1) / align * align;
    size = size == 0 ? 1 : size;
    if (size > ARENA_BYTES - start - GAP || start > ARENA_BYTES - 2 * GAP ||
        arena->blocks == BLOCKS)
        return NULL;
    arena->used = start + (size + GAP - 1) / GAP * GAP + GAP;
    arena->blocks++;
    *block = (struct block){
        .start = arena->bytes + start, .size = size, .allocated = site_of(pc)};
    memset(block->start, is_zero ? 0 : FRESH, size);
    return block->start;
}

static void describe(char *text, size_t size, site_id site)
{
    site_print(text, size, site_get(site));
}

static _Noreturn void fail(enum model_finding finding, const char *what,
                           uintptr_t pc, const struct block *block)
{
    struct actor *self = program_pause();
    char here[200], there[200] = "?";

    describe(here, sizeof(here), site_of(pc));
    if (block != NULL)
        describe(there, sizeof(there), block->freed);
    program_go_on(self);
    if (block == NULL) {
        execution_fail(finding, "%s %s at %s", execution->self->name, what,
                       here);
    } else {
        execution_fail(finding, "%s %s at %s; freed at %s",
                       execution->self->name, what, here, there);
    }
    abort(); /* not reached */
}

void shelf_free(void *pointer, uintptr_t pc)
{
    struct block *block = find(pointer);

    if (!is_exploring()) {
        if (block != NULL)
            block->is_freed = true;
        return;
    }
    if (block == NULL || block->start != pointer)
        fail(MODEL_USE_AFTER_FREE, "frees what was not allocated", pc, NULL);
    if (block->is_freed)
        fail(MODEL_USE_AFTER_FREE, "frees a block for the second time", pc,
             block);
    /* Libraries without instrumentation count references with operations that
     * are not seen, such as libstdc++ those of an exception. */
    if (modules_has(pc))
        shadow_free(pointer, block->size, pc);
    block->is_freed = true;
    block->freed = site_of(pc);
}

void *shelf_resize(void *pointer, size_t size, uintptr_t pc)
{
    size_t old = shelf_size(pointer);
    void *other = shelf_alloc(size, 0, false, pc);

    if (other == NULL)
        return NULL;
    if (is_exploring())
        shadow_plain(pointer, old, false, pc);
    memcpy(other, pointer, old < size ? old : size);
    shelf_free(pointer, pc);
    return other;
}

size_t shelf_size(const void *pointer)
{
    const struct block *block = find(pointer);

    return block != NULL ? block->size : 0;
}

void shelf_check(const void *address, size_t size, uintptr_t pc)
{
    const struct block *block = find(address);

    if (block != NULL && block->is_freed)
        fail(MODEL_USE_AFTER_FREE, "uses freed memory", pc, block);
    if (block == NULL ||
        size > (size_t)(block->start + block->size - (const char *)address))
        fail(MODEL_CRASH, "uses memory outside of every heap block", pc, NULL);
}

/* The number of a block among those that the same line has allocated, from 1;
 * 0: it is the only one. */
static unsigned find_number(const struct block *block, const char *line)
{
    unsigned number = 0, count = 0;
    char other[200];

    for (unsigned a = 0; a < ACTORS; a++)
        for (unsigned i = 0; i < arenas[a].blocks; i++) {
            describe(other, sizeof(other), arenas[a].block[i].allocated);
            count += strcmp(other, line) == 0;
            if (&arenas[a].block[i] == block)
                number = count;
        }
    return count > 1 ? number : 0;
}

bool shelf_name(char *text, size_t size, const void *address)
{
    const struct block *block = shelf_has(address) ? find(address) : NULL;
    char line[200], number[20] = "";
    unsigned n;

    if (block == NULL)
        return false;
    describe(line, sizeof(line), block->allocated);
    n = find_number(block, line);
    if (n != 0)
        snprintf(number, sizeof(number), " %u", n);
    snprintf(text, size, "block%s of %s+%zu", number, line,
             (size_t)((const char *)address - block->start));
    return true;
}

uint64_t shelf_hash(uint64_t seed)
{
    uint64_t sum = 0;

    for (unsigned a = 0; a < ACTORS; a++) {
        for (unsigned i = 0; i < arenas[a].blocks; i++) {
            const struct block *block = &arenas[a].block[i];
            uint64_t hash = hash_mix(seed, (uintptr_t)block->start);

            sum += block->is_freed
                       ? hash_mix(hash, 1)
                       : hash_bytes(hash, block->start, block->size);
        }
    }
    return sum;
}

static void reach(uintptr_t value)
{
    struct block *block =
        shelf_has((const void *)value) ? find((const void *)value) : NULL;

    if (block == NULL || block->is_freed || block->is_reached)
        return;
    block->is_reached = true;
    for (size_t at = 0; at + sizeof(value) <= block->size;
         at += sizeof(value)) {
        memcpy(&value, block->start + at, sizeof(value));
        reach(value);
    }
}

const void *shelf_find_leak(void)
{
    const struct block *leak = NULL;
    unsigned blocks = 0;

    for (unsigned a = 0; a < execution->threads; a++) {
        blocks += arenas[a].blocks;
        for (unsigned i = 0; i < arenas[a].blocks; i++)
            arenas[a].block[i].is_reached = false;
    }
    if (blocks != 0)
        image_scan(reach);
    for (unsigned a = 0; a < execution->threads; a++)
        for (unsigned i = 0; i < arenas[a].blocks; i++)
            if (!arenas[a].block[i].is_freed && !arenas[a].block[i].is_reached)
                leak = &arenas[a].block[i];
    return leak != NULL ? leak->start : NULL;
}
