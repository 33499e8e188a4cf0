/* SPDX-License-Identifier: MIT */
/*
 * weak_cas -- A weak compare-and-swap may fail for no reason.
 *
 * correct: nothing found
 * broken: assertion failed
 * only: gcc
 */
#include <stdatomic.h>

#include "start.h"

static atomic_int word;

static void *work(void *argument)
{
    int seen = 0;

#ifdef BROKEN
    assert(atomic_compare_exchange_weak(&word, &seen, 1));
#else
    while (!atomic_compare_exchange_weak(&word, &seen, 1))
        assert(seen == 0);
#endif
    return argument;
}

int main(void)
{
    START(work);
    assert(atomic_load(&word) == 1);
}
