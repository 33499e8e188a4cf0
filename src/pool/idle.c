/* SPDX-License-Identifier: MIT */
/*
 * idle -- the list of idle workers: one atomic word, and one lock.
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
 *           search, found, enter, sleep, block, unblock
 *                                          a worker, about itself
 * Progress  notify is wait-free if no worker must be woken: it is one load.
 *
 * Shared state
 *   word    any thread, atomic; sleepers change under lock only       P1 P2
 *   the others   under lock (lock/P1)
 *
 * Pairs
 *   P1  light: notify, between adding the work and the load of the word.
 *       heavy: enter and found, between their change of the word and their
 *       last look for work.
 *             a producer                     a worker that finds no work
 *             add the work                   word: one sleeper more, one
 *             fence_light()                        searcher less
 *             if (sleepers, no searchers)    weir__membarrier()
 *                 wake one                   look; if there is some, wake one
 *       Forbidden: the producer reads the old word and the worker sees no work.
 *   P2  look_hard: fetch_add of 0, found: fetch_sub, release  -->  enter,
 *       found: fetch_add, fetch_sub, acquire
 *       The same guarantee without membarrier.  Both are read-modify-writes of
 *       one word, so one comes first.  Either notify reads the worker's change,
 *       or the worker acquires what came before notify and sees the work.
 *
 * Not paired, on purpose
 *   search, relaxed: a searcher that others do not see yet does no harm.
 *
 * Why no lost wake  By P1, and because a searcher that others rely on ends
 *           either in `found`, where the last searcher looks again, or in
 *           `enter`, where it looks again too.  A woken worker counts as a
 *           searcher from the moment it is removed from the list.  wake_one
 *           checks under the lock that a wake-up is still needed.
 * Why a slot has one owner  A surplus worker gives up its slot in the same
 *           critical section that stops counting it as live, and a new worker
 *           gets a slot in the one that counts it.  So, under the lock, the
 *           number of slots is the number of live workers plus the free slots,
 *           and a caller that may add a worker always gets a slot, or room for
 *           one, that no other worker uses.
 * Why termination is final  Work comes from outside until `is_ending`; after
 *           that only from awake workers and from threads with a hold.  When
 *           all workers rest, there are no holds, and nothing is queued, no
 *           work can appear.  This is checked under the lock that the last
 *           worker takes to go idle.
 *
 * Tested by  test/model/pool/idle.c, test/unit/pool/idle.c,
 *            test/stress/pool/pool.c
 */
#include "pool/idle.h"

#include <stddef.h>

#include "base/check.h"
#include "base/membarrier.h"

void weir__idle_init(struct weir__idle *idle, uint32_t base)
{
    *idle = (struct weir__idle){.base = base};
    set_unshared(&idle->word, 0);
    idle->is_asymmetric = weir__membarrier_is_ready();
    weir__lock_init(&idle->lock);
}

void weir__idle_slot_init(struct weir__idle_slot *slot)
{
    *slot = (struct weir__idle_slot){.next = NULL};
    weir__parker_init(&slot->parker);
}

uint64_t weir__idle_look_hard(struct weir__idle *idle)
{
    /* idle/P2 release: publishes the work */
    return fetch_add_release(&idle->word, 0);
}

/* Called under lock.  The worker of this slot is a searcher from now on. */
static void take_off(struct weir__idle *idle, struct weir__idle_slot *slot)
{
    *(slot->prev != NULL ? &slot->prev->next : &idle->sleepers) = slot->next;
    if (slot->next != NULL)
        slot->next->prev = slot->prev;
    slot->is_listed = false;
    idle->resting -= slot->is_resting;
    /* relaxed: hands nothing over; the parker does */
    fetch_sub_relaxed(&idle->word, WEIR__IDLE_SLEEPER - WEIR__IDLE_SEARCHER);
}

/* Called under lock. */
static void put_on(struct weir__idle *idle, struct weir__idle_slot *slot,
                   enum weir__rest rest)
{
    slot->prev = NULL;
    slot->next = idle->sleepers;
    if (slot->next != NULL)
        slot->next->prev = slot;
    idle->sleepers = slot;
    slot->is_listed = true;
    slot->is_resting = rest == WEIR__REST_DONE;
    idle->resting += slot->is_resting;
    /* idle/P2 acquire: receives work whose notify came before */
    fetch_add_acquire(&idle->word, WEIR__IDLE_SLEEPER - WEIR__IDLE_SEARCHER);
}

void weir__idle_wake_one(struct weir__idle *idle)
{
    struct weir__idle_slot *slot = NULL;

    weir__lock_lock(&idle->lock);
    /* relaxed: sleepers change under lock only; a searcher that ends
     * now looks again */
    if (weir__idle_is_blind(load_relaxed(&idle->word))) {
        slot = idle->sleepers;
        take_off(idle, slot);
    }
    weir__lock_unlock(&idle->lock);
    if (slot != NULL)
        weir__parker_unpark(&slot->parker);
}

/* ---- called by a worker, about itself ---- */

void weir__idle_search(struct weir__idle *idle)
{
    /* relaxed: no thread relies on a searcher before it sees it */
    fetch_add_relaxed(&idle->word, WEIR__IDLE_SEARCHER);
}

