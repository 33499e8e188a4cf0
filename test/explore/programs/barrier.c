/* SPDX-License-Identifier: MIT */
/*
 * barrier -- pthread_barrier_t between two phases.
 *
 * correct: nothing found
 * broken: data race
 */
#include "start.h"

static pthread_barrier_t barrier;
static int parts[2], sum[2];

static void *work(void *argument)
{
    size_t me = (size_t)argument;

    parts[me] = (int)me + 1;
#ifndef BROKEN
    pthread_barrier_wait(&barrier);
#endif
    sum[me] = parts[0] + parts[1];
    return NULL;
}

int main(void)
{
    assert(pthread_barrier_init(&barrier, NULL, 2) == 0);
    START(work, work);
    assert(sum[0] == 3 && sum[1] == 3);
    assert(pthread_barrier_destroy(&barrier) == 0);
}
