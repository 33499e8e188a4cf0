/* SPDX-License-Identifier: MIT */
/*
 * philosophers -- Three philosophers dine (Dijkstra 1971).
 *
 * correct: nothing found
 * broken: deadlock
 */
#include "start.h"

enum { SEATS = 3 };
static pthread_mutex_t fork_of[SEATS] = {PTHREAD_MUTEX_INITIALIZER,
                                         PTHREAD_MUTEX_INITIALIZER,
                                         PTHREAD_MUTEX_INITIALIZER};
static int meals[SEATS];

static void *dine(void *argument)
{
    size_t me = (size_t)argument, left = me, right = (me + 1) % SEATS;

#ifndef BROKEN /* the last one takes them the other way round */
    if (left > right) {
        size_t other = left;

        left = right;
        right = other;
    }
#endif
    pthread_mutex_lock(&fork_of[left]);
    pthread_mutex_lock(&fork_of[right]);
    meals[me]++;
    pthread_mutex_unlock(&fork_of[right]);
    pthread_mutex_unlock(&fork_of[left]);
    return NULL;
}

int main(void)
{
    START(dine, dine, dine);
    assert(meals[0] + meals[1] + meals[2] == 3);
}
