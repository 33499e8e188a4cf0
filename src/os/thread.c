/* SPDX-License-Identifier: MIT */
/*
 * os/thread -- threads of weir's own; the kernel's name for a
 * thread, its core, and the slack of its waits.
 *
 * Signals   A thread of weir has the signal mask of the thread that made it, as
 *           POSIX has it, and SIGPIPE blocked in addition.
 *
 *           Why no more: a child inherits the mask of the thread that starts it,
 *           by fork, vfork, posix_spawn, system and popen alike.  With all
 *           signals blocked the programs that a job or a callback starts are
 *           deaf to SIGTERM for all their life, and only fork lets a library
 *           mend that.  Nothing here needs a block: the one handler of weir
 *           (os/signals.c) does the same on every thread, all waits go on after
 *           EINTR, and a program that leaves signals to a thread of its own
 *           (sigwait, signalfd) blocks them before it makes others, which
 *           inherit that.
 *
 *           Why SIGPIPE: it is sent to the thread that writes, so no other
 *           thread can take it, and its default action ends a server whose
 *           client has hung up.  Blocked, the write fails with EPIPE alone.  A
 *           child made by fork gets it back (pthread_atfork); one made by
 *           posix_spawn, vfork, system or popen starts with it blocked.
 *
 * Tested by  test/unit/thread.c, test/unit/thread_signals.c
 */
#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "fork.h"
#include "memory.h"

uint64_t weir__thread_id(void)
{
    return (uint64_t)syscall(SYS_gettid);
}

int64_t weir__thread_slack_ns(void)
{
#ifdef PR_GET_TIMERSLACK
    int slack_ns = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);

    return slack_ns > 0 ? slack_ns : 0;
#else
    return 0;
#endif
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

/* ---- signals ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local bool has_blocked_pipe; /* this thread, not its maker */

static sigset_t only_pipe(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    return set;
}

/* In the child of a fork; it has no pending signals. */
static void unblock_pipe(void)
{
    const sigset_t pipe = only_pipe();

    if (has_blocked_pipe)
        pthread_sigmask(SIG_UNBLOCK, &pipe, NULL);
    has_blocked_pipe = false;
}

/* Without memory for it, children of a fork keep SIGPIPE blocked. */
static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, unblock_pipe);
}

/* ---- threads ---- */

/* What a new thread is to do; it frees this. */
struct errand {
    void (*body)(void *arg);
    void *arg;
    bool has_blocked_pipe;
};

static void *run_errand(void *arg)
{
    struct errand errand = *(struct errand *)arg;

    weir__memory_free(arg, sizeof(errand));
    has_blocked_pipe = errand.has_blocked_pipe;
    errand.body(errand.arg);
    return NULL;
}

int weir__thread_start(struct weir__thread *thread, void (*body)(void *arg),
                       void *arg)
{
    struct errand *errand = weir__memory_alloc(sizeof(*errand), 8);
    const sigset_t pipe = only_pipe();
    pthread_t handle;
    sigset_t old;
    int err;

    _Static_assert(sizeof(handle) <= sizeof(thread->handle), "fits");
    if (errand == NULL)
        return -ENOMEM;
    pthread_once(&once, watch_forks);
    pthread_sigmask(SIG_BLOCK, &pipe, &old);
    *errand = (struct errand){
        body, arg, has_blocked_pipe || sigismember(&old, SIGPIPE) == 0};
    err = pthread_create(&handle, NULL, run_errand, errand);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (err != 0) {
        weir__memory_free(errand, sizeof(*errand));
        return -err;
    }
    thread->handle = (uint64_t)handle;
    thread->process = weir__fork_generation();
    return 0;
}

struct weir__thread weir__thread_current(void)
{
    return (struct weir__thread){(uint64_t)pthread_self(),
                                 weir__fork_generation()};
}

void weir__thread_join(struct weir__thread *thread)
{
    if (thread->process != weir__fork_generation())
        return;
    CHECK(pthread_join((pthread_t)thread->handle, NULL) == 0,
          "a thread that cannot be joined");
}
