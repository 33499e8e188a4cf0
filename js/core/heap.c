/* SPDX-License-Identifier: MIT */
/*
 * heap -- malloc, with an account for each host (docs/decisions/heap.md).
 *
 * The engine has its own limit, but throws null if not even an error object
 * fits.  With an account here, that null can be told apart from one that the
 * program threw.
 *
 * A host shares its budget with its workers, on other threads.  The heap
 * therefore charges memory in batches and keeps what it has not used as a
 * credit; near the limit it charges exact sizes.  Without a limit the credit is
 * infinite.  malloc may return more than was requested, and an adopted block
 * exists whether it was charged or not.  So the credit may become negative, and
 * no other block is admitted until the debt has been charged.
 *
 * Tested by  test/js/core/limits.c, test/js/core/heap.c,
 *            test/js/core/budget.c
 */
#include "core/heap.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "weir/host/live.h"

/* The sizes that the engine (0.17.0) requests for a page of small blocks: 4 KiB
 * minus a rest that is smaller than a block.  The maximum allows for what
 * malloc adds. */
enum { PAGE_MIN = 4096 - 512, PAGE_MAX = 4096 + 16 };

enum { FIRST_PATIENCE = 256, ROOM = 16 };

enum { LARGE = 1024 };

/* Blocks smaller than this are neither a module nor a page of them.  Our link
 * is at the end of the block, away from the engine's header with its count. */
enum { KEPT_MIN = 64 };

static bool is_page(size_t size)
{
    return size > PAGE_MIN && size < PAGE_MAX;
}

/* Operations that keep the engine itself busy, such as a sort or a long string,
 * need a large block.  A terminated host does not get one, so a loop of such
 * operations soon reaches the point where the engine checks for interrupts,
 * once in 10,000 calls.  Small blocks, and pages of them, are still granted,
 * because hardly any of the engine's own code can do without them. */
static bool deny(struct weir__js_heap *heap, size_t size)
{
    if (size < LARGE || is_page(size) || heap->life == NULL ||
        weir_state_load(heap->life) == 0)
        return false;
    heap->has_denied = true;
    return true;
}

/* ---- the account ---- */

enum { BATCH = 16 * 1024, ENGINE_SIZE = 256 * 1024 };

#define ENDLESS (PTRDIFF_MAX / 2)

static bool charge(struct weir__js_heap *heap, size_t size)
{
    if (heap->limit_bytes != 0 &&
        (size > heap->limit_bytes ||
         heap->charged_bytes > heap->limit_bytes - size))
        return false;
    if (weir_budget_charge(heap->budget, size, heap->spare_bytes) != 0)
        return false;
    heap->charged_bytes += size;
    heap->credit += (ptrdiff_t)size;
    return true;
}

static void refund(struct weir__js_heap *heap, ptrdiff_t size)
{
    heap->charged_bytes -= (size_t)size;
    heap->credit -= size;
    weir_budget_refund(heap->budget, (size_t)size);
}

/* Raise the credit; return whether it is now sufficient. */
static bool draw(struct weir__js_heap *heap, size_t size)
{
    size_t lack;

    if (size > ENDLESS)
        return false;
    if ((ptrdiff_t)size <= heap->credit)
        return true;
    lack = (size_t)((ptrdiff_t)size - heap->credit);
    return charge(heap, lack + BATCH) || charge(heap, lack);
}

/* A new engine needs a little more than ENGINE_SIZE.  It is charged in advance:
 * of many hosts created at once those that fit succeed, instead of none. */
int weir__js_heap_open(struct weir__js_heap *heap, weir_budget *budget,
                       size_t spare_bytes, size_t limit_bytes)
{
    bool is_limited = budget != NULL || limit_bytes != 0;

    weir_budget_ref(budget);
    heap->budget = budget;
    heap->spare_bytes = spare_bytes;
    heap->limit_bytes = limit_bytes;
    heap->charged_bytes = 0;
    heap->credit = heap->gift = is_limited ? 0 : ENDLESS;
    heap->most_credit = is_limited ? 2 * BATCH : PTRDIFF_MAX;
    return draw(heap, ENGINE_SIZE) ? 0 : -ENOMEM;
}

void weir__js_heap_close(struct weir__js_heap *heap)
{
    if (heap->budget != NULL && heap->credit > 0)
        refund(heap, heap->credit);
    weir_budget_unref(heap->budget);
    heap->budget = NULL;
}

void weir__js_heap_show(struct weir__js_heap *heap, weir_loop *loop)
{
    size_t used = weir__js_heap_used(heap);

    if (used - heap->shown_bytes + BATCH <= 2 * BATCH)
        return;
    heap->shown_bytes = used;
    weir_live_set_memory(loop, used);
}

bool weir__js_heap_charge(struct weir__js_heap *heap, size_t size)
{
    if (weir_budget_charge(heap->budget, size, heap->spare_bytes) == 0)
        return true;
    heap->has_run_out = true;
    return false;
}

/* ---- blocks ---- */

/* Admit a block of this size, which grows by this much. */
static bool admit(struct weir__js_heap *heap, size_t size, size_t more)
{
    if (deny(heap, size))
        return false;
    if ((more <= ENDLESS && (ptrdiff_t)more <= heap->credit) ||
        draw(heap, more))
        return true;
    heap->has_run_out = true;
    return false;
}

static void *enter(struct weir__js_heap *heap, void *block)
{
    if (block == NULL)
        heap->has_run_out = true;
    else
        heap->credit -= (ptrdiff_t)malloc_usable_size(block);
    return block;
}

static void *allocate(void *opaque, size_t size)
{
    return admit(opaque, size, size) ? enter(opaque, malloc(size)) : NULL;
}

