/* SPDX-License-Identifier: MIT */
/*
 * roster -- the list of idle workers: one atomic word, and one lock.
 *
 * Shape     The word holds two counts that producers read:
 *
 *               63              32 31               0
 *              +------------------+------------------+
 *              |     sleepers     |    searchers     |
 *              +------------------+------------------+
 *
 *           New work wakes a worker only if there are sleepers and no
 *           searchers.  A searcher will find the work, and when the last
 *           searcher has found something it looks for more and wakes the next
 *           worker.  So a burst of work wakes the workers one after another,
 *           and while enough workers are awake no producer pays for a wake-up.
 *
 *           The list of sleepers and the number of workers are protected by a
 *           lock, because going idle and waking cost a system call anyway.
 * Roles     notify, wake_one, call, end    any thread
 *           search, found, lie_down, sleep, block, unblock
 *                                          a worker, about itself
 * Progress  notify is wait-free if no worker must be woken: it is one load.
 *
 * Shared state
 *   word    any thread, atomic; sleepers change under lock only       P1 P2
 *   the others   under lock (lock/P1)
 *
 * Pairs
 *   P1  light: notify, between adding the work and the load of the word.
 *       heavy: lie_down and found, between their change of the word and their
 *       last look for work.
 *             a producer                     a worker that finds no work
 *             add the work                   word: one sleeper more, one
 *             fence_light()                        searcher less
 *             if (sleepers, no searchers)    weir__membarrier()
 *                 wake one                   look; if there is some, wake one
 *       Forbidden: the producer reads the old word and the worker sees no work.
 *   P2  look_hard: fetch_add of 0, release  -->  lie_down, found: fetch_add,
 *       fetch_sub, acquire
 *       The same guarantee without membarrier.  Both are read-modify-writes of
 *       one word, so one comes first.  Either notify reads the worker's change,
 *       or the worker acquires what came before notify and sees the work.
 *
 * Not paired, on purpose
 *   search, relaxed: a searcher that others do not see yet does no harm.
 *
 * Why no lost wake  By P1, and because a searcher that others rely on ends
 *           either in `found`, where the last searcher looks again, or in
 *           `lie_down`, where it looks again too.  A woken worker counts as a
 *           searcher from the moment it is removed from the list.  wake_one
 *           checks under the lock that a wake-up is still needed.
 * Why a bunk has one owner  A surplus worker gives up its bunk in the same
 *           critical section that stops counting it as live, and a new worker
 *           gets a bunk in the one that counts it.  So, under the lock, the
 *           number of bunks is the number of live workers plus the free bunks,
 *           and a caller that may add a worker always gets a bunk, or room for
 *           one, that no other worker uses.
 * Why termination is final  Work comes from outside until `is_ending`; after
 *           that only from awake workers and from threads that hold the roster.
 *           When all workers rest, no thread holds, and nothing is queued, no
 *           work can appear.  This is checked under the lock that the last
 *           worker takes to go idle.
 *
 * Tested by  test/model/pool/roster.c, test/unit/pool/roster.c,
 *            test/stress/pool/pool.c
 */
#include "pool/roster.h"

#include <stddef.h>

#include "base/check.h"
#include "base/membarrier.h"

void weir__roster_init(struct weir__roster *roster, uint32_t base)
{
    *roster = (struct weir__roster){.base = base};
    set_unshared(&roster->word, 0);
    roster->is_asymmetric = weir__membarrier_is_ready();
    weir__lock_init(&roster->lock);
}

void weir__bunk_init(struct weir__bunk *bunk)
{
    *bunk = (struct weir__bunk){.next = NULL};
    weir__parker_init(&bunk->parker);
}

uint64_t weir__roster_look_hard(struct weir__roster *roster)
{
    /* roster/P2 release: publishes the work */
    return fetch_add_release(&roster->word, 0);
}

/* Called under lock.  The worker of this bunk is a searcher from now on. */
static void take_off(struct weir__roster *roster, struct weir__bunk *bunk)
{
    *(bunk->prev != NULL ? &bunk->prev->next : &roster->sleepers) = bunk->next;
    if (bunk->next != NULL)
        bunk->next->prev = bunk->prev;
    bunk->is_listed = false;
    roster->resting -= bunk->is_resting;
    /* relaxed: hands nothing over; the parker does */
    fetch_sub_relaxed(&roster->word,
                      WEIR__ROSTER_SLEEPER - WEIR__ROSTER_SEARCHER);
}

/* Called under lock. */
static void put_on(struct weir__roster *roster, struct weir__bunk *bunk,
                   enum weir__rest rest)
{
    bunk->prev = NULL;
    bunk->next = roster->sleepers;
    if (bunk->next != NULL)
        bunk->next->prev = bunk;
    roster->sleepers = bunk;
    bunk->is_listed = true;
    bunk->is_resting = rest == WEIR__REST_DONE;
    roster->resting += bunk->is_resting;
    /* roster/P2 acquire: receives work whose notify came before */
    fetch_add_acquire(&roster->word,
                      WEIR__ROSTER_SLEEPER - WEIR__ROSTER_SEARCHER);
}

void weir__roster_wake_one(struct weir__roster *roster)
{
    struct weir__bunk *bunk = NULL;

    weir__lock_lock(&roster->lock);
    /* relaxed: sleepers change under lock only; a searcher that ends
     * now looks again */
    if (weir__roster_is_blind(load_relaxed(&roster->word))) {
        bunk = roster->sleepers;
        take_off(roster, bunk);
    }
    weir__lock_unlock(&roster->lock);
    if (bunk != NULL)
        weir__parker_unpark(&bunk->parker);
}

