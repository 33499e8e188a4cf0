/* SPDX-License-Identifier: MIT */
/*
 * spinlock -- A test-and-test-and-set lock.
 *
 * correct: nothing found
 * broken: data race
 */
#include <sched.h>
#include <stdatomic.h>

#include "start.h"

#ifdef BROKEN
#define ACQUIRE memory_order_relaxed
#else
#define ACQUIRE memory_order_acquire
#endif

static atomic_int is_locked;
static int counter;

static void *work(void *argument)
{
    do {
        while (atomic_load_explicit(&is_locked, memory_order_relaxed))
            sched_yield();
    } while (atomic_exchange_explicit(&is_locked, 1, ACQUIRE));
    counter++;
    atomic_store_explicit(&is_locked, 0, memory_order_release);
    return argument;
}

int main(void)
{
    START(work, work, work);
    assert(counter == 3);
}
