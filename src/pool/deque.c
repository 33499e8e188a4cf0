/* SPDX-License-Identifier: MIT */
/*
 * deque -- a work-stealing deque: one owner, any number of thieves.
 *
 * Shape     A ring of slots and two indices.  The items are at top, top + 1,
 *           ... bottom - 1.
 *
 *               top                       bottom
 *                v                          v
 *              +----+----+----+----+----+----+----+----+
 *              | 17 | 18 | 19 | 20 | 21 |    |    |    |   index & mask
 *              +----+----+----+----+----+----+----+----+
 *         steal ->                       <- pop, push ->
 *
 *           Both indices are 64 bits wide and are never reduced modulo the
 *           ring size, so in practice neither wraps around.
 * Roles     push, pop, grow, fini   the owner
 *           steal, is_empty         any thread
 * Progress  push (except for the allocator) and pop are wait-free.  steal makes
 *           one attempt and reports a lost race.
 *
 * Shared state
 *   bottom        owner writes, thieves read                           P1 P3
 *   top           all threads, by CAS; never decreases              P3 P4 P5
 *   ring          owner writes, thieves read                              P2
 *   ring.slot[]   owner writes, thieves read; relaxed                  P1 P2
 *   top_seen, own, ring.older   owner only, plain
 *
 * Pairs
 *   P1  push, pop_last: store of bottom, release  -->  steal: load of bottom,
 *       acquire
 *       Hands over the slot and what the item points to.  pop_last restores
 *       bottom to its old value.  A thief that reads the restored value also
 *       knows that the last item has been decided, so its CAS fails.  (In the
 *       paper, a fence does both.)
 *   P2  grow: store of ring, release  -->  steal: load of ring, acquire
 *       Hands over the slots of the new ring.
 *   P3  seq_cst: bottom against top
 *             the owner's pop                a thief
 *             bottom = b            (P3)     CAS top: b - 1 -> b     (P3)
 *             if (top < b)          (P3)     if (b < bottom)         (P3)
 *                 take item b                    take item b
 *       Forbidden: the owner reads top = b - 1, and a thief that runs after
 *       item b - 1 was taken still reads bottom = b + 1.  Both would take item
 *       b.  With release and acquire alone, each load may be reordered before
 *       the store that precedes it.
 *   P4  steal: CAS on top, release  -->  push: load of top, acquire
 *       The thief has read its slot, so the slot may be overwritten.
 *   P5  pop_last, steal: CAS on top, release  -->  steal: load of top, acquire
 *       A thief that sees an item gone must also see a bottom at least as
 *       recent, because bottom may have been much higher before.  After the
 *       owner's CAS that is bottom itself, which was lowered before the CAS.
 *       After a thief's CAS it is the position in the total order of P3:
 *       without the acquire, a load of top that is not seq_cst would not place
 *       the following load of bottom in that order.
 *
 * The last item.  When top == bottom after pop's claim, a thief may be taking
 *   the same item.  Both try to CAS top from b to b + 1, and that single word
 *   decides.
 *
 * Growth.  The owner copies top .. bottom - 1 into a ring twice as large and
 *   stores it.  A thief that still has the old ring finds the same item there,
 *   because an old ring is never written again.  Old rings are freed only in
 *   fini, because there is no bound on how long a thief may read one.  Together
 *   they are smaller than the ring in use.
 *
 * Why no ABA        A CAS on top succeeds only if no item has been taken since
 *                   top was read; indices do not repeat.
 * Why no wrong item A thief reads its slot before its CAS.  The slot is
 *                   overwritten only after bottom has wrapped around the ring.
 *                   push allows that only after top has passed the slot, and
 *                   then the CAS fails.
 * Reclaim           In fini, when no thief is left.
 *
 * Source    Chase and Lev, "Dynamic Circular Work-Stealing Deque", SPAA 2005;
 *           Le, Pop, Cohen and Zappa Nardelli, "Correct and Efficient
 *           Work-Stealing for Weak Memory Models", PPoPP 2013, whose fences are
 *           seq_cst operations here.  The figure in the latter leaves a growth
 *           that races with a steal to the reader; crossbeam's CVE-2021-32810
 *           is a bug of that kind.
 *
 * Tested by  test/model/pool/deque.c, test/unit/pool/deque.c,
 *            test/stress/pool/deque.c
 */
