/* SPDX-License-Identifier: MIT */
/*
 * os/signals -- signals.h on sigaction(2).
 *
 * Shared state
 *   taken    any thread: whether somebody takes the signals; one CAS decides
 *   wakefd   written once in a process, before the handler is installed, never
 *            closed; the handler reads it on whatever thread it runs
 *   before   who has taken the signals                                     P1
 *   owner    as wakefd: written before the handler is installed
 *
 * Forks     A child has the handler and the descriptor, until it execs; a signal
 *           to it must not reach its parent's service.  So fork gives the
 *           signals back in the child (pthread_atfork).  Where that is not
 *           called, or not yet, the handler finds itself in another process than
 *           the taker's, and gives the signal the effect that it had before.
 *
 * Pairs
 *   P1  give_back: store of taken, release  -->  take: CAS, acquire
 *       Hands over `before`, to the next taker.
 *
 * Tested by  test/unit/service_signals.c, test/unit/thread_signals.c
 */
#include "signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "atomic.h"
#include "wakefd.h"

static const int numbers[] = {SIGTERM, SIGINT};
enum { COUNT = sizeof(numbers) / sizeof(numbers[0]), NONE = -1 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic(bool) taken = {false};
static atomic(int) wakefd = {NONE};
static atomic(int) owner = {NONE};     /* a process */
static struct sigaction before[COUNT]; /* the taker's */

/* It comes again when the handler returns. */
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

    /* relaxed: sigaction came after the stores */
    if (load_relaxed(&owner) != getpid())
        send_again(number);
    else
        weir__wakefd_signal(load_relaxed(&wakefd)); /* relaxed: as above */
    errno = saved;
}

/* By the taker. */
static int make_wakefd(void)
{
    int fd = load_relaxed(&wakefd); /* relaxed: own */

    if (fd == NONE) {
        fd = weir__wakefd_open();
        if (fd >= 0)
            store_relaxed(&wakefd, fd); /* relaxed: as above */
    } else {
        (void)weir__wakefd_take(fd, false); /* of an earlier taker's */
    }
    return fd;
}

/* In the child of a fork, whose only thread this is.  The descriptor stays its
 * parent's. */
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

    /* os/signals/P1 acquire: receives `before`, which is ours from here on */
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

    /* relaxed: whoever takes them later is heard, too, once we sleep */
    pthread_sigmask(SIG_BLOCK, load_relaxed(&taken) ? &set : NULL, mask);
}

void weir__signals_let_in(void)
{
    const sigset_t set = both();

    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
