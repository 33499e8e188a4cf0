/* SPDX-License-Identifier: MIT */
/*
 * spsc -- A ring of one producer and one consumer.
 *
 * correct: nothing found
 * broken: data race
 */
#include <stdatomic.h>

#include "start.h"

#ifdef BROKEN /* the producer does not wait for the consumer's read */
#define ACQUIRE memory_order_relaxed
#else
#define ACQUIRE memory_order_acquire
#endif

enum { SIZE = 2, ITEMS = 4 };
static atomic_uint head, tail;
static int ring[SIZE];

static void *producer(void *argument)
{
    for (int i = 1; i <= ITEMS; i++) {
        unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);

        while (t - atomic_load_explicit(&head, ACQUIRE) == SIZE)
            ;
        ring[t % SIZE] = i;
        atomic_store_explicit(&tail, t + 1, memory_order_release);
    }
    return argument;
}

static void *consumer(void *argument)
{
    for (int i = 1; i <= ITEMS; i++) {
        unsigned h = atomic_load_explicit(&head, memory_order_relaxed);

        while (atomic_load_explicit(&tail, memory_order_acquire) == h)
            ;
        assert(ring[h % SIZE] == i);
        atomic_store_explicit(&head, h + 1, memory_order_release);
    }
    return argument;
}

int main(void)
{
    START(producer, consumer);
}
