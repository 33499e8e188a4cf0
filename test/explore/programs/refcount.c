/* SPDX-License-Identifier: MIT */
/*
 * refcount -- A reference count; the last one frees.
 *
 * correct: nothing found
 * broken: use after free|data race
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "start.h"

#ifdef BROKEN /* the one that frees does not know that the other has written */
#define DROP memory_order_relaxed
#else
#define DROP memory_order_acq_rel
#endif

static struct object {
    atomic_int references;
    int a, b;
} * object;

static void *use(void *argument)
{
    struct object *o = object;

    if (argument == NULL)
        o->a = 1;
    else
        o->b = 1;
    if (atomic_fetch_sub_explicit(&o->references, 1, DROP) == 1)
        free(o);
    return NULL;
}

int main(void)
{
    object = malloc(sizeof(*object));
    atomic_init(&object->references, 2);
    START(use, use);
}
