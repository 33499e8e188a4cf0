/* SPDX-License-Identifier: MIT */
/*
 * ids -- see ids.h.
 */
#include "sqlite/ids.h"

#include <string.h>

#include "weir/host/memory.h"

static bool grow(struct weir__ids *ids)
{
    size_t room = ids->room == 0 ? 16 : ids->room * 2;
    int64_t *larger = weir_memory_alloc(room * sizeof(*larger));

    if (larger == NULL)
        return false;
    if (ids->count > 0)
        memcpy(larger, ids->ids, ids->count * sizeof(*larger));
    weir__ids_drop(&(struct weir__ids){ids->ids, 0, ids->room});
    ids->ids = larger;
    ids->room = room;
    return true;
}

bool weir__ids_push(struct weir__ids *ids, int64_t id)
{
    if (ids->count == ids->room && !grow(ids))
        return false;
    ids->ids[ids->count++] = id;
    return true;
}

void weir__ids_drop(struct weir__ids *ids)
{
    weir_memory_free(ids->ids, ids->room * sizeof(*ids->ids));
    *ids = (struct weir__ids){0};
}
