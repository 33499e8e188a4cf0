/* SPDX-License-Identifier: MIT */
/*
 * epoch -- memory that is freed when no reader is pinned.  The broken one has
 * no fence between a store and the load after it, on both sides.
 *
 * correct: nothing found
 * broken: use after free
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) current;
static atomic_int is_pinned;

static void fence(void)
{
#ifndef BROKEN
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

static void *look(void *argument)
{
    int *number;

    atomic_store_explicit(&is_pinned, 1, memory_order_relaxed);
    fence();
    number = atomic_load_explicit(&current, memory_order_acquire);
    assert(*number == 1 || *number == 2);
    atomic_store_explicit(&is_pinned, 0, memory_order_release);
    return argument;
}

int main(void)
{
    int *old = malloc(sizeof(*old)), *new = malloc(sizeof(*new));
    pthread_t reader;

    *old = 1;
    *new = 2;
    atomic_init(&current, old);
    pthread_create(&reader, NULL, look, NULL);
    atomic_store_explicit(&current, new, memory_order_release);
    fence();
    while (atomic_load_explicit(&is_pinned, memory_order_acquire))
        ;
    free(old);
    pthread_join(reader, NULL);
    free(new);
    return 0;
}
