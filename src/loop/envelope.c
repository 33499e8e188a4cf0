/* SPDX-License-Identifier: MIT */
/*
 * envelope -- storage of submitted calls, handed out one by one and recycled by
 * the block.
 *
 * Shape     Each producer thread has a lane (a cache of its own) to each loop.
 *           A lane has one current block, which is filled from front to end.
 *           Envelopes are adjacent, so the loop's prefetcher works although the
 *           tasks are a list.  The loop counts the opened envelopes of each
 *           block; when all are opened, the block goes back to its lane.
 *
 *              producer                          loop
 *              current: [used|used|here|    ]    opened: 1
 *                 ^---- one, when it is full ---- spare <- push
 *
 * Roles     take, return   the lane's thread
 *           open           the loop's thread
 * Progress  take and open are wait-free, except for the allocator, and except
 *           while the other side changes the list of spares.
 * Memory    A pending call takes 48 bytes.  The number of pending calls is not
 *           bounded, because a submit does not block.  A busy loop also keeps
 *           up to MOST envelopes in each lane's spares: freeing and allocating
 *           them again would cost a page fault each time.  Blocks beyond that
 *           are freed as soon as they are opened.  Before the loop sleeps, it
 *           frees the spares of lanes with more than KEPT.
 *
 * Shared state
 *   lane[]          its thread only.  A thread's number passes to another
 *                   thread under a mutex (thread.c), and the lane with it
 *   lane.current, .used            the lane's thread, plain
 *   lane.taken                     the lane's thread; the loop reads: a count
 *   block.opened                   the loop's thread, plain, from its first
 *                                  envelope on, which comes by ingress/P1
 *   lane.spare      both, atomic                                       P1 P2
 *   block.next      the thread that has the block                      P1 P2
 *   lane.given, .seen_taken, .next_giver   the loop's thread, plain
 *
 * Pairs
 *   P1  open: CAS on spare, release  -->  take: exchange on spare, acquire
 *       Returns a block that the loop has finished reading.
 *   P2  take: CAS on spare, release  -->  trim: exchange on spare, acquire
 *       Returns the blocks that the producer had taken.
 *
 * Why no ABA        open and take push without reading below the head that they
 *                   compare; a thread that wants to read takes all.
 *
 * Tested by  test/unit/loop/envelope.c, test/model/loop/envelope.c,
 *            test/stress/loop/ingress.c
 */
#include "loop/envelope.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/thread.h"

#ifdef WEIR_SMALL
enum { SMALLEST = 2, LARGEST = 4, KEPT = 4, MOST = 6 };
#else
enum { SMALLEST = 64, LARGEST = 1024, KEPT = 2048, MOST = 16384 };
#endif

struct weir__block {
    struct weir__lane *lane; /* const; NULL: a single envelope */
    struct weir__block *next;
    uint32_t size;   /* const: the number of envelopes */
    uint32_t opened; /* loop only */
    struct weir__envelope envelope[];
};

struct weir__lane {
    struct weir__block *current; /* producer only */
    uint32_t used;               /* producer only: envelopes used of current */
    uint32_t room;               /* producer only: the size of current */
    uint32_t next_size;          /* producer only: size of the next new block */
    atomic(uint64_t) taken;      /* producer: from spares; the loop reads it */
    /* loop only: `taken`, plus the envelopes in spare */
    _Alignas(CACHE_APART) uint64_t given;
    uint64_t seen_taken; /* loop only: `taken`, as the loop last read it */
    bool is_giver;       /* loop only: is in office->givers */
    struct weir__lane *next_giver;      /* loop only */
    struct weir__envelopes *office;     /* const */
    atomic(struct weir__block *) spare; /* both, P1 and P2 */
};

static size_t bytes_of(uint32_t envelopes)
{
    return sizeof(struct weir__block) +
           envelopes * sizeof(struct weir__envelope);
}

static struct weir__block *new_block(struct weir__lane *lane,
                                     uint32_t envelopes)
{
    struct weir__block *block =
        weir__memory_alloc(bytes_of(envelopes), CACHE_LINE);

    if (block == NULL)
        return NULL;
    block->lane = lane;
    block->size = envelopes;
    plain_store(&block->opened, 0);
    for (uint32_t i = 0; i < envelopes; i++)
        block->envelope[i].block = block;
    return block;
}

/* ---- the producer's side ---- */

/* The last block of a list.  It is short: blocks that the loop has just
 * returned. */
static struct weir__block *last_of(struct weir__block *block)
{
    while (plain_load(&block->next) != NULL)
        block = plain_load(&block->next);
    return block;
}

/* Take one block of those that the loop returned.  The others stay, where the
 * loop can free them.  Reading the first one's link requires taking all; the
 * rest are then put back below any blocks that arrived meanwhile. */
static struct weir__block *take_spare(struct weir__lane *lane)
{
    /* envelope/P1 acquire: receives blocks that the loop has finished */
    struct weir__block *first = swap_acquire(&lane->spare, NULL);
    struct weir__block *rest;
    struct weir__block *seen = NULL;

    if (first == NULL)
        return NULL;
    /* relaxed: own, shown to the loop */
    store_relaxed(&lane->taken, load_relaxed(&lane->taken) + first->size);
    rest = plain_load(&first->next);
    /* envelope/P2 release: we have read their links */
    while (rest != NULL && !cas_release(&lane->spare, &seen, rest)) {
        /* envelope/P1 acquire: receives blocks that arrived meanwhile */
        struct weir__block *newer = swap_acquire(&lane->spare, NULL);

        if (newer != NULL) {
            plain_store(&last_of(newer)->next, rest);
            rest = newer;
        }
        seen = NULL;
    }
    return first;
}

/* Allocate a block, twice as large as the last one: there is a backlog, and the
 * allocator dominates its cost. */
