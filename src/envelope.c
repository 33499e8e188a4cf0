/* SPDX-License-Identifier: MIT */
/*
 * envelope -- storage of submitted calls, handed out in a row and taken back
 * by the block.
 *
 * Shape     Each producer thread has a lane to each loop, and in it one block
 *           that it fills from front to end.  Envelopes lie side by side, so
 *           the loop's prefetcher sees them coming although they are a list.
 *           The loop counts in each block what it has opened; when that is
 *           all, the block goes back to the lane it came from.
 *
 *              producer                          loop
 *              current: [used|used|here|    ]    opened: 1
 *                 ^---- one, when it is full ---- spare <- push
 *
 * Roles     take, return   the lane's thread
 *           open           the loop's thread
 * Progress  take and open: wait-free but for the allocator, and but for a
 *           moment in which the other side has the spares in its hands.
 * Memory    What waits takes 48 bytes for each call; nothing bounds how much
 *           that is, as a submit does not block.  Besides, a busy loop keeps up
 *           to MOST envelopes in each lane's spares: to give them back and to
 *           ask for them again would cost a page fault each time.  What is
 *           beyond goes back to the allocator as soon as it is opened; before
 *           the loop sleeps, so do the spares of lanes with more than KEPT.
 *
 * Shared state
 *   lane[]          its thread alone.  A thread's number passes to the next
 *                   one under a mutex (thread.c), and what it indexes with it
 *   lane.current, .used            the lane's thread, plain
 *   lane.taken                     the lane's thread; the loop reads: a count
 *   block.opened                   the loop's thread, plain, from its first
 *                                  envelope on, which comes by ingress/P1
 *   lane.spare      both, atomic                                          P1
 *   block.next                     whoever has the block                  P1
 *   lane.given, .seen_taken, .next_giver   the loop's thread, plain
 *
 * Pairs
 *   P1  open: CAS on spare, release  -->  take: exchange on spare, acquire
 *       Hands back the block, which the loop has read.
 *   P2  take: CAS on spare, release  -->  trim: exchange on spare, acquire
 *       Hands back what the producer had in its hands.
 *
 * Why no ABA        open and take push, and never look below the top that they
 *                   compare; whoever wants to look takes all.
 *
 * Tested by  test/unit/envelope.c, test/model/envelope.c, test/stress/ingress.c
 */
#include "envelope.h"

#include <stdbool.h>
#include <stddef.h>

#include "memory.h"
#include "thread.h"

#ifdef WEIR_SMALL
enum { SMALLEST = 2, LARGEST = 4, KEPT = 4, MOST = 6 };
#else
enum { SMALLEST = 64, LARGEST = 1024, KEPT = 2048, MOST = 16384 };
#endif

struct weir__block {
    struct weir__lane *lane; /* const; NULL: an envelope of its own */
    struct weir__block *next;
    uint32_t size;   /* const: how many envelopes */
    uint32_t opened; /* loop only */
    struct weir__envelope envelope[];
};

struct weir__lane {
    struct weir__block *current; /* producer only */
    uint32_t used;               /* producer only: envelopes of current */
    uint32_t room;               /* producer only: the size of current */
    uint32_t next_size;          /* producer only: of the next new block */
    atomic(uint64_t) taken;      /* producer: the same; the loop reads it */
    /* loop only: envelopes in spares; with those that were taken */
    _Alignas(CACHE_APART) uint64_t given;
    uint64_t seen_taken; /* loop only: `taken`, when it last mattered */
    bool is_giver;       /* loop only: it is in office->givers */
    struct weir__lane *next_giver;      /* loop only */
    struct weir__envelopes *office;     /* const */
    atomic(struct weir__block *) spare; /* both, P1 */
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

/* The last of a list, which is short: what the loop gave back in a moment. */
static struct weir__block *last_of(struct weir__block *block)
{
    while (plain_load(&block->next) != NULL)
        block = plain_load(&block->next);
    return block;
}

/* One block of what the loop gave back.  The others stay there, where the loop
 * can give them to the allocator.  All are taken, so that the first can be
 * looked at, and then put back, below what has come meanwhile. */
static struct weir__block *take_spare(struct weir__lane *lane)
{
    /* envelope/P1 acquire: receives blocks that the loop is through with */
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
        /* envelope/P1 acquire: receives blocks that have come meanwhile */
        struct weir__block *newer = swap_acquire(&lane->spare, NULL);

        if (newer != NULL) {
            plain_store(&last_of(newer)->next, rest);
            rest = newer;
        }
        seen = NULL;
    }
    return first;
}

/* A new block, twice as large as the last one: there is a backlog, and the
 * allocator is what it costs. */
static struct weir__block *new_larger_block(struct weir__lane *lane)
{
    struct weir__block *block = new_block(lane, lane->next_size);

    if (block != NULL && lane->next_size < LARGEST)
        lane->next_size *= 2;
    return block;
}

/* A block for current. */
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

/* The lanes that have something to trim. */
static void list_giver(struct weir__lane *lane)
{
    if (lane->is_giver)
        return;
    lane->is_giver = true;
    lane->next_giver = lane->office->givers;
    lane->office->givers = lane;
}

/* Whether the lane has spares for a burst.  Its thread's count is in another
 * cache line: it is looked at only when it may make a difference. */
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
        /* envelope/P2 acquire: the producer has put them back */
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
        /* Unless the loop has given it back already. */
        if (lane->used < lane->room)
            weir__memory_free(lane->current, bytes_of(lane->room));
        /* relaxed: unshared, no thread is inside any more */
        free_blocks(load_relaxed(&lane->spare));
        weir__memory_free(lane, sizeof(*lane));
    }
}
