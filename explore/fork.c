/* SPDX-License-Identifier: MIT */
/*
 * fork -- a model has no children.
 */
#include "base/fork.h"

#include "weir/host/lock.h"

int weir__fork_enter(struct weir__inherited *object,
                     void (*in_child)(struct weir__inherited *object))
{
    return 0;
}

int weir__fork_enter_once(struct weir__inherited *object,
                          void (*in_child)(struct weir__inherited *object))
{
    return 0;
}

void weir__fork_leave(struct weir__inherited *object)
{
}

uint32_t weir__fork_generation(void)
{
    return 0;
}

void weir_global_lock_acquire(weir_global_lock *lock)
{
    weir_lock_acquire(&lock->lock_);
}

void weir_global_lock_release(weir_global_lock *lock)
{
    weir_lock_release(&lock->lock_);
}
