/* SPDX-License-Identifier: MIT */
/*
 * dekker -- Dekker's lock for two threads, with fences.
 *
 * correct: nothing found
 * broken: data race
 */
#include <stdatomic.h>

#include "start.h"

#ifdef BROKEN
#define FENCE() atomic_thread_fence(memory_order_acq_rel)
#else
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#endif
#define RLX memory_order_relaxed

static atomic_int wants[2], turn;
static int counter;

static void lock(int me)
{
    int other = 1 - me;

    atomic_store_explicit(&wants[me], 1, RLX);
    FENCE();
    while (atomic_load_explicit(&wants[other], RLX)) {
        if (atomic_load_explicit(&turn, RLX) != me) {
            atomic_store_explicit(&wants[me], 0, RLX);
            while (atomic_load_explicit(&turn, RLX) != me)
                ;
            atomic_store_explicit(&wants[me], 1, RLX);
            FENCE();
        }
    }
    atomic_thread_fence(memory_order_acquire);
}

static void unlock(int me)
{
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&turn, 1 - me, RLX);
    atomic_store_explicit(&wants[me], 0, RLX);
}

static void *work(void *argument)
{
    int me = (int)(size_t)argument;

    lock(me);
    counter++;
    unlock(me);
    return NULL;
}

int main(void)
{
    START(work, work);
    assert(counter == 2);
}
