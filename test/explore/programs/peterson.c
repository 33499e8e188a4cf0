/* SPDX-License-Identifier: MIT */
/*
 * peterson -- Peterson's lock for two threads (1981).
 *
 * correct: nothing found
 * broken: data race
 */
#include <stdatomic.h>

#include "start.h"

#ifdef BROKEN /* the store of `turn` and the load of the other flag may pass */
#define STORE memory_order_release
#define LOAD memory_order_acquire
#else
#define STORE memory_order_seq_cst
#define LOAD memory_order_seq_cst
#endif

atomic_int interested[2], turn;
static int counter;

static void *work(void *argument)
{
    int me = (int)(size_t)argument, other = 1 - me;

    atomic_store_explicit(&interested[me], 1, STORE);
    atomic_store_explicit(&turn, other, STORE);
    while (atomic_load_explicit(&interested[other], LOAD) &&
           atomic_load_explicit(&turn, LOAD) == other)
        ;
    counter++;
    atomic_store_explicit(&interested[me], 0, STORE);
    return NULL;
}

int main(void)
{
    START(work, work);
    assert(counter == 2);
}