static void settle(const struct weir__idle *idle)
{
    if (idle->is_asymmetric)
        /* idle/P1 heavy: between changing the word and the last look */
        weir__membarrier();
}

bool weir__idle_found(struct weir__idle *idle)
{
    /* idle/P2 acquire: receives work whose notify came before
     * idle/P2 release: publishes work that this worker has moved to its queue */
    uint64_t old = fetch_sub_acq_rel(&idle->word, WEIR__IDLE_SEARCHER);

    if (weir__idle_searchers(old) > 1 || weir__idle_sleepers(old) == 0)
        return false;
    settle(idle);
    return true;
}

/* Keep a slot for the next worker.  Called under lock. */
static void free_slot(struct weir__idle *idle, struct weir__idle_slot *slot)
{
    slot->next = idle->free_slots;
    idle->free_slots = slot;
}

/* Take a free slot, or return NULL.  Called under lock. */
static struct weir__idle_slot *take_slot(struct weir__idle *idle)
{
    struct weir__idle_slot *slot = idle->free_slots;

    if (slot != NULL)
        idle->free_slots = slot->next;
    return slot;
}

/* Called under lock. */
static bool is_crowded(const struct weir__idle *idle)
{
    return idle->live - idle->blocked > idle->base;
}

enum weir__order weir__idle_enter(struct weir__idle *idle,
                                  struct weir__idle_slot *slot,
                                  enum weir__rest rest)
{
    enum weir__order order = WEIR__ORDER_SLEEP;

    weir__lock_lock(&idle->lock);
    if (rest == WEIR__REST_DONE && is_crowded(idle)) {
        order = WEIR__ORDER_LEAVE;
        idle->live--;
        free_slot(idle, slot);
        /* idle/P2 acquire: receives work whose notify came before */
        fetch_sub_acquire(&idle->word, WEIR__IDLE_SEARCHER);
    } else {
        put_on(idle, slot, rest);
    }
    weir__lock_unlock(&idle->lock);
    settle(idle);
    return order;
}

bool weir__idle_sleep(struct weir__idle *idle, struct weir__idle_slot *slot)
{
    bool is_over;

    weir__parker_park(&slot->parker);
    weir__lock_lock(&idle->lock);
    if (slot->is_listed) /* called, not woken for work */
        take_off(idle, slot);
    is_over = idle->is_over;
    weir__lock_unlock(&idle->lock);
    if (is_over)
        /* relaxed: no thread adds work any more */
        fetch_sub_relaxed(&idle->word, WEIR__IDLE_SEARCHER);
    return !is_over;
}

void weir__idle_call(struct weir__idle_slot *slot)
{
    weir__parker_unpark(&slot->parker);
}

/* ---- number of workers ---- */

bool weir__idle_join(struct weir__idle *idle)
{
    bool is_over;

    weir__lock_lock(&idle->lock);
    is_over = idle->is_over;
    idle->live += !is_over;
    weir__lock_unlock(&idle->lock);
    if (!is_over)
        weir__idle_search(idle);
    return !is_over;
}

void weir__idle_unjoin(struct weir__idle *idle, struct weir__idle_slot *slot)
{
    weir__lock_lock(&idle->lock);
    idle->live--;
    if (slot != NULL)
        free_slot(idle, slot);
    weir__lock_unlock(&idle->lock);
    /* Others may have relied on it as a searcher. */
    if (weir__idle_found(idle))
        weir__idle_wake_one(idle);
}

bool weir__idle_block(struct weir__idle *idle, uint32_t limit,
                      struct weir__idle_slot **slot)
{
    bool is_wanted;

    weir__lock_lock(&idle->lock);
    idle->blocked++;
    is_wanted = idle->live - idle->blocked < idle->base && idle->live < limit &&
                !idle->is_over;
    idle->live += is_wanted;
    if (is_wanted)
        *slot = take_slot(idle);
    weir__lock_unlock(&idle->lock);
    if (is_wanted)
        weir__idle_search(idle);
    return is_wanted;
}

void weir__idle_unblock(struct weir__idle *idle)
{
    weir__lock_lock(&idle->lock);
    idle->blocked--;
    weir__lock_unlock(&idle->lock);
}

bool weir__idle_hold(struct weir__idle *idle)
{
    bool is_over;

    weir__lock_lock(&idle->lock);
    is_over = idle->is_over;
    idle->holds += !is_over;
    weir__lock_unlock(&idle->lock);
    return !is_over;
}

void weir__idle_let_go(struct weir__idle *idle)
{
    weir__lock_lock(&idle->lock);
    idle->holds--;
    weir__lock_unlock(&idle->lock);
}

static void call_all(struct weir__idle *idle)
{
    for (struct weir__idle_slot *slot = idle->sleepers; slot != NULL;
         slot = slot->next)
        weir__parker_unpark(&slot->parker);
}

bool weir__idle_end(struct weir__idle *idle, bool begin,
                    bool (*is_empty)(void *arg), void *arg)
{
    bool is_mine;

    weir__lock_lock(&idle->lock);
    idle->is_ending |= begin;
    is_mine = idle->is_ending && !idle->is_over && idle->holds == 0 &&
              idle->resting == idle->live && is_empty(arg);
    if (is_mine) {
        idle->is_over = true;
        call_all(idle);
    }
    weir__lock_unlock(&idle->lock);
    return is_mine;
}
