/* SPDX-License-Identifier: MIT */
/*
 * calls -- growing and freeing the ring of calls.h.
 *
 * Tested by  test/unit/base/calls.c
 */
#include "base/calls.h"

#include <errno.h>
#include <stddef.h>

#include "base/memory.h"

#ifdef WEIR_SMALL
enum { FIRST = 2 };
#else
enum { FIRST = 64 };
#endif

void weir__calls_init(struct weir__calls *calls)
{
    *calls = (struct weir__calls){.ring = NULL};
}

static void release(struct weir__calls *calls)
{
    weir__memory_free(calls->ring, calls->slots * sizeof(struct weir__call));
}

void weir__calls_free_ring(struct weir__calls *calls)
{
    release(calls);
    calls->ring = NULL;
    calls->slots = 0;
}

void weir__calls_fini(struct weir__calls *calls)
{
    release(calls);
    weir__calls_init(calls);
}

int weir__calls_grow(struct weir__calls *calls)
{
    uint64_t wanted = calls->slots == 0 ? FIRST : 2 * calls->slots;
    struct weir__call *ring =
        weir__memory_alloc(wanted * sizeof(*ring), _Alignof(struct weir__call));

    if (ring == NULL)
        return -ENOMEM;
    for (uint64_t i = calls->head; i != calls->tail; i++)
        ring[i & (wanted - 1)] = calls->ring[i & (calls->slots - 1)];
    release(calls);
    calls->ring = ring;
    calls->slots = wanted;
    return 0;
}
