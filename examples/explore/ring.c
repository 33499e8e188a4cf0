/* SPDX-License-Identifier: MIT */
/*
 * ring -- a queue between two threads, and a test of it that weir-explore runs
 * under every schedule.
 *
 *     weir-explore cc ring.c -o ring && ./ring
 *
 * It has a bug that no x86 shows.  -DFIXED leaves it out.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { SIZE = 2, ITEMS = 3 };

static struct ring {
    atomic_uint head, tail; /* the consumer's, the producer's */
    int item[SIZE];
} ring;

static bool push(struct ring *r, int item)
{
    unsigned tail = atomic_load_explicit(&r->tail, memory_order_relaxed);

    if (tail - atomic_load_explicit(&r->head, memory_order_acquire) == SIZE)
        return false;
    r->item[tail % SIZE] = item;
#ifdef FIXED
    atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
#else
    atomic_store_explicit(&r->tail, tail + 1, memory_order_relaxed);
#endif
    return true;
}

static bool pop(struct ring *r, int *item)
{
    unsigned head = atomic_load_explicit(&r->head, memory_order_relaxed);

    if (head == atomic_load_explicit(&r->tail, memory_order_acquire))
        return false;
    *item = r->item[head % SIZE];
    atomic_store_explicit(&r->head, head + 1, memory_order_release);
    return true;
}

static void *produce(void *argument)
{
    for (int i = 0; i < ITEMS; i++)
        while (!push(&ring, i))
            ;
    return argument;
}

int main(void)
{
    pthread_t producer;

    pthread_create(&producer, NULL, produce, NULL);
    for (int i = 0; i < ITEMS; i++) {
        int item;

        while (!pop(&ring, &item))
            ;
        assert(item == i);
    }
    pthread_join(producer, NULL);
    return 0;
}
