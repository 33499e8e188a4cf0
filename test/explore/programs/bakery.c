/* SPDX-License-Identifier: MIT */
/*
 * bakery -- Lamport's bakery (1974), two threads.
 *
 * correct: nothing found
 * broken: data race
 */
#include <stdatomic.h>

#include "start.h"

enum { THREADS = 2 };
static atomic_int choosing[THREADS], number[THREADS];
static int counter;

static void lock(int me)
{
    int most = 0;

#ifndef BROKEN /* without it, two may draw the same number */
    atomic_store(&choosing[me], 1);
#endif
    for (int i = 0; i < THREADS; i++) {
        int other = atomic_load(&number[i]);

        most = other > most ? other : most;
    }
    atomic_store(&number[me], most + 1);
    atomic_store(&choosing[me], 0);
    for (int i = 0; i < THREADS; i++) {
        int theirs;

        while (atomic_load(&choosing[i]))
            ;
        while ((theirs = atomic_load(&number[i])) != 0 &&
               (theirs < most + 1 || (theirs == most + 1 && i < me)))
            ;
    }
}

static void *work(void *argument)
{
    int me = (int)(size_t)argument;

    lock(me);
    counter++;
    atomic_store(&number[me], 0);
    return NULL;
}

int main(void)
{
    START(work, work);
    assert(counter == 2);
}
