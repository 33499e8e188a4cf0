/* SPDX-License-Identifier: MIT */
/*
 * sleeping -- A sleep is no synchronisation.
 *
 * correct: nothing found
 * broken: assertion failed
 */
#include <stdatomic.h>
#include <unistd.h>

#include "start.h"

static atomic_int is_ready;

static void *slow(void *argument)
{
    atomic_store(&is_ready, 1);
    return argument;
}

static void *hopeful(void *argument)
{
#ifdef BROKEN
    usleep(100000);
    assert(atomic_load(&is_ready));
#else
    while (!atomic_load(&is_ready))
        usleep(100000);
#endif
    return argument;
}

int main(void)
{
    START(slow, hopeful);
}
