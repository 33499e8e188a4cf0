/* SPDX-License-Identifier: MIT */
/*
 * hazard -- Hazard pointers (Michael 2004), one reader and one that frees.
 *
 * correct: nothing found
 * broken: use after free
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "start.h"

static _Atomic(int *) shared, hazard;

static void *reader(void *argument)
{
    int *p = atomic_load(&shared);

#ifndef BROKEN /* announced, then looked at again */
    int *again;

    for (;;) {
        atomic_store(&hazard, p);
        again = atomic_load(&shared);
        if (again == p)
            break;
        p = again;
    }
#else
    atomic_store(&hazard, p);
#endif
    if (p != NULL)
        assert(*p == 1);
    atomic_store_explicit(&hazard, NULL, memory_order_release);
    return argument;
}

static void *writer(void *argument)
{
    int *old = atomic_exchange(&shared, NULL);

    while (atomic_load(&hazard) == old)
        ;
    free(old);
    return argument;
}

int main(void)
{
    int *p = malloc(sizeof(*p));

    *p = 1;
    atomic_store(&shared, p);
    START(reader, writer);
}
