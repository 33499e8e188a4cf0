/* SPDX-License-Identifier: MIT */
/*
 * lock -- a one-word mutex; a thread that finds it held sleeps.
 *
 * For tables that any thread may change and that are not on a hot path.  Most
 * critical sections are a few instructions.  Where latency does not matter, a
 * lock is also held while a table entry is created: a block of slots, a poller,
 * a service's loop with its thread.  The allocator's hooks may therefore run
 * while a lock is held, but callbacks never do.
 */
#ifndef WEIR_SRC_LOCK_H
#define WEIR_SRC_LOCK_H

#include <stdbool.h>

#include "base/atomic.h"
#include "weir/host/lock.h"

struct weir__lock {
    weir_lock word;
};

static inline void weir__lock_init(struct weir__lock *lock)
{
    set_unshared(&lock->word.word_, 0);
}

/*
 * Acquire, try to acquire, or release the lock.  try returns whether the caller
 * now holds it.
 *
 * Thread   any; the lock is not recursive
 * Orders   acquiring sees everything before the last unlock
 */
static inline void weir__lock_lock(struct weir__lock *lock)
{
    weir_lock_acquire(&lock->word);
}

bool weir__lock_try(struct weir__lock *lock); /* true: the caller holds it */

static inline void weir__lock_unlock(struct weir__lock *lock)
{
    weir_lock_release(&lock->word);
}

#endif /* WEIR_SRC_LOCK_H */