/* ---- called by a worker, about itself ---- */

void weir__roster_search(struct weir__roster *roster)
{
    /* relaxed: no thread relies on a searcher before it sees it */
    fetch_add_relaxed(&roster->word, WEIR__ROSTER_SEARCHER);
}

static void settle(const struct weir__roster *roster)
{
    if (roster->is_asymmetric)
        /* roster/P1 heavy: between changing the word and the last look */
        weir__membarrier();
}

bool weir__roster_found(struct weir__roster *roster)
{
    /* roster/P2 acquire: receives work whose notify came before */
    uint64_t old = fetch_sub_acquire(&roster->word, WEIR__ROSTER_SEARCHER);

    if (weir__roster_searchers(old) > 1 || weir__roster_sleepers(old) == 0)
        return false;
    settle(roster);
    return true;
}

/* Keep a bunk for the next worker.  Called under lock. */
static void leave_bunk(struct weir__roster *roster, struct weir__bunk *bunk)
{
    bunk->next = roster->home;
    roster->home = bunk;
}

/* Take a free bunk, or return NULL.  Called under lock. */
static struct weir__bunk *take_bunk(struct weir__roster *roster)
{
    struct weir__bunk *bunk = roster->home;

    if (bunk != NULL)
        roster->home = bunk->next;
    return bunk;
}

/* Called under lock. */
static bool is_crowded(const struct weir__roster *roster)
{
    return roster->live - roster->blocked > roster->base;
}

enum weir__order weir__roster_lie_down(struct weir__roster *roster,
                                       struct weir__bunk *bunk,
                                       enum weir__rest rest)
{
    enum weir__order order = WEIR__ORDER_SLEEP;

    weir__lock_lock(&roster->lock);
    if (rest == WEIR__REST_DONE && is_crowded(roster)) {
        order = WEIR__ORDER_LEAVE;
        roster->live--;
        leave_bunk(roster, bunk);
        /* roster/P2 acquire: receives work whose notify came before */
        fetch_sub_acquire(&roster->word, WEIR__ROSTER_SEARCHER);
    } else {
        put_on(roster, bunk, rest);
    }
    weir__lock_unlock(&roster->lock);
    settle(roster);
    return order;
}

bool weir__roster_sleep(struct weir__roster *roster, struct weir__bunk *bunk)
{
    bool is_over;

    weir__parker_park(&bunk->parker);
    weir__lock_lock(&roster->lock);
    if (bunk->is_listed) /* called, not woken for work */
        take_off(roster, bunk);
    is_over = roster->is_over;
    weir__lock_unlock(&roster->lock);
    if (is_over)
        /* relaxed: no thread adds work any more */
        fetch_sub_relaxed(&roster->word, WEIR__ROSTER_SEARCHER);
    return !is_over;
}

void weir__roster_call(struct weir__bunk *bunk)
{
    weir__parker_unpark(&bunk->parker);
}

/* ---- number of workers ---- */

bool weir__roster_join(struct weir__roster *roster)
{
    bool is_over;

    weir__lock_lock(&roster->lock);
    is_over = roster->is_over;
    roster->live += !is_over;
    weir__lock_unlock(&roster->lock);
    if (!is_over)
        weir__roster_search(roster);
    return !is_over;
}

void weir__roster_unjoin(struct weir__roster *roster, struct weir__bunk *bunk)
{
    weir__lock_lock(&roster->lock);
    roster->live--;
    if (bunk != NULL)
        leave_bunk(roster, bunk);
    weir__lock_unlock(&roster->lock);
    /* Others may have relied on it as a searcher. */
    if (weir__roster_found(roster))
        weir__roster_wake_one(roster);
}

bool weir__roster_block(struct weir__roster *roster, uint32_t limit,
                        struct weir__bunk **bunk)
{
    bool is_wanted;

    weir__lock_lock(&roster->lock);
    roster->blocked++;
    is_wanted =
        roster->live - roster->blocked < roster->base && roster->live < limit;
    roster->live += is_wanted;
    if (is_wanted)
        *bunk = take_bunk(roster);
    weir__lock_unlock(&roster->lock);
    if (is_wanted)
        weir__roster_search(roster);
    return is_wanted;
}

void weir__roster_unblock(struct weir__roster *roster)
{
    weir__lock_lock(&roster->lock);
    roster->blocked--;
    weir__lock_unlock(&roster->lock);
}

bool weir__roster_hold(struct weir__roster *roster)
{
    bool is_over;

    weir__lock_lock(&roster->lock);
    is_over = roster->is_over;
    roster->holds += !is_over;
    weir__lock_unlock(&roster->lock);
    return !is_over;
}

void weir__roster_let_go(struct weir__roster *roster)
{
    weir__lock_lock(&roster->lock);
    roster->holds--;
    weir__lock_unlock(&roster->lock);
}

static void call_all(struct weir__roster *roster)
{
    for (struct weir__bunk *bunk = roster->sleepers; bunk != NULL;
         bunk = bunk->next)
        weir__parker_unpark(&bunk->parker);
}

bool weir__roster_end(struct weir__roster *roster, bool begin,
                      bool (*is_empty)(void *arg), void *arg)
{
    bool is_mine;

    weir__lock_lock(&roster->lock);
    roster->is_ending |= begin;
    is_mine = roster->is_ending && !roster->is_over && roster->holds == 0 &&
              roster->resting == roster->live && is_empty(arg);
    if (is_mine) {
        roster->is_over = true;
        call_all(roster);
    }
    weir__lock_unlock(&roster->lock);
    return is_mine;
}
