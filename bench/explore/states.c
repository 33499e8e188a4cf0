/* SPDX-License-Identifier: MIT */
/*
 * states -- Three threads with eight read-modify-writes each: more than ten
 * million states, for the memory that an exhaustive search takes.  -DCOUNT=N
 * makes it smaller.
 */
#include <pthread.h>
#include <stdatomic.h>

#ifndef COUNT
#define COUNT 8
#endif

static atomic_int word[3];

static void *work(void *argument)
{
    for (int i = 0; i < COUNT; i++)
        atomic_fetch_add(&word[i % 3], 1);
    return argument;
}

int main(void)
{
    pthread_t thread[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
