/* SPDX-License-Identifier: MIT */
/*
 * shared -- reference-counted blocks.
 *
 * A lock in each block protects the count, which changes when a buffer moves to
 * another host or is collected, not when its memory is used.  The thread that
 * takes the count to 0 frees the block, with its lock.  The same lock protects
 * the length of growable memory.  Such memory is allocated at its maximum size
 * and does not move.
 *
 * Each host compares the number of growths with the last one that it has seen.
 * The number has its own lock and is raised after the length was, so a host
 * that sees the new number sees the new length.
 *
 * Tested by  test/js/threads/worker-shared-memory.js,
 *            test/js/threads/worker-growable.js; test/model/base/lock.c
 *            explores the count
 */
#include "messages/shared.h"

#include <stddef.h>
#include <stdlib.h>

#include "core/builtin.h"
#include "core/visible.h"
#include "weir/host/lock.h"

struct block {
    weir_budget *budget; /* const */
    size_t charged;      /* const */
    weir_lock lock;
    size_t refs;   /* any thread, under the lock */
    size_t length; /* the same; for growable memory */
    _Alignas(max_align_t) unsigned char data[];
};

static struct block *block_of(void *data)
{
    return (struct block *)((char *)data - offsetof(struct block, data));
}

static struct block *new_block(struct weir__js_heap *heap, size_t size)
{
    size_t whole = sizeof(struct block) + size;
    struct block *block;

    if (whole < size || !weir__js_heap_charge(heap, whole))
        return NULL;
    block = malloc(whole);
    if (block == NULL) {
        weir_budget_refund(heap->budget, whole);
        return NULL;
    }
    block->budget = heap->budget;
    block->charged = whole;
    block->lock = (weir_lock)WEIR_LOCK_INIT;
    block->refs = 1;
    block->length = 0;
    return block;
}

/* The engine (0.17.0) does not throw if this fails, so throw here. */
static void *allocate(void *opaque, size_t size)
{
    weir_js *js = opaque;
    struct block *block = new_block(&js->heap, size);

    if (block == NULL)
        JS_ThrowOutOfMemory(js->context);
    else if (weir__js_explorer != NULL)
        weir__js_explorer->share(block->data, size);
    return block != NULL ? block->data : NULL;
}

void weir__js_shared_ref(void *data)
{
    struct block *block = block_of(data);

    weir_lock_acquire(&block->lock);
    block->refs++;
    weir_lock_release(&block->lock);
}

static weir_lock growth_lock = WEIR_LOCK_INIT;
static uint64_t growths; /* under its lock */

uint64_t weir__js_shared_growths(void)
{
    uint64_t count;

    weir_lock_acquire(&growth_lock);
    count = growths;
    weir_lock_release(&growth_lock);
    return count;
}

size_t weir__js_shared_grow(void *data, size_t length)
{
    struct block *block = block_of(data);
    bool has_grown;

    weir_lock_acquire(&block->lock);
    has_grown = block->length < length;
    if (has_grown)
        block->length = length;
    length = block->length;
    weir_lock_release(&block->lock);
    if (has_grown) {
        weir_lock_acquire(&growth_lock);
        growths++;
        weir_lock_release(&growth_lock);
    }
    return length;
}

void weir__js_shared_unref(void *data)
{
    struct block *block = block_of(data);
    weir_budget *budget = block->budget;
    size_t charged = block->charged, left;

    weir_lock_acquire(&block->lock);
    left = --block->refs;
    weir_lock_release(&block->lock);
    if (left > 0)
        return;
    free(block);
    weir_budget_refund(budget, charged);
}

static void add_reference(void *opaque, void *data)
{
    weir__js_shared_ref(data);
}

static void drop_reference(void *opaque, void *data)
{
    weir__js_shared_unref(data);
}

/* Make the host allocate its SharedArrayBuffers as such blocks. */
static int watch_shared(weir_js *js)
{
    JSSharedArrayBufferFunctions functions = {
        .sab_alloc = allocate,
        .sab_free = drop_reference,
        .sab_dup = add_reference,
        .sab_opaque = js,
    };

    JS_SetSharedArrayBufferFunctions(js->runtime, &functions);
    return 0;
}

const struct weir__js_builtin weir__js_shared_builtin = {
    .init = watch_shared,
};
