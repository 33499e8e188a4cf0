/* SPDX-License-Identifier: MIT */
/*
 * bias -- a lock that costs one thread almost nothing until another needs it.
 *
 *     the holder, often                    any other thread, once
 *     if (weir__bias_enter(bias)) {        weir__bias_revoke(bias)
 *         ...                              ...: the holder is out for good
 *         weir__bias_leave(bias);
 *     }
 *
 * This is biased locking.  While only the thread that init named enters, a pass
 * costs a few plain stores and loads.  The first revocation pays for that with
 * a membarrier, and it is final.
 */
#ifndef WEIR_SRC_BIAS_H
#define WEIR_SRC_BIAS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"
#include "base/thread.h"

enum {
    WEIR__BIAS_GRANTED = 0,
    WEIR__BIAS_REVOKING = 1, /* a thread ensures that the holder knows */
    WEIR__BIAS_REVOKED = 2,  /* it does, and is outside */
};

struct weir__bias {
    uint32_t holder;        /* const: its weir__thread_index */
    atomic(uint32_t) state; /* any thread, bias/P1 P3 */
};

/* What a holder says about itself.  A thread is inside one bias at most, so it
 * needs only one of these, which is never freed: the memory around a bias may
 * be freed as soon as its holder has left. */
struct weir__bias_slot {
    _Alignas(CACHE_LINE) atomic(uint32_t) inside; /* which bias, or 0; the
                                     holder writes; a futex, bias/P1 P2 P4 */
    atomic(uint32_t) revokers; /* how many may wait; any thread, bias/P2 */
};

extern struct weir__bias_slot weir__bias_slots[WEIR__THREAD_SLOTS];

/* The value of `inside` for a bias.  Two of them may have the same: a revoker
 * then waits a little longer. */
static inline uint32_t weir__bias_mark(const struct weir__bias *bias)
{
    return (uint32_t)((uintptr_t)bias >> 2) | 1;
}

/* Initialise a bias for the thread with this number.  No thread can enter on a
 * machine without membarrier, or if the number has no slot. */
void weir__bias_init(struct weir__bias *bias, uint32_t holder);

/* Slow path of leave: wake the threads that may wait for it. */
__attribute__((cold)) void weir__bias_wake(struct weir__bias_slot *slot);

/* Leave.  The bias may be freed before this returns.  Thread: the holder,
 * inside. */
static inline void weir__bias_leave(struct weir__bias *bias)
{
    struct weir__bias_slot *slot = &weir__bias_slots[bias->holder];

    /* bias/P4 release: publishes what the holder did inside */
    store_release(&slot->inside, 0);
    /* bias/P2 light: between leaving and checking for waiters */
    fence_light();
    /* relaxed: ordered by P2 */
    if (load_relaxed(&slot->revokers) != 0)
        weir__bias_wake(slot);
}

/* Enter, if the caller is the holder and the bias is not revoked.  Returns
 * whether the caller is inside.  It must leave soon, run no callback meanwhile,
 * and not enter twice.  Thread: any. */
static inline bool weir__bias_enter(struct weir__bias *bias)
{
    /* relaxed: a guess, checked below */
    if (load_relaxed(&bias->state) != WEIR__BIAS_GRANTED ||
        bias->holder != weir__thread_index())
        return false;
    /* bias/P4 release: publishes what the holder did in another bias, to a
     * revoker that waits for it to leave that one */
    store_release(&weir__bias_slots[bias->holder].inside,
                  weir__bias_mark(bias));
    /* bias/P1 light: between entering and checking for a revocation */
    fence_light();
    /* relaxed: ordered by P1 */
    if (load_relaxed(&bias->state) == WEIR__BIAS_GRANTED)
        return true;
    weir__bias_leave(bias);
    return false;
}

/*
 * Keep the holder out for good, and wait until it has left.  Has no effect when
 * called by the holder.
 *
 * Thread   any, not inside
 * Orders   sees all that the holder did inside
 */
void weir__bias_revoke(struct weir__bias *bias);

/* Keep the holder out in a child of fork(), where it may be a thread that does
 * not exist.  Thread: the child's only one. */
void weir__bias_disown(struct weir__bias *bias);

#endif /* WEIR_SRC_BIAS_H */
