/* SPDX-License-Identifier: MIT */
/*
 * chase_lev -- Deque of Chase and Lev; orders of Le et al. (2013), missing fence.
 *
 * correct: nothing found
 * broken: assertion failed
 */
#include <stdatomic.h>

#include "start.h"

#define RLX memory_order_relaxed

enum { SIZE = 4, EMPTY = 0 };
static atomic_long top, bottom;
static atomic_int items[SIZE];
static atomic_int taken[3];

static void push(int item)
{
    long b = atomic_load_explicit(&bottom, RLX);

    atomic_store_explicit(&items[b % SIZE], item, RLX);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&bottom, b + 1, RLX);
}

static int take(void)
{
    long b = atomic_load_explicit(&bottom, RLX) - 1, t;
    int item = EMPTY;

    atomic_store_explicit(&bottom, b, RLX);
#ifndef BROKEN /* the owner's store must come before its load */
    atomic_thread_fence(memory_order_seq_cst);
#endif
    t = atomic_load_explicit(&top, RLX);
    if (t <= b) {
        item = atomic_load_explicit(&items[b % SIZE], RLX);
        if (t < b)
            return item;
        if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1,
                                                     memory_order_seq_cst, RLX))
            item = EMPTY;
    }
    atomic_store_explicit(&bottom, b + 1, RLX);
    return item;
}

static int steal(void)
{
    long t = atomic_load_explicit(&top, memory_order_acquire), b;
    int item;

    atomic_thread_fence(memory_order_seq_cst);
    b = atomic_load_explicit(&bottom, memory_order_acquire);
    if (t >= b)
        return EMPTY;
    item = atomic_load_explicit(&items[t % SIZE], RLX);
    if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1,
                                                 memory_order_seq_cst, RLX))
        return EMPTY;
    return item;
}

static void note(int item)
{
    if (item != EMPTY)
        assert(atomic_fetch_add_explicit(&taken[item], 1, RLX) == 0);
}

static void *owner(void *argument)
{
    push(1);
    push(2);
    note(take());
    note(take());
    return argument;
}

static void *thief(void *argument)
{
    note(steal());
    note(steal());
    return argument;
}

int main(void)
{
    START(owner, thief);
    assert(atomic_load(&taken[1]) == 1 && atomic_load(&taken[2]) == 1);
}
