/* SPDX-License-Identifier: MIT */
/*
 * docket -- jobs allocated in blocks by one thread, released by many.
 *
 * Shape     Each producer thread has a desk (a cache) in each pool, with one
 *           pad (a block of dockets) that it hands out from front to back.  A
 *           pad counts the dockets that are not opened yet.  A worker does not
 *           decrement that count for each docket.  It keeps a tally for the
 *           current pad and subtracts it when it gets to another pad, or before
 *           it sleeps.  The worker that takes the count to zero returns the pad
 *           to its desk.
 *
 *              producer                         workers
 *              pad: [used|used|next|    |    ]  tally: 17 of this pad
 *                 ^--- one, when it is full --- left 0: push on `spare`
 *
 * Roles     take, return   the desk's thread
 *           open, settle   the workers
 * Progress  take and open are wait-free except for the allocator.
 * Memory    A busy pool keeps all pads that it needed at once, because freeing
 *           and reallocating them would cost page faults each time.  Before a
 *           worker sleeps, it frees the spare pads of desks that keep more than
 *           KEPT.
 *
 * Shared state
 *   desk[]                    its thread only.  A thread's index passes to the
 *                             next thread under a mutex (thread.c)
 *   desk.pad, .used, .free    the desk's thread, plain
 *   pad.left                  workers decrement, the producer sets it     P1
 *   desk.spare                workers push; producer and trim take all    P2
 *   all, desk.next            a producer pushes its desk; trim reads      P3
 *   desk.kept                 both, relaxed: a count
 *   pad.next                  the thread that has the pad                 P2
 *
 * Pairs
 *   P1  settle: fetch_sub, release  -->  the settle that reaches zero, acquire
 *       All other workers have read their dockets of the pad.
 *   P2  settle: CAS on spare, release  -->  take, trim: exchange on spare,
 *       acquire
 *       Hands back the pad.
 *   P3  take: CAS on all, release  -->  trim: load, acquire
 *       Hands over a new desk.
 *
 * Why no ABA        settle only pushes and never dereferences the top; the
 *                   others take the whole stack.
 *
 * Tested by  test/unit/pool/docket.c, test/model/pool/docket.c,
 *            test/stress/pool/pool.c
 */
#include "pool/docket.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/thread.h"

#ifdef WEIR_SMALL
enum { SIZE = 2, KEPT = 1 };
#else
enum { SIZE = 256, KEPT = 16 };
#endif

struct weir__pad {
    struct weir__desk *desk; /* const; NULL: a single docket */
    struct weir__pad *next;
    atomic(uint32_t) left; /* workers, P1 */
    _Alignas(CACHE_LINE) struct weir__docket docket[];
};

struct weir__desk {
    struct weir__pad *pad;  /* producer only */
    uint32_t used;          /* producer only: dockets used of pad */
    struct weir__pad *free; /* producer only */
    _Alignas(CACHE_APART) atomic(struct weir__pad *) spare; /* all, P2 */
    atomic(uint32_t) kept;   /* all: approximate pads in free and spare */
    struct weir__desk *next; /* const after it is in office.all */
};

static size_t bytes_of(uint32_t dockets)
{
    return sizeof(struct weir__pad) + dockets * sizeof(struct weir__docket);
}

static struct weir__pad *new_pad(struct weir__desk *desk, uint32_t dockets)
{
    struct weir__pad *pad = weir__memory_alloc(bytes_of(dockets), CACHE_LINE);

    if (pad == NULL)
        return NULL;
    pad->desk = desk;
    set_unshared(&pad->left, dockets);
    for (uint32_t i = 0; i < dockets; i++)
        pad->docket[i].pad = pad;
    return pad;
}

/* ---- producers ---- */

/* Continue with a returned pad, or a new one. */
static bool turn_page(struct weir__desk *desk)
{
    struct weir__pad *pad = desk->free;

    if (pad == NULL)
        /* docket/P2 acquire: receives pads that all workers have read */
        pad = swap_acquire(&desk->spare, NULL);
    if (pad != NULL) {
        desk->free = plain_load(&pad->next);
        fetch_sub_relaxed(&desk->kept, 1); /* relaxed: count */
        /* relaxed: unshared */
        store_relaxed(&pad->left, SIZE);
    } else {
        pad = new_pad(desk, SIZE);
    }
    if (pad == NULL)
        return false;
    desk->pad = pad;
    desk->used = 0;
    return true;
}

/* Make a desk visible to trim. */
static void list(struct weir__dockets *office, struct weir__desk *desk)
{
    /* relaxed: a guess, checked by the CAS */
    desk->next = load_relaxed(&office->all);
    /* docket/P3 release: publishes the desk */
    while (!cas_weak_release(&office->all, &desk->next, desk))
        ;
}

static struct weir__desk *new_desk(struct weir__dockets *office)
{
    struct weir__desk *desk = weir__memory_alloc(sizeof(*desk), CACHE_APART);

