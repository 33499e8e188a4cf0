/* SPDX-License-Identifier: MIT */
/*
 * ticket -- A ticket lock.
 *
 * correct: nothing found
 * broken: data race
 */
#include <stdatomic.h>

#include "start.h"

#ifdef BROKEN
#define RELEASE memory_order_relaxed
#else
#define RELEASE memory_order_release
#endif

static atomic_uint next, serving;
static int counter;

static void *work(void *argument)
{
    unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);

    while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
        ;
    counter++;
    atomic_store_explicit(&serving, mine + 1, RELEASE);
    return argument;
}

int main(void)
{
    START(work, work, work);
    assert(counter == 3);
}
