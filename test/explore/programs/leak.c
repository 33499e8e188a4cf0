/* SPDX-License-Identifier: MIT */
/*
 * leak -- A pointer that is replaced, and nobody frees the old block.
 *
 * correct: nothing found
 * broken: leak|use after free
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "start.h"

static _Atomic(int *) latest;

static void *replace(void *argument)
{
    int *fresh = malloc(sizeof(*fresh)), *old;

    *fresh = (int)(size_t)argument;
#ifdef BROKEN /* one of the two may be lost between load and store */
    old = atomic_load(&latest);
    atomic_store(&latest, fresh);
#else
    old = atomic_exchange(&latest, fresh);
#endif
    free(old);
    return NULL;
}

int main(void)
{
    START(replace, replace);
    free(atomic_exchange(&latest, NULL));
}
