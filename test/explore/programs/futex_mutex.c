/* SPDX-License-Identifier: MIT */
/*
 * futex_mutex -- Drepper's mutex on a futex (2011).
 *
 * correct: nothing found
 * broken: lost wake-up|deadlock
 */
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "start.h"

static atomic_int word; /* 0 free, 1 held, 2 held and somebody may sleep */
static int counter;

static void lock(void)
{
    int seen = 0;

    if (atomic_compare_exchange_strong(&word, &seen, 1))
        return;
#ifdef BROKEN /* takes it with 1 although others may sleep */
    while (atomic_exchange(&word, 1) != 0)
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
#else
    while (atomic_exchange(&word, 2) != 0)
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
#endif
}

static void unlock(void)
{
    if (atomic_exchange(&word, 0) == 2)
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *work(void *argument)
{
    lock();
    counter++;
    unlock();
    return argument;
}

int main(void)
{
    START(work, work, work);
    assert(counter == 3);
}
