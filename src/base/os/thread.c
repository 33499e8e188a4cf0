/* SPDX-License-Identifier: MIT */
/*
 * os/thread -- starting and joining threads; a thread's kernel ID, the cores it
 * may run on, and its timer slack.
 *
 * Signals   A thread of weir inherits the signal mask of the thread that
 *           created it, as POSIX specifies, with SIGPIPE blocked in addition.
 *
 *           Why no other signal is blocked: a child process inherits the mask
 *           of the thread that starts it, whether by fork, vfork, posix_spawn,
 *           system or popen.  With all signals blocked, the programs that a job
 *           or a callback starts would ignore SIGTERM for their whole life, and
 *           only for fork can a library correct that.  Nothing here needs
 *           signals blocked: weir's only handler (os/signals.c) does the same
 *           on every thread, and all waits resume after EINTR.  A program that
 *           dedicates a thread to signals (sigwait, signalfd) blocks them
 *           before it creates other threads, which inherit the mask.
 *
 *           Why SIGPIPE is blocked: it is sent to the thread that writes, so no
 *           other thread can handle it, and its default action kills a server
 *           whose client has hung up.  If it is blocked, the write just fails
 *           with EPIPE.  A child made by fork gets it unblocked
 *           (pthread_atfork); one made by posix_spawn, vfork, system or popen
 *           starts with it blocked.
 *
 * Tested by  test/unit/base/thread.c, test/unit/base/thread_signals.c
 */
#include "base/thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.h"
#include "base/fork.h"
#include "base/memory.h"

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
    online = sysconf(_SC_NPROCESSORS_ONLN); /* more cores than a set holds */
    return online > 0 ? (uint32_t)online : 1;
}

/* ---- signals ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local bool has_blocked_pipe; /* by weir, not by the program */

static sigset_t only_pipe(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    return set;
}

/* In the child of a fork, which has no pending signals. */
static void unblock_pipe(void)
{
    const sigset_t pipe = only_pipe();

    if (has_blocked_pipe)
        pthread_sigmask(SIG_UNBLOCK, &pipe, NULL);
    has_blocked_pipe = false;
}

/* If this fails for lack of memory, forked children keep SIGPIPE blocked. */
static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, unblock_pipe);
}

/* ---- threads ---- */

/* An errand: the start arguments of a new thread, which frees them. */
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
