/* SPDX-License-Identifier: MIT */
/*
 * shards -- one counter per thread, folded into one number once.
 *
 * Shape     An array of pairs (count, seal), two cache lines apart, indexed by
 *           the thread's number.  One thread writes a count; the seal decides
 *           when that ends.
 *
 *               SHUT --open--> OPEN --fold--> SEALING --+--> SEALED(count)
 *                 |                                     |
 *                 +-----------------fold----------------+
 *
 * Roles     add     the thread whose number is the shard's index
 *           open    the thread that started the gate
 *           fold    the thread that drains the gate; one thread, once
 *           new, free, sum   any thread
 * Progress  add is wait-free, even if it meets the fold.  fold visits each
 *           shard twice and makes one membarrier call; it waits for no thread.
 *
 * Shared state
 *   shard.count   the owner writes, fold and sum read, atomic            P2 P3
 *   shard.seal    owner, open, fold, atomic                         P1 P3 P4
 *   generation    const while a gate uses the block, plain                 P5
 *   next          the thread that holds the list, plain                    P5
 *   unused        any thread, atomic                                       P5
 *
 * Which adds are in the sum.  The owner stores its count and then reads the
 * seal; the folder sets the seal to SEALING and then reads the count.  P3
 * ensures that at least one of them sees the other.  If both do, the owner sees
 * SEALING and cannot know whether the folder read the count before or after its
 * store.  One word decides: both try to CAS the seal from SEALING to
 * SEALED(count), each with the count that it knows.  The number in the seal is
 * the shard's part of the sum, whichever thread put it there.  An owner that
 * finds the folder's number there, without its own add, counts elsewhere.  At
 * most one add can be in progress in a shard, so the two numbers are equal or
 * differ by one, and 32 bits are enough to compare them.
 *
 * Pairs
 *   P1  open: CAS SHUT -> OPEN, release  -->  add: load of seal, acquire
 *       Publishes what came before the gate's start to the work that enters.
 *   P2  add: store of count, release  -->  fold: load of count, acquire
 *       Publishes what the work did to the thread that may close the gate.
 *   P3  light: add, between the store of count and the second load of seal.
 *       heavy: fold, between the CAS to SEALING and the loads of count.
 *             owner                          folder
 *             count = n + 1                  seal = SEALING
 *             fence_light()                  weir__membarrier()
 *             if (seal == OPEN) done         sum += count
 *       Forbidden: the owner reads OPEN and the folder reads n.
 *   P4  settle: CAS SEALING -> SEALED, release  -->  fold: CAS, acquire when
 *       it fails
 *       If the owner's number is the one that counts, the load of P2 may have
 *       come too early.  This publishes what P2 would have.
 *   P5  give_back: CAS on unused, release  -->  take: exchange, acquire
 *       Hands over the block: its generation and the link.
 *
 * Not paired, on purpose
 *   fold: CAS to SEALING, relaxed.  P3 orders it, and an owner that sees it
 *   reads nothing that the folder wrote.
 *   settle: failed CAS, relaxed.  It needs only the number in the seal.
 *
 * Reclaim   A block is never unmapped.  The last access of an exit is the load
 *           of its seal, and by then the gate may be closed and freed, and its
 *           block may belong to another gate.  Blocks are kept in a list and
 *           reused under a new generation, which is part of every seal, so such
 *           a straggler cannot affect the new owner's count.  There are as many
 *           blocks as there were sharded gates at the same time.  A block that
 *           has used up its generations is leaked.
 * Why no ABA        In `unused`: take() replaces the head with NULL, never
 *                   with a node.  In the seal: generations do not repeat.
 *
 * Source    The kernel's percpu_ref has the same purpose; it waits for a grace
 *           period where we let one word decide.  Asymmetric fences: Dice,
 *           Huang and Yang 2001; P1202 of the C++ committee.
 *
 * Tested by  test/model/gate/shards.c, test/model/gate/gate.c,
 *            test/stress/gate/gate.c
 */
#include "gate/shards.h"

#include <stddef.h>

#include "base/membarrier.h"
#include "base/memory.h"

#ifdef WEIR_SMALL
enum { GENERATION_BITS = 3 };
#else
enum { GENERATION_BITS = 30 };
#endif
_Static_assert(sizeof(struct weir__shard) == CACHE_APART, "a thread's slot");
#define GENERATION_LAST ((UINT64_C(1) << GENERATION_BITS) - 1)

static uint64_t seal_of(uint64_t generation, uint32_t count, unsigned state)
{
    return (uint64_t)count << 32 | generation << 2 | state;
}

static uint64_t generation_of(uint64_t seal)
{
    return (uint32_t)seal >> 2;
}

static uint32_t count_of(uint64_t seal)
{
    return (uint32_t)(seal >> 32);
}

/* Blocks without a gate. */
static atomic(struct weir__shards *) unused;