    if (desk == NULL)
        return NULL;
    desk->free = NULL;
    set_unshared(&desk->spare, NULL);
    set_unshared(&desk->kept, 0);
    if (!turn_page(desk)) {
        weir__memory_free(desk, sizeof(*desk));
        return NULL;
    }
    list(office, desk);
    return desk;
}

__attribute__((cold, noinline)) static struct weir__docket *
take_slowly(struct weir__dockets *office, uint32_t thread)
{
    struct weir__desk *desk;

    if (thread >= WEIR__DOCKET_DESKS) {
        struct weir__pad *pad = new_pad(NULL, 1);

        return pad == NULL ? NULL : &pad->docket[0];
    }
    desk = office->desk[thread];
    if (desk == NULL)
        desk = office->desk[thread] = new_desk(office);
    else if (!turn_page(desk))
        return NULL;
    return desk == NULL ? NULL : &desk->pad->docket[desk->used++];
}

struct weir__docket *weir__docket_take(struct weir__dockets *office)
{
    uint32_t thread = weir__thread_index();
    struct weir__desk *desk =
        thread < WEIR__DOCKET_DESKS ? office->desk[thread] : NULL;

    if (desk == NULL || desk->used == SIZE)
        return take_slowly(office, thread);
    return &desk->pad->docket[desk->used++];
}

void weir__docket_return(struct weir__dockets *office,
                         struct weir__docket *docket)
{
    uint32_t thread = weir__thread_index();

    if (thread < WEIR__DOCKET_DESKS)
        office->desk[thread]->used--;
    else
        weir__memory_free(docket->pad, bytes_of(1));
}

/* ---- workers ---- */

static void give_back(struct weir__pad *pad)
{
    struct weir__desk *desk = pad->desk;
    struct weir__pad *seen;

    if (desk == NULL) {
        weir__memory_free(pad, bytes_of(1));
        return;
    }
    fetch_add_relaxed(&desk->kept, 1); /* relaxed: count */
    /* relaxed: a guess, checked by the CAS */
    seen = load_relaxed(&desk->spare);
    do
        plain_store(&pad->next, seen);
    /* docket/P2 release: all workers have read it */
    while (!cas_weak_release(&desk->spare, &seen, pad));
}

void weir__docket_settle(struct weir__tally *tally)
{
    struct weir__pad *pad = tally->pad;

    if (pad == NULL)
        return;
    tally->pad = NULL;
    /* docket/P1 release: our dockets were read
     * docket/P1 acquire: so were those of the others, if this is the last */
    if (fetch_sub_acq_rel(&pad->left, tally->opened) == tally->opened)
        give_back(pad);
}

struct weir__call weir__docket_open(struct weir__docket *docket,
                                    struct weir__tally *tally)
{
    struct weir__call call = {docket->fn, docket->arg};

    if (tally->pad != docket->pad) {
        weir__docket_settle(tally);
        tally->pad = docket->pad;
        tally->opened = 0;
    }
    tally->opened++;
    return call;
}

/* Returns the number of pads freed. */
static uint32_t free_pads(struct weir__pad *pad)
{
    uint32_t count = 0;

    for (; pad != NULL; count++) {
        struct weir__pad *next = plain_load(&pad->next);

        weir__memory_free(pad, bytes_of(SIZE));
        pad = next;
    }
    return count;
}

void weir__dockets_trim(struct weir__dockets *office)
{
    /* docket/P3 acquire: receives the desks */
    struct weir__desk *desk = load_acquire(&office->all);

    for (; desk != NULL; desk = desk->next) {
        uint32_t count;

        if (load_relaxed(&desk->kept) <= KEPT) /* relaxed: count */
            continue;
        /* docket/P2 acquire: receives pads that all workers have read */
        count = free_pads(swap_acquire(&desk->spare, NULL));
        fetch_sub_relaxed(&desk->kept, count); /* relaxed: count */
    }
}

/* ---- init and fini ---- */

void weir__dockets_init(struct weir__dockets *office)
{
    for (uint32_t i = 0; i < WEIR__DOCKET_DESKS; i++)
        office->desk[i] = NULL;
    set_unshared(&office->all, NULL);
}

void weir__dockets_fini(struct weir__dockets *office)
{
    for (uint32_t i = 0; i < WEIR__DOCKET_DESKS; i++) {
        struct weir__desk *desk = office->desk[i];

        if (desk == NULL)
            continue;
        if (desk->used < SIZE) /* otherwise a worker has given it back */
            weir__memory_free(desk->pad, bytes_of(SIZE));
        (void)free_pads(desk->free);
        /* relaxed: unshared, no thread uses it any more */
        (void)free_pads(load_relaxed(&desk->spare));
        weir__memory_free(desk, sizeof(*desk));
    }
}
