/* SPDX-License-Identifier: MIT */
/*
 * cond_if -- Two consumers of one item, with `if` instead of `while`.
 *
 * correct: nothing found
 * broken: assertion failed
 */
#include "start.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int items;

static void *consumer(void *argument)
{
    pthread_mutex_lock(&mutex);
#ifdef BROKEN
    if (items == 0)
#else
    while (items == 0)
#endif
        pthread_cond_wait(&cond, &mutex);
    assert(items > 0);
    items--;
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void *producer(void *argument)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        items++;
        pthread_cond_broadcast(&cond);
        pthread_mutex_unlock(&mutex);
    }
    return argument;
}

int main(void)
{
    START(consumer, consumer, producer);
}
