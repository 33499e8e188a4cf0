/* SPDX-License-Identifier: MIT */
/*
 * lost_update -- A counter that is read and then written.
 *
 * correct: nothing found
 * broken: assertion failed
 */
#include <stdatomic.h>

#include "start.h"

static atomic_int counter;

static void *work(void *argument)
{
#ifdef BROKEN
    atomic_store(&counter, atomic_load(&counter) + 1);
#else
    atomic_fetch_add(&counter, 1);
#endif
    return argument;
}

int main(void)
{
    START(work, work, work);
    assert(atomic_load(&counter) == 3);
}
