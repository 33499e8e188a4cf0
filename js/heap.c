/* SPDX-License-Identifier: MIT */
/*
 * heap -- malloc, with an account for each host (docs/decisions/heap.md).
 *
 * The engine has a limit of its own, but throws null when not even an error
 * fits in; here it can be told apart from a null that was thrown.
 *
 * Tested by  test/js/limits.c, test/js/heap.c
 */
#include "heap.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* What the engine takes for a page of small blocks (0.17.0): 4 KiB, but for a
 * rest that is no block.  And what malloc makes of it. */
enum { PAGE_MIN = 4096 - 512, PAGE_MAX = 4096 + 16 };

enum { FIRST_PATIENCE = 256, ROOM = 16 };

enum { LARGE = 1024 };

/* A block that is no module, nor a page of them; the engine's header of a block,
 * with its count, is at the other end of it than our link. */
enum { KEPT_MIN = 64 };

static bool is_page(size_t size)
{
    return size > PAGE_MIN && size < PAGE_MAX;
}

/* What the engine itself takes long for takes a large block: a sort, a text.  A
 * host that was terminated does not get one, so that a loop of those comes soon to
 * where the engine asks whether to go on: once in 10,000 calls.  Small blocks it
 * gets, and their pages: hardly any of the engine's own code goes without. */
static bool deny(struct weir__js_heap *heap, size_t size)
{
    if (size < LARGE || is_page(size) || heap->life == NULL ||
        weir_state_load(heap->life) == 0)
        return false;
    heap->has_denied = true;
    return true;
}

/* A block of this size, which is so much more than it was. */
static bool admit(struct weir__js_heap *heap, size_t size, size_t more)
{
    if (deny(heap, size))
        return false;
    if (heap->limit_bytes == 0 ||
        (more <= heap->limit_bytes &&
         heap->used_bytes <= heap->limit_bytes - more))
        return true;
    heap->has_run_out = true;
    return false;
}

static void *enter(struct weir__js_heap *heap, void *block)
{
    if (block == NULL)
        heap->has_run_out = true;
    else
        heap->used_bytes += malloc_usable_size(block);
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

/* The last bytes of the block are the link. */
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
    heap->used_bytes -= size;
    if (is_page(size))
        heap->dropped++;
    if (heap->is_capturing && heap->captured == NULL) {
        heap->captured = block;
    } else if (heap->is_keeping && size >= KEPT_MIN) {
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

void *weir__js_heap_captured(struct weir__js_heap *heap)
{
    heap->is_capturing = false;
    return heap->captured;
}

void weir__js_heap_give_back(struct weir__js_heap *heap, void *block)
{
    give_back(heap, block);
}

void weir__js_heap_adopt(struct weir__js_heap *heap, void *block)
{
    heap->used_bytes += malloc_usable_size(block);
}

/* A block that shrinks can stay where it is: the engine relies on it. */
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
    heap->used_bytes -= old;
    return enter(heap, moved);
}

void *weir__js_heap_resize(struct weir__js_heap *heap, void *block, size_t size)
{
    return reallocate(heap, block, size);
}

static size_t usable_size(const void *block)
{
    return malloc_usable_size((void *)block);
}

/* As the engine's table (0.17.0): a header, then steps of 8, 16 and 32. */
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
        if (heap->anchors[i] == NULL) /* it has not been settled before */
            heap->anchors[i] = js_malloc_rt(runtime, anchor_size(i));
}

/* A block with some room before it, in the page that this may have taken. */
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

/* Where pages come and go for good reason, it tries ever more seldom. */
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
