/* SPDX-License-Identifier: MIT */
/*
 * os/signals -- signals.h on sigaction(2).
 *
 * Shared state
 *   taken    any thread: whether somebody takes the signals; one CAS decides
 *   wakefd   written once, before the handler is installed, never closed; the
 *            handler reads it on whatever thread it runs
 *   before   who has taken the signals                                     P1
 *
 * Pairs
 *   P1  give_back: store of taken, release  -->  take: CAS, acquire
 *       Hands over `before`, to the next taker.
 *
 * Tested by  test/unit/service_signals.c
 */
#include "signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "atomic.h"
#include "wakefd.h"

static const int numbers[] = {SIGTERM, SIGINT};
enum { COUNT = sizeof(numbers) / sizeof(numbers[0]), NONE = -1 };

static atomic(bool) taken = {false};
static atomic(int) wakefd = {NONE};
static struct sigaction before[COUNT]; /* the taker's */

static void on_signal(int number)
{
    int saved = errno;

    (void)number;
    /* relaxed: sigaction came after the store, and it never changes */
    weir__wakefd_signal(load_relaxed(&wakefd));
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

int weir__signals_take(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    bool nobody = false;
    int fd;

    /* os/signals/P1 acquire: receives `before`, which is ours from here on */
    if (!cas_acquire(&taken, &nobody, true))
        return -EBUSY;
    fd = make_wakefd();
    if (fd < 0) {
        store_release(&taken, false); /* os/signals/P1 release: as below */
        return fd;
    }
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

void weir__signals_let_in(void)
{
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < COUNT; i++)
        sigaddset(&set, numbers[i]);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