static void give_back(struct weir__shards *shards)
{
    /* relaxed: a guess, checked by the CAS */
    struct weir__shards *seen = load_relaxed(&unused);

    do {
        plain_store(&shards->next, seen);
        /* shards/P5 release: publishes next and generation */
    } while (!cas_weak_release(&unused, &seen, shards));
}

/* Take the whole list, keep one block and return the others.  Another taker may
 * meanwhile find the list empty and allocate a block, which is harmless. */
static struct weir__shards *take(void)
{
    /* shards/P5 acquire: receives next and generation */
    struct weir__shards *list = swap_acquire(&unused, NULL);
    struct weir__shards *rest, *next;

    if (list == NULL)
        return NULL;
    for (rest = plain_load(&list->next); rest != NULL; rest = next) {
        next = plain_load(&rest->next);
        give_back(rest);
    }
    return list;
}

struct weir__shards *weir__shards_new(void)
{
    struct weir__shards *shards = take();

    if (shards == NULL) {
        shards = weir__memory_alloc(sizeof(*shards), CACHE_APART);
        if (shards == NULL)
            return NULL;
        plain_store(&shards->generation, 0);
    }
    for (uint32_t i = 0; i <= WEIR__SHARDS; i++) { /* the unowned one, too */
        /* relaxed: unshared; but a straggler may still read the seal */
        store_relaxed(&shards->shard[i].count, 0);
        /* relaxed: unshared; a straggler sees another generation */
        store_relaxed(&shards->shard[i].seal,
                      seal_of(plain_load(&shards->generation), 0, SHUT));
    }
    return shards;
}

void weir__shards_free(struct weir__shards *shards)
{
    uint64_t generation = plain_load(&shards->generation);

    if (generation == GENERATION_LAST)
        return; /* leaked; a straggler may still read it */
    plain_store(&shards->generation, generation + 1);
    give_back(shards);
}

void weir__shards_open(struct weir__shards *shards, uint64_t generation)
{
    for (uint32_t i = 0; i < WEIR__SHARDS; i++) {
        uint64_t seen = seal_of(generation, 0, SHUT);

        /* shards/P1 release: publishes what came before the start.  The CAS
         * fails if a fold was first. */
        (void)cas_release(&shards->shard[i].seal, &seen,
                          seal_of(generation, 0, OPEN));
    }
}

bool weir__shards_add(struct weir__shards *shards, int delta)
{
    struct weir__unsettled rest;

    (void)weir__thread_index(); /* assigns a slot the first time */
    if (weir__shards_add_quick(shards, delta, &rest))
        return true;
    return rest.shard != NULL &&
           weir__shard_settle(rest.shard, rest.opened, rest.count);
}

bool weir__shard_settle(struct weir__shard *shard, uint64_t opened,
                        uint64_t count)
{
    uint64_t generation = generation_of(opened);
    uint64_t seen = seal_of(generation, 0, SEALING);

    /* shards/P4 release: publishes what the work did, if our number wins */
    if (cas_release(&shard->seal, &seen,
                    seal_of(generation, (uint32_t)count, SEALED)))
        return true;
    /* The block has a new gate, so the old one was closed and our add was
     * counted. */
    if (generation_of(seen) != generation)
        return true;
    return count_of(seen) == (uint32_t)count;
}

static void announce(struct weir__shard *shard, uint64_t generation)
{
    uint64_t seen = seal_of(generation, 0, SHUT);

    /* relaxed: ordered by P3 */
    if (cas_relaxed(&shard->seal, &seen, seal_of(generation, 0, SEALED)))
        return;
    /* It was OPEN, and only the folder changes it from there. */
    /* relaxed: ordered by P3 */
    (void)cas_relaxed(&shard->seal, &seen, seal_of(generation, 0, SEALING));
}

static uint32_t collect(struct weir__shard *shard, uint64_t generation)
{
    uint64_t seen = seal_of(generation, 0, SEALING);
    /* shards/P2 acquire: receives what the counted work did */
    uint32_t count = (uint32_t)load_acquire(&shard->count);

    /* shards/P4 acquire: receives the same from an owner that was first */
    if (cas_acquire(&shard->seal, &seen, seal_of(generation, count, SEALED)))
        return count;
    return count_of(seen);
}

uint32_t weir__shards_fold(struct weir__shards *shards)
{
    uint64_t generation = plain_load(&shards->generation);
    uint32_t total = 0;

    for (uint32_t i = 0; i < WEIR__SHARDS; i++)
        announce(&shards->shard[i], generation);
    /* shards/P3 heavy: between the seals and the counts */
    weir__membarrier();
    for (uint32_t i = 0; i < WEIR__SHARDS; i++)
        total += collect(&shards->shard[i], generation);
    return total;
}

uint32_t weir__shards_sum(const struct weir__shards *shards)
{
    uint32_t total = 0;

    for (uint32_t i = 0; i < WEIR__SHARDS; i++)
        total += (uint32_t)load_relaxed(
            &shards->shard[i].count); /* relaxed: count */
    return total;
}
