/* SPDX-License-Identifier: MIT */
/*
 * os/signals -- signals.h on sigaction(2).
 *
 * Shared state
 *   taken    any thread: whether the signals are taken; one CAS decides
 *   wakefd   written once per process, before the handler is installed, and
 *            never closed; read by the handler on any thread
 *   before   the owner of the signals                                      P1
 *   owner    like wakefd, written before the handler is installed
 *
 * Forks     A forked child inherits the handler and the descriptor until it
 *           execs, but a signal sent to the child must not reach the parent's
 *           service.  So fork restores the previous actions in the child
 *           (pthread_atfork).  Where that handler does not run, or has not run
 *           yet, the signal handler finds that it is not in the owner's
 *           process, and gives the signal its previous effect.
 *
 * ThreadSanitizer   Its own sigaction installs its own handler, which defers
 *           ours to the thread's next atomic operation or intercepted call.  But
 *           the thread may sleep in a futex meanwhile, or end.  And if the
 *           signal interrupts the thread's first setjmp or blocking call, it is
 *           lost: there the sanitizer allocates the thread's list of deferred
 *           signals, its handler allocates another one and puts the signal on
 *           that, and the interrupted call overwrites the pointer.  (The loop of
 *           a service's thread calls setjmp as soon as it runs.)
 *
 *           So our handler is installed by the C library's sigaction, and runs
 *           at once, as in other builds.  It may interrupt the sanitizer's
 *           runtime, and must not enter it: it is not instrumented, and makes
 *           no calls that are intercepted.
 *
 * Pairs
 *   P1  give_back: store of taken, release  -->  take: CAS, acquire
 *       Hands over `before` to the next owner.
 *
 * Tested by  test/unit/base/signals.c, test/unit/service/service_signals.c,
 *            test/unit/base/thread_signals.c, test/unit/service/fork.c,
 *            test/stress/base/signals.c
 */
#include "base/signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/wakefd.h"

/* glibc's sigaction.  Under ThreadSanitizer that name is intercepted, but not
 * this one. */
#ifdef WEIR__THREAD_SANITIZED
int __sigaction(int number, const struct sigaction *action,
                struct sigaction *before);
#define set_action __sigaction
#else
#define set_action sigaction
#endif

static const int numbers[] = {SIGTERM, SIGINT};
enum { COUNT = sizeof(numbers) / sizeof(numbers[0]), NONE = -1 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic(bool) taken = {false};
static atomic(int) wakefd = {NONE};
static atomic(int) owner = {NONE};     /* a process ID */
static struct sigaction before[COUNT]; /* the owner's */

/* Give the signal its previous action and raise it; it is delivered when the
 * handler returns. */
WEIR__IN_HANDLER static void send_again(int number)
{
    for (size_t i = 0; i < COUNT; i++)
        if (numbers[i] == number)
            set_action(number, &before[i], NULL);
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
}

WEIR__IN_HANDLER static void on_signal(int number)
{
    int saved = errno;

    /* relaxed: the stores came before sigaction */
    if (load_relaxed(&owner) != getpid())
        send_again(number);
    else
        /* relaxed: as above */
        weir__wakefd_signal_in_handler(load_relaxed(&wakefd));
    errno = saved;
}

/* Called by the owner. */
static int make_wakefd(void)
{
    int fd = load_relaxed(&wakefd); /* relaxed: own */

    if (fd == NONE) {
        fd = weir__wakefd_open();
        if (fd >= 0)
            store_relaxed(&wakefd, fd); /* relaxed: as above */
    } else {
        (void)weir__wakefd_take(fd, false); /* drop an earlier owner's */
    }
    return fd;
}

/* In the child of a fork, which has no other thread.  The descriptor still
 * belongs to the parent, even if nobody has taken the signals there: the next
 * owner would get those of the child. */
static void forget(void)
{
    store_relaxed(&wakefd, NONE); /* relaxed: unshared */
    if (load_relaxed(&taken))     /* relaxed: unshared */
        weir__signals_give_back();
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, forget);
}

int weir__signals_take(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    bool nobody = false;
    int fd;

    /* os/signals/P1 acquire: receives `before`, which this thread now owns */
    if (!cas_acquire(&taken, &nobody, true))
        return -EBUSY;
    pthread_once(&once, watch_forks);
    fd = make_wakefd();
    if (fd < 0) {
        store_release(&taken, false); /* os/signals/P1 release: as below */
        return fd;
    }
    store_relaxed(&owner, getpid()); /* relaxed: sigaction follows */
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < COUNT; i++)
        set_action(numbers[i], &action, &before[i]);
    return fd;
}

void weir__signals_give_back(void)
{
    for (size_t i = 0; i < COUNT; i++)
        set_action(numbers[i], &before[i], NULL);
    /* os/signals/P1 release: hands over `before` */
    store_release(&taken, false);
}

void weir__signals_let_in(void)
{
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < COUNT; i++)
        sigaddset(&set, numbers[i]);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
