/* SPDX-License-Identifier: MIT */
/*
 * roster -- the list of idle workers, and the detection of termination.
 *
 *     a producer                           a worker that has no work
 *     put it where workers look            weir__roster_search(roster)
 *     weir__roster_notify(roster)          look everywhere; found a job:
 *                                              if (weir__roster_found(roster))
 *                                                  look; if more: wake_one
 *                                          found none:
 *                                              weir__roster_lie_down(...)
 *                                              look; if any: wake_one
 *                                              weir__roster_sleep(...)
 *
 * A worker that sleeps or is about to is idle; a worker that looks for work is
 * a searcher.  A worker looks once more after it has announced that it goes
 * idle, so no wake-up is lost.  roster.c shows the interleaving.  A worker's
 * bunk is its node in the list.
 */
#ifndef WEIR_SRC_ROSTER_H
#define WEIR_SRC_ROSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"
#include "base/lock.h"
#include "base/parker.h"

/* A worker's node. */
struct weir__bunk {
    struct weir__parker parker;
    struct weir__bunk *next, *prev; /* under lock, while listed or in `home` */
    bool is_listed;                 /* under lock: is in `sleepers` */
    bool is_resting;                /* under lock: idle, with no job begun */
};

struct weir__roster {
    atomic(uint64_t) word; /* any thread, roster/P1 P2 */
    bool is_asymmetric;    /* const after init: the kernel has membarrier */
    struct weir__lock lock;
    struct weir__bunk *sleepers; /* under lock: idle workers, newest first */
    struct weir__bunk *home;     /* under lock: free bunks of ended workers */
    uint32_t base;               /* const after init: wanted workers */
    uint32_t live;               /* under lock: existing workers */
    uint32_t blocked;            /* under lock: live, in a blocking call */
    uint32_t resting;            /* under lock: live, idle, no job begun */
    uint32_t holds;              /* under lock: threads that may add work */
    bool is_ending;              /* under lock: no more work from outside */
    bool is_over;                /* under lock: ending, and no work is left */
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
                        * and its bunk may be reused */
};

#define WEIR__ROSTER_SLEEPER (UINT64_C(1) << 32)
#define WEIR__ROSTER_SEARCHER UINT64_C(1)

static inline uint32_t weir__roster_sleepers(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

static inline uint32_t weir__roster_searchers(uint64_t word)
{
    return (uint32_t)word;
}

/* Whether a worker sleeps and none searches. */
static inline bool weir__roster_is_blind(uint64_t word)
{
    return weir__roster_sleepers(word) > 0 && weir__roster_searchers(word) == 0;
}

void weir__roster_init(struct weir__roster *roster, uint32_t base);
void weir__bunk_init(struct weir__bunk *bunk);

/* Wake one worker as a searcher, if one sleeps and none searches.  Thread:
 * any. */
__attribute__((cold, noinline)) void
weir__roster_wake_one(struct weir__roster *roster);

/* Read the word after work was added, on kernels without membarrier. */
__attribute__((cold, noinline)) uint64_t
weir__roster_look_hard(struct weir__roster *roster);

/* Whether a worker must be woken for work that was just put where workers
 * look.  Thread: any. */
static inline bool weir__roster_must_wake(struct weir__roster *roster)
{
    uint64_t word;

    if (__builtin_expect(!roster->is_asymmetric, 0)) {
        word = weir__roster_look_hard(roster);
    } else {
        /* roster/P1 light: between adding the work and reading the word */
        fence_light();
        /* relaxed: ordered by P1 */
        word = load_relaxed(&roster->word);
    }
    return __builtin_expect(weir__roster_is_blind(word), 0);
}

/* Announce work that was just put where workers look.  Thread: any. */
static inline void weir__roster_notify(struct weir__roster *roster)
{
    if (weir__roster_must_wake(roster))
        weir__roster_wake_one(roster);
}

/* ---- called by a worker, about itself ---- */

/* Become a searcher. */
void weir__roster_search(struct weir__roster *roster);

/*
 * Stop being a searcher, because the worker has found work or needs none.
 * True: it was the last searcher and some worker sleeps.  Then the caller must
 * look for more work and wake one worker if there is some, because producers
 * may have relied on this searcher.
 */
bool weir__roster_found(struct weir__roster *roster);

/* Go idle after finding no work.  The worker is no longer a searcher, and must
 * look for work once more after this call. */
enum weir__order weir__roster_lie_down(struct weir__roster *roster,
                                       struct weir__bunk *bunk,
                                       enum weir__rest rest);

/* Sleep until woken.  True: the worker is a searcher again.  False: the pool
 * has terminated, and the worker is not a searcher. */
bool weir__roster_sleep(struct weir__roster *roster, struct weir__bunk *bunk);

/* Wake a worker for a reason other than new work.  Thread: any. */
void weir__roster_call(struct weir__bunk *bunk);

/* ---- number of workers ---- */

/* Count one more live worker, a searcher.  False: the pool has terminated. */
bool weir__roster_join(struct weir__roster *roster);

/* Undo join or block for a worker that could not start.  `bunk` is the one it
 * was given, or NULL; it is kept for the next worker. */
void weir__roster_unjoin(struct weir__roster *roster, struct weir__bunk *bunk);

/*
 * Count the calling worker as blocked.  True: another worker should replace it.
 * The new worker has been counted already, and *bunk is its bunk: that of a
 * worker that has ended or is about to.  If *bunk is NULL there is no free one,
 * and fewer than `limit` workers have a bunk.
 */
bool weir__roster_block(struct weir__roster *roster, uint32_t limit,
                        struct weir__bunk **bunk);
void weir__roster_unblock(struct weir__roster *roster);

/* Announce that the caller may add work even if the end has begun.  False:
 * the pool has terminated.  Afterwards call let_go, and then
 * weir__roster_end.  Thread: any. */
bool weir__roster_hold(struct weir__roster *roster);
void weir__roster_let_go(struct weir__roster *roster);

/*
 * Check for termination.  If `begin` is set, no more work comes from outside.
 * The pool has terminated once that is so, all workers rest, there are no
 * holds, and is_empty(arg) is true.  Then all idle workers are woken.
 *
 * Thread   any; each worker calls it after it went idle to rest
 * Returns  whether this call detected the termination
 */
bool weir__roster_end(struct weir__roster *roster, bool begin,
                      bool (*is_empty)(void *arg), void *arg);

#endif /* WEIR_SRC_ROSTER_H */
