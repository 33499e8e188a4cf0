/* SPDX-License-Identifier: MIT */
/*
 * roster -- which workers sleep, which look for work, and when all is over.
 *
 *     who brings work                      a worker that has none
 *     put it where workers look            weir__roster_search(roster)
 *     weir__roster_notify(roster)          look everywhere; found one:
 *                                              if (weir__roster_found(roster))
 *                                                  look; if more: wake_one
 *                                          found none:
 *                                              weir__roster_lie_down(...)
 *                                              look; if any: wake_one
 *                                              weir__roster_sleep(...)
 *
 * A worker looks once more after it has said that it lies down: that is what
 * loses no wake.  roster.c has the picture.
 */
#ifndef WEIR_SRC_ROSTER_H
#define WEIR_SRC_ROSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "atomic.h"
#include "lock.h"
#include "parker.h"

/* A worker's place. */
struct weir__bunk {
    struct weir__parker parker;
    struct weir__bunk *next, *prev; /* under lock, if listed or home */
    bool is_listed;                 /* under lock: it lies down */
    bool is_resting;                /* under lock: and has nothing begun */
};

struct weir__roster {
    atomic(uint64_t) word; /* any thread, roster/P1 P2 */
    bool is_asymmetric;    /* const after init: the kernel has membarrier */
    struct weir__lock lock;
    struct weir__bunk *sleepers; /* under lock; the last to lie down first */
    struct weir__bunk *home;     /* under lock: left by those sent home */
    uint32_t base;               /* const after init: workers to have */
    uint32_t live;               /* under lock: workers there are */
    uint32_t blocked;            /* under lock: of these in a blocking call */
    uint32_t resting;            /* under lock: of these asleep, without work */
    uint32_t holds;              /* under lock: who may still bring work */
    bool is_ending;              /* under lock: no work comes from outside */
    bool is_over;                /* under lock: and none is left */
};

/* How a worker lies down. */
enum weir__rest {
    WEIR__REST_DONE,    /* has nothing begun; may be sent home */
    WEIR__REST_WAITING, /* in the middle of a job: it waits for a group */
};

/* What it does next. */
enum weir__order {
    WEIR__ORDER_SLEEP, /* look once more, then sleep */
    WEIR__ORDER_LEAVE, /* look once more, then end: there are too many, and its
                          bunk may be given to another worker */
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

/* Somebody sleeps, and nobody looks for work. */
static inline bool weir__roster_is_blind(uint64_t word)
{
    return weir__roster_sleepers(word) > 0 && weir__roster_searchers(word) == 0;
}

void weir__roster_init(struct weir__roster *roster, uint32_t base);
void weir__bunk_init(struct weir__bunk *bunk);

/* Wakes one to look for work, if somebody sleeps and nobody looks.  Thread:
 * any. */
__attribute__((cold, noinline)) void
weir__roster_wake_one(struct weir__roster *roster);

/* The word, after the work.  For kernels without membarrier. */
__attribute__((cold, noinline)) uint64_t
weir__roster_look_hard(struct weir__roster *roster);

/* Whether somebody must be woken for work that was just put where workers
 * look.  Thread: any. */
static inline bool weir__roster_must_wake(struct weir__roster *roster)
{
    uint64_t word;

    if (__builtin_expect(!roster->is_asymmetric, 0)) {
        word = weir__roster_look_hard(roster);
    } else {
        /* roster/P1 light: between the work and the word */
        fence_light();
        /* relaxed: ordered by P1 */
        word = load_relaxed(&roster->word);
    }
    return __builtin_expect(weir__roster_is_blind(word), 0);
}

/* Work was put where workers look.  Thread: any. */
static inline void weir__roster_notify(struct weir__roster *roster)
{
    if (weir__roster_must_wake(roster))
        weir__roster_wake_one(roster);
}

/* ---- a worker, about itself ---- */

/* It looks for work from now on. */
void weir__roster_search(struct weir__roster *roster);

/*
 * It has found some, or has no need any more, and looks no longer.  True:
 * nobody else does, and somebody sleeps: it must look whether there is more,
 * and then wake one, as others may have left that to it.
 */
bool weir__roster_found(struct weir__roster *roster);

/* It has found none.  A searcher no longer; after this it looks once more. */
enum weir__order weir__roster_lie_down(struct weir__roster *roster,
                                       struct weir__bunk *bunk,
                                       enum weir__rest rest);

/* Sleeps until it is woken.  Then it is a searcher again.  False: all is over,
 * and it is not. */
bool weir__roster_sleep(struct weir__roster *roster, struct weir__bunk *bunk);

/* Gets it up, for another reason than work.  Thread: any. */
void weir__roster_call(struct weir__bunk *bunk);

/* ---- how many there are ---- */

/* One more lives, and looks for work.  False: all is over. */
bool weir__roster_join(struct weir__roster *roster);

/* It was counted by join or block, but could not begin.  bunk: what it was
 * given, or NULL; it goes to the next one. */
void weir__roster_unjoin(struct weir__roster *roster, struct weir__bunk *bunk);

/*
 * It blocks.  True: there should be another worker in its place.  That one was
 * joined already, and *bunk is given to it: the bunk of a worker that has ended
 * or is about to; or NULL if there is none, and then fewer than `limit` workers
 * have a bunk.
 */
bool weir__roster_block(struct weir__roster *roster, uint32_t limit,
                        struct weir__bunk **bunk);
void weir__roster_unblock(struct weir__roster *roster);

/* The caller is about to bring work although the end may have begun.  False:
 * all is over.  Then let_go, and weir__roster_end.  Thread: any. */
bool weir__roster_hold(struct weir__roster *roster);
void weir__roster_let_go(struct weir__roster *roster);

/*
 * If `begin`, no work comes from outside any more.  If that is so, all workers
 * rest, and is_empty(arg) says so too, all is over, and they are got up.
 *
 * Thread   any; also each worker after it has lain down to rest
 * Returns  whether it was this call that saw it
 */
bool weir__roster_end(struct weir__roster *roster, bool begin,
                      bool (*is_empty)(void *arg), void *arg);

#endif /* WEIR_SRC_ROSTER_H */
