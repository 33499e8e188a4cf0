/* SPDX-License-Identifier: MIT */
/*
 * clh -- The lock of Craig, Landin and Hagersten (1993).
 *
 * correct: nothing found
 * broken: data race
 */
#include <stdatomic.h>

#include "start.h"

#ifdef BROKEN
#define ACQUIRE memory_order_relaxed
#else
#define ACQUIRE memory_order_acquire
#endif

struct node {
    atomic_bool is_locked;
};

static struct node nodes[3];
static _Atomic(struct node *) tail = &nodes[2];
static int counter;

static void *work(void *argument)
{
    struct node *mine = &nodes[(size_t)argument], *before;

    atomic_store_explicit(&mine->is_locked, 1, memory_order_relaxed);
    before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
    while (atomic_load_explicit(&before->is_locked, ACQUIRE))
        ;
    counter++;
    atomic_store_explicit(&mine->is_locked, 0, memory_order_release);
    return NULL;
}

int main(void)
{
    START(work, work);
    assert(counter == 2);
}
