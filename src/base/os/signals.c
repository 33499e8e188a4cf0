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
 * Pairs
 *   P1  give_back: store of taken, release  -->  take: CAS, acquire
 *       Hands over `before` to the next owner.
 *
 * Tested by  test/unit/service/service_signals.c,
 *            test/unit/base/thread_signals.c
 */
#include "base/signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/wakefd.h"

static const int numbers[] = {SIGTERM, SIGINT};
enum { COUNT = sizeof(numbers) / sizeof(numbers[0]), NONE = -1 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic(bool) taken = {false};
static atomic(int) wakefd = {NONE};
static atomic(int) owner = {NONE};     /* a process ID */
static struct sigaction before[COUNT]; /* the owner's */

/* Give the signal its previous action and raise it; it is delivered when the
 * handler returns. */
static void send_again(int number)
{
    for (size_t i = 0; i < COUNT; i++)
        if (numbers[i] == number)
            sigaction(number, &before[i], NULL);
    raise(number);
}

static void on_signal(int number)
{
    int saved = errno;

    /* relaxed: the stores came before sigaction */
    if (load_relaxed(&owner) != getpid())
        send_again(number);
    else
        weir__wakefd_signal(load_relaxed(&wakefd)); /* relaxed: as above */
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
 * belongs to the parent. */
static void forget(void)
{
    if (!load_relaxed(&taken)) /* relaxed: unshared */
        return;
    store_relaxed(&wakefd, NONE); /* relaxed: unshared */
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
        sigaction(numbers[i], &action, &before[i]);
    return fd;
}

void weir__signals_give_back(void)
{
    for (size_t i = 0; i < COUNT; i++)
        sigaction(numbers[i], &before[i], NULL);
    /* os/signals/P1 release: hands over `before` */
    store_release(&taken, false);
}

static sigset_t both(void)
{
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < COUNT; i++)
        sigaddset(&set, numbers[i]);
    return set;
}

void weir__signals_leave_to_others(sigset_t *mask)
{
    const sigset_t set = both();

    /* relaxed: if they are taken later, a signal interrupts the sleep */
    pthread_sigmask(SIG_BLOCK, load_relaxed(&taken) ? &set : NULL, mask);
}

void weir__signals_let_in(void)
{
    const sigset_t set = both();

    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
