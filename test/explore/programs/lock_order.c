/* SPDX-License-Identifier: MIT */
/*
 * lock_order -- Two locks, taken in different orders; one tries.
 *
 * correct: nothing found
 * broken: deadlock
 */
#include "start.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int both;

static void *forwards(void *argument)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    both++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return argument;
}

static void *backwards(void *argument)
{
    pthread_mutex_lock(&b);
#ifdef BROKEN
    pthread_mutex_lock(&a);
#else
    if (pthread_mutex_trylock(&a) != 0) {
        pthread_mutex_unlock(&b);
        return argument;
    }
#endif
    both++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return argument;
}

int main(void)
{
    START(forwards, backwards);
    assert(both == 1 || both == 2);
}
