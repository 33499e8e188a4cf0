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
 *           before it creates other threads, which inherit the mask.  The
 *           exception is a thread of a host (weir_thread_start): the program
 *           that it runs reads signals on the main thread only.
 *
 *           Why SIGPIPE is blocked: it is sent to the thread that writes, so no
 *           other thread can handle it, and its default action kills a server
 *           whose client has hung up.  If it is blocked, the write just fails
 *           with EPIPE.  A child made by fork gets it unblocked
 *           (pthread_atfork); one made by posix_spawn, vfork, system or popen
 *           starts with it blocked.
 *
 * Tested by  test/unit/base/thread.c, test/unit/base/thread_host.c,
 *            test/unit/base/thread_signals.c
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
#include "weir/host/thread.h"

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

/* In a process with several threads, glibc switches a thread to asynchronous
 * cancellation around each call of recv, send or epoll_wait, and back: two
 * atomic operations, unless the thread is already in that mode.
 * The type has no effect while the state is disabled. */
struct weir__cancelling weir__thread_hold_cancel(void)
{
    struct weir__cancelling old;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old.state);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old.type);
    return old;
}

void weir__thread_restore_cancel(struct weir__cancelling old)
{
    pthread_setcanceltype(old.type, NULL);
    pthread_setcancelstate(old.state, NULL);
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

/* What a new thread runs; it frees this. */
struct start_args {
    void (*body)(void *arg);
    void *arg;
    bool has_blocked_pipe;
};

static void *run_body(void *arg)
{
    struct start_args args = *(struct start_args *)arg;

    weir__memory_free(arg, sizeof(args));
    has_blocked_pipe = args.has_blocked_pipe;
    args.body(args.arg);
    return NULL;
}

/* Start a thread with these signals blocked in addition. */
static int start(struct weir__thread *thread, const pthread_attr_t *attributes,
                 const sigset_t *blocked, void (*body)(void *arg), void *arg)
{
    struct start_args *args = weir__memory_alloc(sizeof(*args), 8);
    pthread_t handle;
    sigset_t old;
    int err;

    _Static_assert(sizeof(handle) <= sizeof(thread->handle), "fits");
    if (args == NULL)
        return -ENOMEM;
    pthread_once(&once, watch_forks);
    pthread_sigmask(SIG_BLOCK, blocked, &old);
    *args = (struct start_args){
        body, arg, has_blocked_pipe || sigismember(&old, SIGPIPE) == 0};
    err = pthread_create(&handle, attributes, run_body, args);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (err != 0) {
        weir__memory_free(args, sizeof(*args));
        return -err;
    }
    thread->handle = (uint64_t)handle;
    thread->process = weir__fork_generation();
    return 0;
}

int weir__thread_start(struct weir__thread *thread, void (*body)(void *arg),
                       void *arg)
{
    const sigset_t pipe = only_pipe();

    return start(thread, NULL, &pipe, body, arg);
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

/* ---- threads of hosts ---- */

static int start_with_stack(struct weir__thread *thread, size_t stack_bytes,
                            void (*body)(void *arg), void *arg)
{
    pthread_attr_t attributes;
    sigset_t all;
    int err = -pthread_attr_init(&attributes);

    if (err != 0)
        return err;
    sigfillset(&all);
    if (stack_bytes > 0)
        err = -pthread_attr_setstacksize(&attributes, stack_bytes);
    if (err == 0)
        err = start(thread, &attributes, &all, body, arg);
    pthread_attr_destroy(&attributes);
    return err;
}

int weir_thread_start(weir_thread *thread, void (*body)(void *arg), void *arg,
                      size_t stack_bytes)
{
    struct weir__thread started;
    int err;

    if (thread == NULL || body == NULL)
        return -EINVAL;
    err = start_with_stack(&started, stack_bytes, body, arg);
    if (err == 0)
        *thread = (weir_thread){started.handle, started.process};
    return err;
}

void weir_thread_join(weir_thread *thread)
{
    struct weir__thread started = {thread->handle_, thread->process_};

    weir__thread_join(&started);
}

static void *find_stack_end(void)
{
    pthread_attr_t attributes;
    void *end;
    size_t size;

    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return NULL;
    if (pthread_attr_getstack(&attributes, &end, &size) != 0)
        end = NULL;
    pthread_attr_destroy(&attributes);
    return end;
}

const void *weir_thread_stack_end(void)
{
    static _Thread_local void *end; /* NULL: not looked up */

    if (end == NULL)
        end = find_stack_end();
    return end;
}

int weir_thread_block_signal(int number, bool is_blocked, bool *was_blocked)
{
    sigset_t one, before;
    int err;

    sigemptyset(&one);
    if (sigaddset(&one, number) != 0)
        return -EINVAL;
    err = -pthread_sigmask(is_blocked ? SIG_BLOCK : SIG_UNBLOCK, &one, &before);
    if (err == 0 && was_blocked != NULL)
        *was_blocked = sigismember(&before, number) == 1;
    return err;
}
