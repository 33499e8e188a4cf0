/* SPDX-License-Identifier: MIT */
/*
 * eventcount -- a thread that waits for a condition without a lock around it.
 * The broken one does not look again after it has announced itself.
 *
 * correct: nothing found
 * broken: deadlock|lost wake-up
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int is_ready, waiters, epoch;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *produce(void *argument)
{
    atomic_store_explicit(&is_ready, 1, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load(&waiters) == 0)
        return argument;
    pthread_mutex_lock(&mutex);
    atomic_fetch_add(&epoch, 1);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    return argument;
}

static int look(void)
{
    return atomic_load_explicit(&is_ready, memory_order_acquire);
}

int main(void)
{
    pthread_t producer;

    pthread_create(&producer, NULL, produce, NULL);
    while (!look()) {
        int before;

        atomic_fetch_add(&waiters, 1);
        before = atomic_load(&epoch);
        atomic_thread_fence(memory_order_seq_cst);
#ifndef BROKEN
        if (look())
            break;
#endif
        pthread_mutex_lock(&mutex);
        while (atomic_load(&epoch) == before)
            pthread_cond_wait(&changed, &mutex);
        pthread_mutex_unlock(&mutex);
        atomic_fetch_sub(&waiters, 1);
    }
    pthread_join(producer, NULL);
    return 0;
}
