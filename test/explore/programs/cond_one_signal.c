/* SPDX-License-Identifier: MIT */
/*
 * cond_one_signal -- Two threads wait, one signal is sent.
 *
 * correct: nothing found
 * broken: deadlock
 */
#include "start.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int is_open;

static void *waiter(void *argument)
{
    pthread_mutex_lock(&mutex);
    while (!is_open)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void *opener(void *argument)
{
    pthread_mutex_lock(&mutex);
    is_open = 1;
    pthread_mutex_unlock(&mutex);
#ifdef BROKEN
    pthread_cond_signal(&cond);
#else
    pthread_cond_broadcast(&cond);
#endif
    return argument;
}

int main(void)
{
    START(waiter, waiter, opener);
}
