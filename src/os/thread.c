/* SPDX-License-Identifier: MIT */
/*
 * os/thread -- threads of weir's own; the kernel's name for a
 * thread, and its core.
 *
 * Tested by  test/unit/thread.c
 */
#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "memory.h"

uint64_t weir__thread_id(void)
{
    return (uint64_t)syscall(SYS_gettid);
}

void weir__thread_yield(void)
{
    sched_yield();
}

uint32_t weir__thread_cores(void)
{
    cpu_set_t set;
    long online;

    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        return (uint32_t)CPU_COUNT(&set);
    online = sysconf(_SC_NPROCESSORS_ONLN); /* more cores than a set has room */
    return online > 0 ? (uint32_t)online : 1;
}

/* What a new thread is to do; it frees this. */
struct errand {
    void (*body)(void *arg);
    void *arg;
};

static void *run_errand(void *arg)
{
    struct errand errand = *(struct errand *)arg;

    weir__memory_free(arg, sizeof(errand));
    errand.body(errand.arg);
    return NULL;
}

int weir__thread_start(struct weir__thread *thread, void (*body)(void *arg),
                       void *arg)
{
    struct errand *errand = weir__memory_alloc(sizeof(*errand), 8);
    pthread_t handle;
    sigset_t all, old;
    int err;

    _Static_assert(sizeof(handle) <= sizeof(thread->handle), "fits");
    if (errand == NULL)
        return -ENOMEM;
    *errand = (struct errand){body, arg};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    err = pthread_create(&handle, NULL, run_errand, errand);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (err != 0) {
        weir__memory_free(errand, sizeof(*errand));
        return -err;
    }
    thread->handle = (uint64_t)handle;
    return 0;
}

struct weir__thread weir__thread_current(void)
{
    return (struct weir__thread){(uint64_t)pthread_self()};
}

void weir__thread_join(struct weir__thread *thread)
{
    CHECK(pthread_join((pthread_t)thread->handle, NULL) == 0,
          "a thread that cannot be joined");
}