static struct weir__block *new_larger_block(struct weir__lane *lane)
{
    struct weir__block *block = new_block(lane, lane->next_size);

    if (block != NULL && lane->next_size < LARGEST)
        lane->next_size *= 2;
    return block;
}

/* Get a new current block. */
static bool turn_page(struct weir__lane *lane)
{
    struct weir__block *block = take_spare(lane);

    if (block != NULL)
        lane->next_size = SMALLEST;
    else
        block = new_larger_block(lane);
    if (block == NULL)
        return false;
    lane->current = block;
    lane->used = 0;
    lane->room = block->size;
    return true;
}

static struct weir__lane *new_lane(struct weir__envelopes *office)
{
    struct weir__lane *lane = weir__memory_alloc(sizeof(*lane), CACHE_APART);

    if (lane == NULL)
        return NULL;
    lane->next_size = SMALLEST;
    set_unshared(&lane->taken, 0);
    lane->given = lane->seen_taken = 0;
    lane->is_giver = false;
    lane->office = office;
    set_unshared(&lane->spare, NULL);
    if (!turn_page(lane)) {
        weir__memory_free(lane, sizeof(*lane));
        return NULL;
    }
    return lane;
}

/* For a thread without a lane. */
static struct weir__envelope *take_single(void)
{
    struct weir__block *block = new_block(NULL, 1);

    return block == NULL ? NULL : &block->envelope[0];
}

__attribute__((cold, noinline)) static struct weir__envelope *
take_slowly(struct weir__envelopes *office, uint32_t thread)
{
    struct weir__lane *lane;

    if (thread >= WEIR__ENVELOPE_LANES)
        return take_single();
    lane = office->lane[thread];
    if (lane == NULL)
        lane = office->lane[thread] = new_lane(office);
    else if (!turn_page(lane))
        return NULL;
    return lane == NULL ? NULL : &lane->current->envelope[lane->used++];
}

struct weir__envelope *weir__envelope_take(struct weir__envelopes *office)
{
    uint32_t thread = weir__thread_index();
    struct weir__lane *lane =
        thread < WEIR__ENVELOPE_LANES ? office->lane[thread] : NULL;

    if (lane == NULL || lane->used == lane->room)
        return take_slowly(office, thread);
    return &lane->current->envelope[lane->used++];
}

void weir__envelope_return(struct weir__envelopes *office,
                           struct weir__envelope *envelope)
{
    uint32_t thread = weir__thread_index();

    if (thread < WEIR__ENVELOPE_LANES)
        office->lane[thread]->used--;
    else
        weir__memory_free(envelope->block, bytes_of(1));
}

/* ---- the loop's side ---- */

/* List a lane that may have blocks to trim. */
static void list_giver(struct weir__lane *lane)
{
    if (lane->is_giver)
        return;
    lane->is_giver = true;
    lane->next_giver = lane->office->givers;
    lane->office->givers = lane;
}

/* Whether the lane has enough spares for a burst.  The producer's count is in
 * another cache line, so it is read only if it may make a difference. */
static bool has_most(struct weir__lane *lane)
{
    if (lane->given - lane->seen_taken < MOST)
        return false;
    lane->seen_taken = load_relaxed(&lane->taken); /* relaxed: count */
    return lane->given - lane->seen_taken >= MOST;
}

static void give_back(struct weir__block *block)
{
    struct weir__lane *lane = block->lane;
    /* relaxed: a guess, checked by the CAS */
    struct weir__block *seen = load_relaxed(&lane->spare);

    if (has_most(lane)) {
        weir__memory_free(block, bytes_of(block->size));
        return;
    }
    list_giver(lane);
    lane->given += block->size;
    plain_store(&block->opened, 0);
    do
        plain_store(&block->next, seen);
    /* envelope/P1 release: the loop has read all of it */
    while (!cas_weak_release(&lane->spare, &seen, block));
}

struct weir__call weir__envelope_open(struct weir__envelope *envelope)
{
    struct weir__call call = {envelope->fn, envelope->arg};
    struct weir__block *block = envelope->block;

    if (block->lane == NULL)
        weir__memory_free(block, bytes_of(1));
    else if (++block->opened == block->size)
        give_back(block);
    return call;
}

static void free_blocks(struct weir__block *block)
{
    while (block != NULL) {
        struct weir__block *next = plain_load(&block->next);

        weir__memory_free(block, bytes_of(block->size));
        block = next;
    }
}

void weir__envelopes_trim(struct weir__envelopes *office)
{
    for (struct weir__lane *lane = office->givers; lane != NULL;
         lane = lane->next_giver) {
        uint64_t taken = load_relaxed(&lane->taken); /* relaxed: count */

        if (lane->given - taken <= KEPT)
            continue;
        lane->given = lane->seen_taken = taken;
        /* envelope/P2 acquire: receives what the producer put back */
        free_blocks(swap_acquire(&lane->spare, NULL));
    }
}

/* ---- both ---- */

void weir__envelopes_init(struct weir__envelopes *office)
{
    office->givers = NULL;
    for (uint32_t i = 0; i < WEIR__ENVELOPE_LANES; i++)
        office->lane[i] = NULL;
}

void weir__envelopes_fini(struct weir__envelopes *office)
{
    for (uint32_t i = 0; i < WEIR__ENVELOPE_LANES; i++) {
        struct weir__lane *lane = office->lane[i];

        if (lane == NULL)
            continue;
        /* Otherwise the loop has returned it already. */
        if (lane->used < lane->room)
            weir__memory_free(lane->current, bytes_of(lane->room));
        /* relaxed: unshared, no thread is inside any more */
        free_blocks(load_relaxed(&lane->spare));
        weir__memory_free(lane, sizeof(*lane));
    }
}
