/* SPDX-License-Identifier: MIT */
/*
 * treiber -- Treiber's stack (1986) over a pool of nodes; the broken one has ABA.
 *
 * correct: nothing found
 * broken: assertion failed
 */
#include <stdatomic.h>

#include "start.h"

enum { NODES = 2, NONE = NODES };

static atomic_uint next[NODES] = {1, NONE};
static atomic_uint in_use[NODES];

/* An index, and, unless BROKEN, a count above it. */
static atomic_uint head;

#ifdef BROKEN
#define COUNT 0
#else
#define COUNT 0x100
#endif

static unsigned pop(void)
{
    unsigned seen = atomic_load(&head), index;

    do {
        index = seen & 0xff;
        if (index == NONE)
            return NONE;
    } while (!atomic_compare_exchange_strong(
        &head, &seen, ((seen & ~0xffu) + COUNT) | atomic_load(&next[index])));
    return index;
}

static void push(unsigned index)
{
    unsigned seen = atomic_load(&head);

    do
        atomic_store(&next[index], seen & 0xff);
    while (!atomic_compare_exchange_strong(&head, &seen,
                                           ((seen & ~0xffu) + COUNT) | index));
}

static void take(unsigned index)
{
    assert(atomic_fetch_add(&in_use[index], 1) == 0);
}

static void *pop_one(void *argument)
{
    unsigned index = pop();

    if (index != NONE)
        take(index);
    return argument;
}

/* Takes both, and gives the first one back. */
static void *pop_and_push(void *argument)
{
    unsigned first = pop(), second = pop();

    if (second != NONE)
        take(second);
    if (first != NONE)
        push(first);
    return argument;
}

int main(void)
{
    unsigned index;

    START(pop_one, pop_and_push);
    while ((index = pop()) != NONE)
        take(index);
}
