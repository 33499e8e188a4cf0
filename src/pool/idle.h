/* SPDX-License-Identifier: MIT */
/*
 * idle -- the list of idle workers, and the detection of termination.
 *
 *     a producer                           a worker that has no work
 *     put it where workers look            weir__idle_search(idle)
 *     weir__idle_notify(idle)              look everywhere; found a job:
 *                                              if (weir__idle_found(idle))
 *                                                  look; if more: wake_one
 *                                          found none:
 *                                              weir__idle_enter(...)
 *                                              look; if any: wake_one
 *                                              weir__idle_sleep(...)
 *
 * A worker that sleeps or is about to is idle; a worker that looks for work is
 * a searcher.  A worker looks once more after it has announced that it goes
 * idle, so no wake-up is lost.  idle.c shows the interleaving.  A worker's
 * slot is its node in the list; the slot of a worker that has ended is given to
 * the next one.
 */
#ifndef WEIR_SRC_IDLE_H
#define WEIR_SRC_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"
#include "base/lock.h"
#include "base/parker.h"

/* A worker's node. */
struct weir__idle_slot {
    struct weir__parker parker;
    struct weir__idle_slot *next, *prev; /* under lock, while in a list */
    bool is_listed;                      /* under lock: is in `sleepers` */
    bool is_resting; /* under lock: idle, with no job begun */
};

struct weir__idle {
    atomic(uint64_t) word; /* any thread, idle/P1 P2 */
    bool is_asymmetric;    /* const after init: the kernel has membarrier */
    struct weir__lock lock;
    /* Under lock: idle workers, newest first; slots of ended workers. */
    struct weir__idle_slot *sleepers, *free_slots;
    uint32_t base;    /* const after init: wanted workers */
    uint32_t live;    /* under lock: existing workers */
    uint32_t blocked; /* under lock: live, in a blocking call */
    uint32_t resting; /* under lock: live, idle, no job begun */
    uint32_t holds;   /* under lock: threads that may add work */
    bool is_ending;   /* under lock: no more work from outside */
    bool is_over;     /* under lock: ending, and no work is left */
};

/* How a worker goes idle. */
enum weir__rest {
    WEIR__REST_DONE,    /* it has no job begun, and may end */
    WEIR__REST_WAITING, /* inside a job, waiting for a group */
};

/* What a worker does after it went idle. */
enum weir__order {
    WEIR__ORDER_SLEEP, /* look once more, then sleep */
    WEIR__ORDER_LEAVE, /* look once more, then end: there are too many workers,
                        * and its slot may be reused */
};

#define WEIR__IDLE_SLEEPER (UINT64_C(1) << 32)
#define WEIR__IDLE_SEARCHER UINT64_C(1)

static inline uint32_t weir__idle_sleepers(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

static inline uint32_t weir__idle_searchers(uint64_t word)
{
    return (uint32_t)word;
}

/* Whether a worker sleeps and none searches. */
static inline bool weir__idle_is_blind(uint64_t word)
{
    return weir__idle_sleepers(word) > 0 && weir__idle_searchers(word) == 0;
}

void weir__idle_init(struct weir__idle *idle, uint32_t base);
void weir__idle_slot_init(struct weir__idle_slot *slot);

/* Wake one worker as a searcher, if one sleeps and none searches.  Thread:
 * any. */
__attribute__((cold, noinline)) void
weir__idle_wake_one(struct weir__idle *idle);

/* Read the word after work was added, on kernels without membarrier. */
__attribute__((cold, noinline)) uint64_t
weir__idle_look_hard(struct weir__idle *idle);

/* Whether a worker must be woken for work that was just put where workers
 * look.  Thread: any. */
static inline bool weir__idle_must_wake(struct weir__idle *idle)
{
    uint64_t word;

    if (__builtin_expect(!idle->is_asymmetric, 0)) {
        word = weir__idle_look_hard(idle);
    } else {
        /* idle/P1 light: between adding the work and reading the word */
        fence_light();
        /* relaxed: ordered by P1 */
        word = load_relaxed(&idle->word);
    }
    return __builtin_expect(weir__idle_is_blind(word), 0);
}

/* Announce work that was just put where workers look.  Thread: any. */
static inline void weir__idle_notify(struct weir__idle *idle)
{
    if (weir__idle_must_wake(idle))
        weir__idle_wake_one(idle);
}

/* ---- called by a worker, about itself ---- */

/* Become a searcher. */
void weir__idle_search(struct weir__idle *idle);

/*
 * Stop being a searcher, because the worker has found work or needs none.
 * True: it was the last searcher and some worker sleeps.  Then the caller must
 * look for more work and wake one worker if there is some, because producers
 * may have relied on this searcher.
 */
bool weir__idle_found(struct weir__idle *idle);

/* Go idle after finding no work.  The worker is no longer a searcher, and must
 * look for work once more after this call. */
enum weir__order weir__idle_enter(struct weir__idle *idle,
                                  struct weir__idle_slot *slot,
                                  enum weir__rest rest);

/* Sleep until woken.  True: the worker is a searcher again.  False: the pool
 * has terminated, and the worker is not a searcher. */
bool weir__idle_sleep(struct weir__idle *idle, struct weir__idle_slot *slot);

/* Wake a worker for a reason other than new work.  Thread: any. */
void weir__idle_call(struct weir__idle_slot *slot);

/* ---- number of workers ---- */

/* Count one more live worker, a searcher.  False: the pool has terminated. */
bool weir__idle_join(struct weir__idle *idle);

/* Undo join or block for a worker that could not start.  `slot` is the one it
 * was given, or NULL; it is kept for the next worker. */
void weir__idle_unjoin(struct weir__idle *idle, struct weir__idle_slot *slot);

/*
 * Count the calling worker as blocked.  True: another worker should replace it.
 * The new worker has been counted already, and *slot is its slot: that of a
 * worker that has ended or is about to.  If *slot is NULL there is no free one,
 * and fewer than `limit` workers have a slot.
 */
bool weir__idle_block(struct weir__idle *idle, uint32_t limit,
                      struct weir__idle_slot **slot);
void weir__idle_unblock(struct weir__idle *idle);

/* Announce that the caller may add work even if the end has begun.  False:
 * the pool has terminated.  Afterwards call let_go, and then
 * weir__idle_end.  Thread: any. */
bool weir__idle_hold(struct weir__idle *idle);
void weir__idle_let_go(struct weir__idle *idle);

/*
 * Check for termination.  If `begin` is set, no more work comes from outside.
 * The pool has terminated once that is so, all workers rest, there are no
 * holds, and is_empty(arg) is true.  Then all idle workers are woken.
 *
 * Thread   any; each worker calls it after it went idle to rest
 * Returns  whether this call detected the termination
 */
bool weir__idle_end(struct weir__idle *idle, bool begin,
                    bool (*is_empty)(void *arg), void *arg);

#endif /* WEIR_SRC_IDLE_H */