#include "pool/deque.h"

#include <errno.h>

#include "base/memory.h"

#ifdef WEIR_SMALL
enum { SMALLEST = 4 };
#else
enum { SMALLEST = 256 };
#endif

static size_t bytes_of(int64_t slots)
{
    return sizeof(struct weir__ring) +
           (size_t)slots * sizeof(((struct weir__ring *)NULL)->slot[0]);
}

static struct weir__ring *new_ring(int64_t slots, struct weir__ring *older)
{
    struct weir__ring *ring = weir__memory_alloc(bytes_of(slots), CACHE_APART);

    if (ring == NULL)
        return NULL;
    ring->mask = slots - 1;
    ring->older = older;
    return ring;
}

int weir__deque_init(struct weir__deque *deque)
{
    struct weir__ring *ring = new_ring(SMALLEST, NULL);

    if (ring == NULL)
        return -ENOMEM;
    set_unshared(&deque->bottom, 0);
    deque->top_seen = 0;
    deque->own = ring;
    set_unshared(&deque->top, 0);
    set_unshared(&deque->ring, ring);
    return 0;
}

void weir__deque_fini(struct weir__deque *deque)
{
    struct weir__ring *ring = deque->own;

    while (ring != NULL) {
        struct weir__ring *older = ring->older;

        weir__memory_free(ring, bytes_of(ring->mask + 1));
        ring = older;
    }
    deque->own = NULL;
}

/* Double the slots.  False: out of memory, and nothing has changed. */
static bool grow(struct weir__deque *deque)
{
    struct weir__ring *old = deque->own;
    struct weir__ring *ring = new_ring(2 * (old->mask + 1), old);
    /* relaxed: own */
    int64_t bottom = load_relaxed(&deque->bottom);

    if (ring == NULL)
        return false;
    for (int64_t i = deque->top_seen; i < bottom; i++)
        /* relaxed: own, and unshared */
        store_relaxed(&ring->slot[i & ring->mask],
                      load_relaxed(&old->slot[i & old->mask]));
    deque->own = ring;
    /* deque/P2 release: publishes the slots that were copied */
    store_release(&deque->ring, ring);
    return true;
}

bool weir__deque_push_slowly(struct weir__deque *deque, void *item)
{
    /* deque/P4 acquire: thieves have read the slots below top */
    deque->top_seen = load_acquire(&deque->top);
    return weir__deque_push_quick(deque, item) ||
           (grow(deque) && weir__deque_push_quick(deque, item));
}

void *weir__deque_pop_last(struct weir__deque *deque, int64_t bottom,
                           int64_t top)
{
    void *item = NULL;

    if (top == bottom) {
        /* relaxed: own */
        item = load_relaxed(&deque->own->slot[bottom & deque->own->mask]);
        /* deque/P5 release: publishes the bottom that goes with this top */
        if (!cas_release(&deque->top, &top, top + 1))
            item = NULL;
    }
    /* deque/P1 release: no thread takes an item by this bottom, as
     * top is past it */
    store_release(&deque->bottom, bottom + 1);
    return item;
}

enum weir__loot weir__deque_steal(struct weir__deque *deque, void **item)
{
    /* deque/P5 acquire: receives the matching bottom, or a later one */
    int64_t top = load_acquire(&deque->top);
    /* deque/P3 seq_cst: after the CAS that set top to this value
     * deque/P1 acquire: receives the slots below bottom */
    int64_t bottom = load_seq_cst(&deque->bottom);
    struct weir__ring *ring;

    if (top >= bottom)
        return WEIR__LOOT_NONE;
    /* deque/P2 acquire: receives the slots of this ring */
    ring = load_acquire(&deque->ring);
    /* relaxed: ordered by P1; the CAS tells whether the item was still there */
    *item = load_relaxed(&ring->slot[top & ring->mask]);
    /* deque/P3 seq_cst: before the next thief reads bottom
     * deque/P4 release: the slot has been read
     * deque/P5 release: the next thief reads bottom after this */
    if (!cas_seq_cst(&deque->top, &top, top + 1))
        return WEIR__LOOT_LOST;
    return WEIR__LOOT_ONE;
}
