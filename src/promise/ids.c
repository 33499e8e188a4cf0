/* SPDX-License-Identifier: MIT */
/*
 * ids -- promises by id.
 *
 * A hash table with open addressing.  Ids are assigned in sequence, so an id is
 * its own hash.  The table holds no references: a promise removes itself before
 * it is freed.  Any thread may look up an id under promises.lock, and takes its
 * reference under the same lock.  So a promise whose last known reference is
 * gone checks under that lock whether it was found meanwhile.
 *
 * Only promises whose id was requested are in the table.
 *
 * Tested by  test/unit/promise/ids.c, test/model/promise/promise.c
 */
#include <errno.h>

#include "base/memory.h"
#include "promise/promise.h"

#ifdef WEIR_SMALL
enum { FIRST = 2 };
#else
enum { FIRST = 64 };
#endif

struct weir__promise_ids {
    uint64_t slots; /* a power of two; at least half are empty */
    uint64_t used;
    weir_promise *at[];
};

static size_t size_of(uint64_t slots)
{
    return sizeof(struct weir__promise_ids) + slots * sizeof(weir_promise *);
}

static void insert(struct weir__promise_ids *table, weir_promise *promise)
{
    uint64_t i = promise->id;

    while (table->at[i & (table->slots - 1)] != NULL)
        i++;
    table->at[i & (table->slots - 1)] = promise;
    table->used++;
}

/* Return the slot of an id, or the empty slot where the search ends. */
static uint64_t find(const struct weir__promise_ids *table, uint64_t id)
{
    uint64_t i = id;
    const weir_promise *promise;

    while ((promise = table->at[i & (table->slots - 1)]) != NULL &&
           promise->id != id)
        i++;
    return i & (table->slots - 1);
}

static void release(struct weir__promise_ids *table)
{
    if (table != NULL)
        weir__memory_free(table, size_of(table->slots));
}

/* Resize the table to `slots`, which must be enough.  Returns  0, -ENOMEM */
static int resize(struct weir__promises *all, uint64_t slots)
{
    struct weir__promise_ids *old = all->ids;
    struct weir__promise_ids *table =
        weir__memory_alloc(size_of(slots), _Alignof(struct weir__promise_ids));

    if (table == NULL)
        return -ENOMEM;
    table->slots = slots;
    table->used = 0;
    for (uint64_t i = 0; i < slots; i++)
        table->at[i] = NULL;
    for (uint64_t i = 0; old != NULL && i < old->slots; i++)
        if (old->at[i] != NULL)
            insert(table, old->at[i]);
    release(old);
    all->ids = table;
    return 0;
}

/* Remove an entry.  Later entries of the probe sequence move up to close the
 * gap, unless that would put them before their own slot. */
static void take_out(struct weir__promise_ids *table, uint64_t gap)
{
    uint64_t mask = table->slots - 1;

    for (uint64_t i = (gap + 1) & mask; table->at[i] != NULL;
         i = (i + 1) & mask)
        if (((i - table->at[i]->id) & mask) >= ((i - gap) & mask)) {
            table->at[gap] = table->at[i];
            gap = i;
        }
    table->at[gap] = NULL;
    table->used--;
}

static int give_id(struct weir__promises *all, weir_promise *promise)
{
    struct weir__promise_ids *table = all->ids;
    int err = 0;

    if (promise->id != 0)
        return 0;
    if (all->last_id == UINT64_MAX)
        return -EOVERFLOW;
    if (table == NULL || 2 * table->used >= table->slots)
        err = resize(all, table == NULL ? FIRST : 2 * table->slots);
    if (err != 0)
        return err;
    promise->id = ++all->last_id;
    insert(all->ids, promise);
    return 0;
}

int weir_promise_id(weir_promise *promise, uint64_t *id)
{
    struct weir__promises *all;
    int err;

    if (promise == NULL || id == NULL)
        return -EINVAL;
    all = weir__promises_of(promise);
    weir__lock_lock(&all->lock);
    err = give_id(all, promise);
    if (err == 0)
        *id = promise->id;
    weir__lock_unlock(&all->lock);
    return err;
}

int weir_promise_find(weir_loop *loop, uint64_t id, weir_promise **promise)
{
    weir_promise *found = NULL;

    if (loop == NULL || promise == NULL)
        return -EINVAL;
    weir__lock_lock(&loop->promises.lock);
    if (loop->promises.ids != NULL && id != 0)
        found = loop->promises.ids->at[find(loop->promises.ids, id)];
    if (found != NULL)
        *promise = weir_promise_ref(found);
    weir__lock_unlock(&loop->promises.lock);
    return found != NULL ? 0 : -ENOENT;
}

/* Shrink the table if few entries are left.  Failure does no harm. */
static void shrink(struct weir__promises *all)
{
    struct weir__promise_ids *table = all->ids;

    if (table->slots > FIRST && 8 * table->used < table->slots)
        (void)resize(all, table->slots / 2);
}

bool weir__promise_ids_forget(weir_promise *promise)
{
    struct weir__promises *all = weir__promises_of(promise);
    bool was_found;

    weir__lock_lock(&all->lock);
    was_found = weir__promise_was_found(promise);
    if (!was_found) {
        take_out(all->ids, find(all->ids, promise->id));
        promise->id = 0;
        shrink(all);
    }
    weir__lock_unlock(&all->lock);
    return !was_found;
}

void weir__promise_ids_fini(weir_loop *loop)
{
    release(loop->promises.ids);
}
