/* SPDX-License-Identifier: MIT */
/*
 * timed -- Deadlines: a timed lock, and a timed wait whose result is ignored.
 *
 * correct: nothing found
 * broken: assertion failed
 */
#include <errno.h>
#include <time.h>

#include "start.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *waiter(void *argument)
{
    struct timespec deadline;
    int error = 0;

    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec++;
    pthread_mutex_lock(&mutex);
    while (!is_ready && error == 0)
        error = pthread_cond_timedwait(&cond, &mutex, &deadline);
#ifdef BROKEN
    assert(is_ready);
#else
    assert(is_ready || error == ETIMEDOUT);
#endif
    pthread_mutex_unlock(&mutex);
    error = pthread_mutex_timedlock(&other, &deadline);
    assert(error == 0 || error == ETIMEDOUT);
    if (error == 0)
        pthread_mutex_unlock(&other);
    return argument;
}

static void *signaller(void *argument)
{
    pthread_mutex_lock(&other);
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&other);
    return argument;
}

int main(void)
{
    START(waiter, signaller);
}
