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
    pthread_mutex_t lock;
    size_t refs; /* any thread, under the lock */
    _Alignas(max_align_t) unsigned char data[];
};

static struct block *block_of(void *data)
{
    return (struct block *)((char *)data - offsetof(struct block, data));
}

static void *allocate(void *opaque, size_t size)
{
    struct block *block = size <= SIZE_MAX - sizeof(*block)
                              ? malloc(sizeof(*block) + size)
                              : NULL;

    (void)opaque;
    if (block == NULL)
        return NULL;
    pthread_mutex_init(&block->lock, NULL);
    block->refs = 1;
    return block->data;
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
    size_t left;

    pthread_mutex_lock(&block->lock);
    left = --block->refs;
    pthread_mutex_unlock(&block->lock);
    if (left > 0)
        return;
    pthread_mutex_destroy(&block->lock);
    free(block);
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

void weir__js_watch_shared(JSRuntime *runtime)
{
    static const JSSharedArrayBufferFunctions functions = {
        .sab_alloc = allocate,
        .sab_free = drop_reference,
        .sab_dup = add_reference,
    };

    JS_SetSharedArrayBufferFunctions(runtime, &functions);
}
