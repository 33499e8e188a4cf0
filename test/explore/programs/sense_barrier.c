/* SPDX-License-Identifier: MIT */
/*
 * sense_barrier -- A barrier that is used twice; without a sense it is not.
 *
 * correct: nothing found
 * broken: livelock
 */
#include <stdatomic.h>

#include "start.h"

enum { THREADS = 2 };
static atomic_int count = THREADS, sense;
static int data[THREADS];

static void wait_for_all(int *mine)
{
    *mine = !*mine;
#ifdef BROKEN /* a fast thread takes the count before a slow one saw it */
    if (atomic_fetch_sub(&count, 1) == 1)
        atomic_store(&count, THREADS);
    else
        while (atomic_load(&count) != THREADS)
            ;
#else
    if (atomic_fetch_sub(&count, 1) == 1) {
        atomic_store(&count, THREADS);
        atomic_store(&sense, *mine);
    } else {
        while (atomic_load(&sense) != *mine)
            ;
    }
#endif
}

static void *work(void *argument)
{
    size_t me = (size_t)argument;
    int mine = 0;

    data[me] = 1;
    wait_for_all(&mine);
    assert(data[1 - me] == 1);
    wait_for_all(&mine);
    data[1 - me] = 2;
    return NULL;
}

int main(void)
{
    START(work, work);
}
