/* SPDX-License-Identifier: MIT */
/*
 * origin -- a table of queued items, and where they were submitted.
 *
 * Shape     A fixed-size hash table keyed by the item's address.  An item is in
 *           one of the WINDOW slots from its hash on, or not in the table:
 *           nothing is moved, nothing is allocated, and no search is longer
 *           than a window.  An item can be queued only once at a time, so
 *           finding it in the table already is a bug in its owner.
 * Roles     note           the thread that submits the item
 *           look, take     the thread that runs it
 *           each           any thread
 *
 * Shared state
 *   slot.item   claimed by a CAS, released by a store; relaxed
 *   the rest    written by the thread that has claimed the slot, relaxed
 *
 * Not paired, on purpose: the queue that hands the item from the thread that
 * notes to the thread that takes hands over the slot as well.  A report that
 * reads concurrently sees an approximate snapshot.
 *
 * Tested by  test/unit/base/origin.c
 */
#include "base/origin.h"

#if WEIR__ORIGINS

#include "base/atomic.h"

enum { SLOTS = 1 << 14, WINDOW = 16 };

struct slot {
    atomic(const void *) item; /* NULL: free */
    atomic(const void *) owner;
    atomic(const void *) from;
    atomic(const char *) name;
};

static struct slot slots[SLOTS + WINDOW];
static _Thread_local const void *caller; /* NULL: not inside weir */

const void *weir__origin_enter(const void *address)
{
    if (caller != NULL)
        return NULL;
    return caller = address;
}

void weir__origin_end(const void *const *entered)
{
    if (*entered != NULL)
        caller = NULL;
}

/* Fibonacci hashing: Knuth, vol. 3, 6.4. */
static struct slot *window_of(const void *item)
{
    return &slots[(uintptr_t)item * UINT64_C(11400714819323198485) >> 50];
}

static struct slot *find(const void *item)
{
    struct slot *slot = window_of(item);

    for (int i = 0; i < WINDOW; i++, slot++)
        if (load_relaxed(&slot->item) == item) /* relaxed: the queue orders */
            return slot;
    return NULL;
}

bool weir__origin_note(const void *item, const void *owner, const char *name)
{
    struct slot *slot = window_of(item);

    if (find(item) != NULL)
        return false;
    if (caller == NULL)
        return true; /* submitted by weir itself */
    for (int i = 0; i < WINDOW; i++, slot++) {
        const void *seen = NULL;

        /* relaxed: claims the slot, and hands nothing over */
        if (!cas_relaxed(&slot->item, &seen, item))
            continue;
        store_relaxed(&slot->owner, owner); /* relaxed: snapshot */
        store_relaxed(&slot->from, caller); /* relaxed: snapshot */
        store_relaxed(&slot->name, name);   /* relaxed: snapshot */
        return true;
    }
    return true;
}

const void *weir__origin_look(const void *item)
{
    struct slot *slot = find(item);

    /* relaxed: ordered by the queue */
    return slot != NULL ? load_relaxed(&slot->from) : NULL;
}

const void *weir__origin_take(const void *item)
{
    struct slot *slot = find(item);
    const void *from;

    if (slot == NULL)
        return NULL;
    from = load_relaxed(&slot->from);  /* relaxed: ordered by the queue */
    store_relaxed(&slot->owner, NULL); /* relaxed: snapshot */
    store_relaxed(&slot->item, NULL);  /* relaxed: snapshot */
    return from;
}

void weir__origin_forget(const void *owner)
{
    for (int i = 0; i < SLOTS + WINDOW; i++)
        if (load_relaxed(&slots[i].owner) == owner) { /* relaxed: idle owner */
            store_relaxed(&slots[i].owner, NULL);     /* relaxed: idle owner */
            store_relaxed(&slots[i].item, NULL);      /* relaxed: idle owner */
        }
}

void weir__origin_each(const void *owner, weir__origin_fn *tell, void *arg)
{
    for (int i = 0; i < SLOTS + WINDOW; i++) {
        struct slot *slot = &slots[i];

        /* relaxed: snapshot */
        if (load_relaxed(&slot->owner) != owner ||
            load_relaxed(&slot->item) == NULL) /* relaxed: snapshot */
            continue;
        tell(arg, load_relaxed(&slot->from), /* relaxed: snapshot */
             load_relaxed(&slot->name));     /* relaxed: snapshot */
    }
}

#endif /* WEIR__ORIGINS */
