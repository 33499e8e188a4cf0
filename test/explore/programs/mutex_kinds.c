/* SPDX-License-Identifier: MIT */
/*
 * mutex_kinds -- Recursive and error-checking mutexes; a normal one is unlocked.
 *
 * correct: nothing found
 * broken: assertion failed
 */
#include <errno.h>

#include "start.h"

static pthread_mutex_t recursive, checking;
static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *work(void *argument)
{
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    counter++;
    pthread_mutex_unlock(&recursive);
    counter++;
    pthread_mutex_unlock(&recursive);

    assert(pthread_mutex_unlock(&checking) == EPERM);
    pthread_mutex_lock(&checking);
    assert(pthread_mutex_lock(&checking) == EDEADLK);
    pthread_mutex_unlock(&checking);
#ifdef BROKEN
    pthread_mutex_unlock(&normal);
#else
    (void)normal;
#endif
    return argument;
}

static void init(pthread_mutex_t *mutex, int kind)
{
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, kind);
    pthread_mutex_init(mutex, &attr);
    pthread_mutexattr_destroy(&attr);
}

int main(void)
{
    init(&recursive, PTHREAD_MUTEX_RECURSIVE);
    init(&checking, PTHREAD_MUTEX_ERRORCHECK);
    START(work, work);
    assert(counter == 4);
    pthread_mutex_destroy(&recursive);
    pthread_mutex_destroy(&checking);
}
