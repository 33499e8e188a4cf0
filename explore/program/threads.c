/* SPDX-License-Identifier: MIT */
/*
 * threads -- C11's <threads.h>, in terms of pthreads, as in glibc.
 */
#include <threads.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include "clock.h"
#include "cond.h"
#include "program.h"
#include "thread.h"

#define NATIVE(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))

static int to_thrd(int error)
{
    switch (error) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ETIMEDOUT:
        return thrd_timedout;
    case ENOMEM:
        return thrd_nomem;
    default:
        return thrd_error;
    }
}

/* An int fits into the pointer that a thread returns. */
INTERPOSED int thrd_create(thrd_t *thread, thrd_start_t run, void *argument)
{
    if (!is_exploring())
        return NATIVE(thrd_create)(thread, run, argument);
    *thread = thread_create((void *(*)(void *))(uintptr_t)run, argument, false,
                            CALLER) +
              1;
    return thrd_success;
}

INTERPOSED int thrd_join(thrd_t thread, int *result)
{
    void *value = NULL;
    int error;

    if (!is_exploring())
        return NATIVE(thrd_join)(thread, result);
    error = thread_join((unsigned)thread - 1, &value, CALLER);
    if (error == 0 && result != NULL)
        *result = (int)(uintptr_t)value;
    return to_thrd(error);
}

INTERPOSED int thrd_detach(thrd_t thread)
{
    if (!is_exploring())
        return NATIVE(thrd_detach)(thread);
    return to_thrd(thread_detach((unsigned)thread - 1, CALLER));
}

INTERPOSED thrd_t thrd_current(void)
{
    if (!is_exploring())
        return NATIVE(thrd_current)();
    return program_self() + 1;
}

INTERPOSED void thrd_exit(int result)
{
    if (!is_exploring())
        NATIVE(thrd_exit)(result);
    thread_exit((void *)(uintptr_t)(unsigned)result);
}

INTERPOSED void thrd_yield(void)
{
    sched_yield();
}

INTERPOSED int thrd_sleep(const struct timespec *time, struct timespec *left)
{
    return nanosleep(time, left);
}

INTERPOSED int mtx_init(mtx_t *mutex, int type)
{
    pthread_mutexattr_t attr;

    if (!is_exploring())
        return NATIVE(mtx_init)(mutex, type);
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, (type & mtx_recursive) != 0
                                         ? PTHREAD_MUTEX_RECURSIVE
                                         : PTHREAD_MUTEX_NORMAL);
    return to_thrd(pthread_mutex_init((pthread_mutex_t *)mutex, &attr));
}

INTERPOSED void mtx_destroy(mtx_t *mutex)
{
    pthread_mutex_destroy((pthread_mutex_t *)mutex);
}

INTERPOSED int mtx_lock(mtx_t *mutex)
{
    return to_thrd(pthread_mutex_lock((pthread_mutex_t *)mutex));
}

INTERPOSED int mtx_trylock(mtx_t *mutex)
{
    return to_thrd(pthread_mutex_trylock((pthread_mutex_t *)mutex));
}

INTERPOSED int mtx_timedlock(mtx_t *mutex, const struct timespec *deadline)
{
    return to_thrd(pthread_mutex_timedlock((pthread_mutex_t *)mutex, deadline));
}

INTERPOSED int mtx_unlock(mtx_t *mutex)
{
    return to_thrd(pthread_mutex_unlock((pthread_mutex_t *)mutex));
}

INTERPOSED int cnd_init(cnd_t *cond)
{
    return to_thrd(pthread_cond_init((pthread_cond_t *)cond, NULL));
}

INTERPOSED void cnd_destroy(cnd_t *cond)
{
    pthread_cond_destroy((pthread_cond_t *)cond);
}

INTERPOSED int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
    if (!is_exploring())
        return NATIVE(cnd_wait)(cond, mutex);
    return to_thrd(cond_wait(cond, mutex, NULL, CALLER));
}

INTERPOSED int cnd_timedwait(cnd_t *cond, mtx_t *mutex,
                             const struct timespec *deadline)
{
    if (!is_exploring())
        return NATIVE(cnd_timedwait)(cond, mutex, deadline);
    return to_thrd(cond_wait(cond, mutex, deadline, CALLER));
}

INTERPOSED int cnd_signal(cnd_t *cond)
{
    if (!is_exploring())
        return NATIVE(cnd_signal)(cond);
    return to_thrd(cond_signal(cond, false, CALLER));
}

INTERPOSED int cnd_broadcast(cnd_t *cond)
{
    if (!is_exploring())
        return NATIVE(cnd_broadcast)(cond);
    return to_thrd(cond_signal(cond, true, CALLER));
}

INTERPOSED void call_once(once_flag *flag, void (*run)(void))
{
    pthread_once((pthread_once_t *)flag, run);
}

INTERPOSED int tss_create(tss_t *key, tss_dtor_t destructor)
{
    return to_thrd(pthread_key_create((pthread_key_t *)key, destructor));
}

INTERPOSED void tss_delete(tss_t key)
{
    pthread_key_delete((pthread_key_t)key);
}

INTERPOSED void *tss_get(tss_t key)
{
    return pthread_getspecific((pthread_key_t)key);
}

INTERPOSED int tss_set(tss_t key, void *value)
{
    return to_thrd(pthread_setspecific((pthread_key_t)key, value));
}
