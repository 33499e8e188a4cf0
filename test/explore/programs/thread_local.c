/* SPDX-License-Identifier: MIT */
/*
 * thread_local -- A _Thread_local counter, and one that is shared.
 *
 * correct: nothing found
 * broken: data race
 */
#include <stdatomic.h>

#include "start.h"

#ifdef BROKEN
static int mine = 10;
#else
static _Thread_local int mine = 10;
#endif
static atomic_int turns;

static void *work(void *argument)
{
    mine++;
    atomic_fetch_add(&turns, 1);
    mine++;
    atomic_fetch_add(&turns, 1);
    assert(mine == 12);
    return argument;
}

int main(void)
{
    START(work, work);
    assert(mine == 10);
}
