/* SPDX-License-Identifier: MIT */
/*
 * lock -- a mutex of one word; who finds it taken sleeps.
 *
 * For tables that any thread may change and that are not on a hot path.  Mostly
 * it is held for a few instructions; where nobody is in a hurry, also while
 * something for the table is made: a block of slots, a poller, a loop of a
 * service with its thread.  So the allocator's hooks may run while one is held,
 * but no callback ever does.
 */
#ifndef WEIR_SRC_LOCK_H
#define WEIR_SRC_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "atomic.h"

struct weir__lock {
    atomic(uint32_t) word; /* any thread, lock/P1 */
};

void weir__lock_init(struct weir__lock *lock);

/*
 * Thread   any; not twice by the same one
 * Orders   lock sees what came before the last unlock
 */
void weir__lock_lock(struct weir__lock *lock);
bool weir__lock_try(struct weir__lock *lock); /* true: it is the caller's */
void weir__lock_unlock(struct weir__lock *lock);

#endif /* WEIR_SRC_LOCK_H */
