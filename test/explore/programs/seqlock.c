/* SPDX-License-Identifier: MIT */
/*
 * seqlock -- A sequence lock; its data are relaxed atomics (Boehm 2012).
 *
 * correct: nothing found
 * broken: assertion failed
 */
#include <stdatomic.h>

#include "start.h"

#define RLX memory_order_relaxed

static atomic_uint sequence;
static atomic_int a, b;

static void *write_both(void *argument)
{
    unsigned s = atomic_load_explicit(&sequence, RLX);

    atomic_store_explicit(&sequence, s + 1, RLX);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&a, 1, RLX);
    atomic_store_explicit(&b, 1, RLX);
    atomic_store_explicit(&sequence, s + 2, memory_order_release);
    return argument;
}

static void *read_both(void *argument)
{
    unsigned before, after;
    int x, y;

    do {
        before = atomic_load_explicit(&sequence, memory_order_acquire);
        x = atomic_load_explicit(&a, RLX);
        y = atomic_load_explicit(&b, RLX);
#ifndef BROKEN /* the second look at the sequence may come before the data */
        atomic_thread_fence(memory_order_acquire);
#endif
        after = atomic_load_explicit(&sequence, RLX);
    } while (before != after || (before & 1) != 0);
    assert(x == y);
    return argument;
}

int main(void)
{
    START(write_both, read_both);
}
