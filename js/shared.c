/* SPDX-License-Identifier: MIT */
/*
 * shared -- counted blocks.
 *
 * The count is behind a lock: it changes when a buffer goes to another host or
 * is collected, not when its memory is used.
 *
 * Tested by  test/js/worker-shared-memory.js
 */
#include "shared.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct block {
    weir_budget *budget; /* const */
    size_t charged;      /* const */
    pthread_mutex_t lock;
    size_t refs; /* any thread, under the lock */
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
    pthread_mutex_init(&block->lock, NULL);
    block->refs = 1;
    return block;
}

/* The engine (0.17.0) does not throw where this fails. */
static void *allocate(void *opaque, size_t size)
{
    weir_js *js = opaque;
    struct block *block = new_block(&js->heap, size);

    if (block == NULL)
        JS_ThrowOutOfMemory(js->context);
    return block != NULL ? block->data : NULL;
}

void weir__js_shared_ref(void *data)
{
    struct block *block = block_of(data);

    pthread_mutex_lock(&block->lock);
    block->refs++;
    pthread_mutex_unlock(&block->lock);
}

void weir__js_shared_unref(void *data)
{
    struct block *block = block_of(data);
    weir_budget *budget = block->budget;
    size_t charged = block->charged, left;

    pthread_mutex_lock(&block->lock);
    left = --block->refs;
    pthread_mutex_unlock(&block->lock);
    if (left > 0)
        return;
    pthread_mutex_destroy(&block->lock);
    free(block);
    weir_budget_refund(budget, charged);
}

static void add_reference(void *opaque, void *data)
{
    (void)opaque;
    weir__js_shared_ref(data);
}

static void drop_reference(void *opaque, void *data)
{
    (void)opaque;
    weir__js_shared_unref(data);
}

void weir__js_watch_shared(weir_js *js)
{
    JSSharedArrayBufferFunctions functions = {
        .sab_alloc = allocate,
        .sab_free = drop_reference,
        .sab_dup = add_reference,
        .sab_opaque = js,
    };

    JS_SetSharedArrayBufferFunctions(js->runtime, &functions);
}
