/* SPDX-License-Identifier: MIT */
/*
 * rwlock -- pthread_rwlock_t; the writer forgets that it writes.
 *
 * correct: nothing found
 * broken: data race
 */
#include "start.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int a, b;

static void *reader(void *argument)
{
    pthread_rwlock_rdlock(&lock);
    assert(a == b);
    pthread_rwlock_unlock(&lock);
    return argument;
}

static void *writer(void *argument)
{
#ifdef BROKEN
    pthread_rwlock_rdlock(&lock);
#else
    pthread_rwlock_wrlock(&lock);
#endif
    a++;
    b++;
    pthread_rwlock_unlock(&lock);
    return argument;
}

int main(void)
{
    START(reader, reader, writer);
}