static void *allocate_cleared(void *opaque, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    return admit(opaque, count * size, count * size)
               ? enter(opaque, calloc(count, size))
               : NULL;
}

/* The link is in the last bytes of the block. */
static char *link_of(void *block)
{
    return (char *)block + malloc_usable_size(block) - sizeof(void *);
}

void weir__js_heap_keep(struct weir__js_heap *heap)
{
    heap->is_keeping = true;
}

void weir__js_heap_let_go(struct weir__js_heap *heap)
{
    void *block;

    heap->is_keeping = false;
    while ((block = heap->kept) != NULL) {
        memcpy(&heap->kept, link_of(block), sizeof(void *));
        free(block);
    }
}

static void give_back(void *opaque, void *block)
{
    struct weir__js_heap *heap = opaque;
    size_t size;

    if (block == NULL)
        return;
    size = malloc_usable_size(block);
    if (is_page(size))
        heap->dropped++;
    if (heap->is_capturing && heap->captured == NULL) {
        heap->captured = block;
        return;
    }
    heap->credit += (ptrdiff_t)size;
    if (heap->credit > heap->most_credit)
        refund(heap, heap->credit - BATCH);
    if (heap->is_keeping && size >= KEPT_MIN) {
        memcpy(link_of(block), &heap->kept, sizeof(void *));
        heap->kept = block;
    } else {
        free(block);
    }
}

void weir__js_heap_capture(struct weir__js_heap *heap)
{
    heap->is_capturing = true;
    heap->captured = NULL;
}

void *weir__js_heap_captured(struct weir__js_heap *heap, size_t *charged)
{
    size_t used =
        heap->captured != NULL ? malloc_usable_size(heap->captured) : 0;

    heap->is_capturing = false;
    *charged = used < heap->charged_bytes ? used : heap->charged_bytes;
    heap->charged_bytes -= *charged;
    heap->credit += (ptrdiff_t)(used - *charged);
    return heap->captured;
}

void weir__js_heap_give_back(struct weir__js_heap *heap, void *block)
{
    give_back(heap, block);
}

void weir__js_heap_adopt(struct weir__js_heap *heap, void *block,
                         size_t charged)
{
    heap->charged_bytes += charged;
    heap->credit += (ptrdiff_t)charged - (ptrdiff_t)malloc_usable_size(block);
}

/* Never fail a shrinking realloc: the block can stay where it is, and the
 * engine relies on that. */
static void *reallocate(void *opaque, void *block, size_t size)
{
    struct weir__js_heap *heap = opaque;
    size_t old = block != NULL ? malloc_usable_size(block) : 0;
    void *moved;

    if (size > old && !admit(heap, size, size - old))
        return NULL;
    moved = realloc(block, size);
    if (moved == NULL && size != 0 && size <= old)
        return block;
    if (moved == NULL) {
        heap->has_run_out = true;
        return NULL;
    }
    heap->credit += (ptrdiff_t)old;
    enter(heap, moved);
    if (heap->credit > heap->most_credit)
        refund(heap, heap->credit - BATCH);
    return moved;
}

void *weir__js_heap_resize(struct weir__js_heap *heap, void *block, size_t size)
{
    return reallocate(heap, block, size);
}

static size_t usable_size(const void *block)
{
    return malloc_usable_size((void *)block);
}

/* As in the engine's table (0.17.0): a header, then steps of 8, 16 and 32. */
static size_t anchor_size(int i)
{
    size_t whole = i < 15   ? 16 + 8 * (size_t)i
                   : i < 23 ? 128 + 16 * (size_t)(i - 14)
                            : 256 + 32 * (size_t)(i - 22);

    return whole - 8;
}

void weir__js_heap_anchor(struct weir__js_heap *heap, JSRuntime *runtime)
{
    for (int i = 0; i < WEIR__HEAP_ANCHORS; i++)
        if (heap->anchors[i] == NULL) /* it was never settled */
            heap->anchors[i] = js_malloc_rt(runtime, anchor_size(i));
}

/* Allocate a block, preceded by some free space, in the page that this may have
 * created. */
static void *new_anchor(JSRuntime *runtime, size_t size)
{
    void *blocks[ROOM];
    int count = 0;

    while (count < ROOM &&
           (blocks[count] = js_malloc_rt(runtime, size)) != NULL)
        count++;
    for (int i = 0; i + 1 < count; i++)
        js_free_rt(runtime, blocks[i]);
    return count > 0 ? blocks[count - 1] : NULL;
}

/* Back off where pages come and go for good reason: try less and less often. */
void weir__js_heap_settle(struct weir__js_heap *heap, JSRuntime *runtime)
{
    bool has_run_out = heap->has_run_out;

    if (heap->dropped < heap->patience)
        return;
    for (int i = 0; i < WEIR__HEAP_ANCHORS; i++) {
        void *old = heap->anchors[i];

        heap->anchors[i] = new_anchor(runtime, anchor_size(i));
        js_free_rt(runtime, old);
    }
    heap->has_run_out = has_run_out;
    heap->patience *= 2;
    heap->dropped = 0;
}

void weir__js_heap_weigh_anchor(struct weir__js_heap *heap, JSRuntime *runtime)
{
    for (int i = 0; i < WEIR__HEAP_ANCHORS; i++)
        js_free_rt(runtime, heap->anchors[i]);
}

JSRuntime *weir__js_heap_new_runtime(struct weir__js_heap *heap)
{
    static const JSMallocFunctions functions = {
        .js_calloc = allocate_cleared,
        .js_malloc = allocate,
        .js_free = give_back,
        .js_realloc = reallocate,
        .js_malloc_usable_size = usable_size,
    };

    heap->patience = FIRST_PATIENCE;
    return JS_NewRuntime2(&functions, heap);
}
