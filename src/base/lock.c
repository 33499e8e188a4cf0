/* SPDX-License-Identifier: MIT */
/*
 * lock -- a one-word mutex.
 *
 * Shape     FREE, HELD, or CONTENDED (held, and a thread may sleep on it).
 * Roles     acquire, try, release   any thread
 * Progress  Without contention, a CAS and an exchange; otherwise blocking.
 *
 * Shared state
 *   word_   any thread, atomic                                            P1
 *
 * Pairs
 *   P1  release: exchange to FREE, release  -->  acquire, try: the CAS or
 *       exchange that finds FREE, acquire
 *       Hands over whatever the lock protects.
 *
 * Why no lost wake  A thread sleeps only on CONTENDED, which it wrote itself,
 *           and the release that replaces CONTENDED wakes one sleeper.  That
 *           thread writes CONTENDED again, on behalf of any other sleepers.
 * Reclaim   After its exchange a release does not access the word: it passes
 *           the address to the kernel.  So the next owner may free the lock.
 * Source    Ulrich Drepper, "Futexes Are Tricky", the third mutex
 *
 * Tested by  test/model/base/lock.c, test/unit/base/lock.c,
 *            test/stress/base/lock.c
 */
#include "base/lock.h"

#include "base/futex.h"

enum { FREE = 0, HELD = 1, CONTENDED = 2 };

static bool try_acquire(weir_lock *lock)
{
    uint32_t seen = FREE;

    /* lock/P1 acquire: receives what the last owner did */
    return cas_acquire(&lock->word_, &seen, HELD);
}

bool weir__lock_try(struct weir__lock *lock)
{
    return try_acquire(&lock->word);
}

void weir_lock_acquire(weir_lock *lock)
{
    if (try_acquire(lock))
        return;
    /* lock/P1 acquire: receives what the last owner did */
    while (swap_acquire(&lock->word_, CONTENDED) != FREE)
        (void)weir__futex_wait(&lock->word_, CONTENDED, -1,
                               WEIR__FUTEX_PRIVATE);
}

void weir_lock_release(weir_lock *lock)
{
    /* lock/P1 release: publishes what was done under the lock */
    if (swap_release(&lock->word_, FREE) == CONTENDED)
        weir__futex_wake_one(&lock->word_, WEIR__FUTEX_PRIVATE);
}
