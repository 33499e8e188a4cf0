/* SPDX-License-Identifier: MIT */
/*
 * lock -- a one-word mutex.
 *
 * Shape     FREE, HELD, or CONTENDED (held, and a thread may sleep on it).
 * Roles     lock, try, unlock   any thread
 * Progress  Without contention, a CAS and an exchange; otherwise blocking.
 *
 * Shared state
 *   word    any thread, atomic                                            P1
 *
 * Pairs
 *   P1  unlock: exchange to FREE, release  -->  lock: the CAS or exchange that
 *       finds FREE, acquire
 *       Hands over whatever the lock protects.
 *
 * Why no lost wake  A thread sleeps only on CONTENDED, which it wrote itself,
 *           and the unlock that replaces CONTENDED wakes one sleeper.  That
 *           thread writes CONTENDED again, on behalf of any other sleepers.
 * Source    Ulrich Drepper, "Futexes Are Tricky", the third mutex
 *
 * Tested by  test/model/base/lock.c, test/unit/base/lock.c
 */
#include "base/lock.h"

#include "base/futex.h"

enum { FREE = 0, HELD = 1, CONTENDED = 2 };

void weir__lock_init(struct weir__lock *lock)
{
    set_unshared(&lock->word, FREE);
}

bool weir__lock_try(struct weir__lock *lock)
{
    uint32_t seen = FREE;

    /* lock/P1 acquire: receives what the last owner did */
    return cas_acquire(&lock->word, &seen, HELD);
}

void weir__lock_lock(struct weir__lock *lock)
{
    if (weir__lock_try(lock))
        return;
    /* lock/P1 acquire: receives what the last owner did */
    while (swap_acquire(&lock->word, CONTENDED) != FREE)
        (void)weir__futex_wait(&lock->word, CONTENDED, -1, WEIR__FUTEX_PRIVATE);
}

void weir__lock_unlock(struct weir__lock *lock)
{
    /* lock/P1 release: publishes what was done under the lock */
    if (swap_release(&lock->word, FREE) == CONTENDED)
        weir__futex_wake_one(&lock->word, WEIR__FUTEX_PRIVATE);
}
