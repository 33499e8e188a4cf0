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
    uint32_t holder;         /* const: its weir__thread_index */
    atomic(uint32_t) state;  /* any thread, bias/P1 P2 P3 */
    atomic(uint32_t) inside; /* the holder writes; a futex, bias/P1 P2 P4 */
};

/* Initialise a bias for the thread with this number.  With
 * WEIR__THREAD_UNNUMBERED, or on a machine without membarrier, no thread can
 * enter. */
void weir__bias_init(struct weir__bias *bias, uint32_t holder);

/* Slow path of leave: wake the threads that may wait for it. */
__attribute__((cold)) void weir__bias_wake(struct weir__bias *bias);

/* Leave.  Thread: the holder, inside. */
static inline void weir__bias_leave(struct weir__bias *bias)
{
    /* bias/P4 release: publishes what the holder did inside */
    store_release(&bias->inside, 0);
    /* bias/P2 light: between leaving and checking for waiters */
    fence_light();
    /* relaxed: ordered by P2 */
    if (load_relaxed(&bias->state) != WEIR__BIAS_GRANTED)
        weir__bias_wake(bias);
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
    store_relaxed(&bias->inside, 1); /* relaxed: ordered by P1 */
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

#endif /* WEIR_SRC_BIAS_H */
