/* SPDX-License-Identifier: MIT */
/*
 * mcs -- The lock of Mellor-Crummey and Scott (1991), nodes on the stacks.
 *
 * correct: nothing found
 * broken: livelock
 */
#include <stdatomic.h>

#include "start.h"

struct node {
    _Atomic(struct node *) next;
    atomic_bool is_waiting;
};

static _Atomic(struct node *) tail;
static int counter;

static void lock(struct node *me)
{
    struct node *before;

    atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&me->is_waiting, 1, memory_order_relaxed);
    before = atomic_exchange_explicit(&tail, me, memory_order_acq_rel);
    if (before == NULL)
        return;
    atomic_store_explicit(&before->next, me, memory_order_release);
    while (atomic_load_explicit(&me->is_waiting, memory_order_acquire))
        ;
}

static void unlock(struct node *me)
{
    struct node *after = atomic_load_explicit(&me->next, memory_order_acquire);

    if (after == NULL) {
        struct node *last = me;

        if (atomic_compare_exchange_strong_explicit(
                &tail, &last, NULL, memory_order_acq_rel, memory_order_acquire))
            return;
#ifdef BROKEN /* somebody has come, but is not linked yet */
        return;
#endif
        while ((after = atomic_load_explicit(&me->next,
                                             memory_order_acquire)) == NULL)
            ;
    }
    atomic_store_explicit(&after->is_waiting, 0, memory_order_release);
}

static void *work(void *argument)
{
    struct node node;

    lock(&node);
    counter++;
    unlock(&node);
    return argument;
}

int main(void)
{
    START(work, work);
    assert(counter == 2);
}
