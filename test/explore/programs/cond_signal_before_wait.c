/* SPDX-License-Identifier: MIT */
/*
 * cond_signal_before_wait -- A condition that is signalled before it is waited for.
 *
 * correct: nothing found
 * broken: lost wake-up
 */
#include "start.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *waiter(void *argument)
{
    pthread_mutex_lock(&mutex);
#ifdef BROKEN
    pthread_cond_wait(&cond, &mutex);
#else
    while (!is_ready)
        pthread_cond_wait(&cond, &mutex);
#endif
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void *signaller(void *argument)
{
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void)
{
    START(waiter, signaller);
}
