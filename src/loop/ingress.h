/* SPDX-License-Identifier: MIT */
/*
 * ingress -- the MPSC queue of a loop, in one word together with the
 * loop's phase.
 *
 *     another thread                       the loop's thread
 *     wake = push(in, task)                tasks = drain(in)
 *     if (wake == FUTEX) futex wake        if (prepare_sleep(in, where))
 *     if (wake == POLLER) poller wake          sleep there; finish_sleep(in)
 *
 * ingress.c explains the word.
 */
#ifndef WEIR_SRC_INGRESS_H
#define WEIR_SRC_INGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"
#include "base/tasks.h"
#include "weir/error.h"
#include "weir/task.h"

/* The low three bits of the word.  AWAKE, TERMINATED, SLEEPING, RUNNING and
 * TERMINATING have the values of the phases in weir/loop.h. */
enum weir__ingress_state {
    WEIR__AWAKE = 0,
    WEIR__TERMINATED = 1,
    WEIR__SLEEPING = 2,           /* on the word itself, a futex */
    WEIR__TERMINATING_ASLEEP = 3, /* on the futex, too */
    WEIR__RUNNING = 4,
    WEIR__TERMINATING = 5,
    WEIR__SLEEPING_IN_POLLER = 6,
    WEIR__TERMINATING_IN_POLLER = 7,
    WEIR__STATES = 7, /* mask of all bits */
};

struct weir__ingress {
    atomic(uintptr_t) word; /* any thread, ingress/P1..P4 */
};

/* Who pushes.  An outsider is refused once the loop is TERMINATING.  A
 * completion that the loop still waits for is accepted until it is
 * TERMINATED. */
enum weir__sender { WEIR__OUTSIDER, WEIR__EXPECTED };

/* How the caller must wake the loop after push or close. */
enum weir__wake { WEIR__WAKE_NOBODY, WEIR__WAKE_FUTEX, WEIR__WAKE_POLLER };

/* Where the loop sleeps. */
enum weir__sleep_on { WEIR__SLEEP_ON_FUTEX, WEIR__SLEEP_ON_POLLER };

void weir__ingress_init(struct weir__ingress *in);

/*
 * Push a task.  A push that finds the loop asleep marks it awake.  No other
 * thread will wake it, so the caller must.
 *
 * Thread   any
 * Returns  enum weir__wake, WEIR_ECLOSED
 * Orders   what came before happens-before the drain that returns the task
 */
int weir__ingress_push(struct weir__ingress *in, weir_task *task,
                       enum weir__sender sender);

/* Send the wake-up that push or close requested with WEIR__WAKE_FUTEX.  Only
 * the address is used, because the loop may have been freed.  Thread: any. */
void weir__ingress_wake(struct weir__ingress *in);

/*
 * Start termination: RUNNING and SLEEPING become TERMINATING.  `task`, unless
 * NULL, is pushed by the same CAS, even if termination had started before.  If
 * no thread ran the loop, the caller owns it from now on: *is_mine.
 *
 * Thread   any
 * Returns  enum weir__wake, WEIR_ECLOSED (TERMINATED)
 * Orders   as push; *is_mine as claim
 */
int weir__ingress_close(struct weir__ingress *in, weir_task *task,
                        bool *is_mine);

/* After a push with WEIR__EXPECTED was refused: acquire what the loop's thread
 * did before TERMINATED.  Thread: any. */
void weir__ingress_see_end(const struct weir__ingress *in);

/* The current state.  Thread: any. */
static inline enum weir__ingress_state
weir__ingress_look(const struct weir__ingress *in)
{
    /* relaxed: possibly stale for any caller; nothing is read through it */
    return (enum weir__ingress_state)(load_relaxed(&in->word) & WEIR__STATES);
}

/* ---- the loop's thread ---- */

/*
 * Go from AWAKE to RUNNING: the caller's thread becomes the loop's thread.
 *
 * Thread   any
 * Returns  0, -EBUSY, WEIR_ECLOSED (TERMINATED)
 * Orders   sees everything done by the thread that left it
 */
int weir__ingress_claim(struct weir__ingress *in);

/* Return to AWAKE.  Fails without effect if termination has started or, with
 * only_if_empty, if there is a task. */
bool weir__ingress_leave(struct weir__ingress *in, bool only_if_empty);

/* Take all tasks, each producer's in push order, and add their number to
 * *count. */
struct weir__tasks weir__ingress_drain(struct weir__ingress *in,
                                       uint64_t *count);

/* Whether there is a task or, unless was_ending, termination has started.
 * was_ending: the caller already knows about the termination. */
bool weir__ingress_has_news(const struct weir__ingress *in, bool was_ending);

/* Mark the loop asleep.  Fails if there is a task or, unless was_ending,
 * termination has started; then the loop must not sleep. */
bool weir__ingress_prepare_sleep(struct weir__ingress *in,
                                 enum weir__sleep_on on, bool was_ending);

/* Sleep on the word until a push or close wakes the loop or the real clock
 * reaches deadline_ns (negative: no deadline).  Follows prepare_sleep with
 * WEIR__SLEEP_ON_FUTEX. */
void weir__ingress_sleep(struct weir__ingress *in, int64_t deadline_ns);

/* Mark the loop awake.  False if another thread has done so; that thread has
 * sent a wake-up or will send one. */
bool weir__ingress_finish_sleep(struct weir__ingress *in);

/* Go from TERMINATING to TERMINATED.  False if there is a task. */
bool weir__ingress_terminate(struct weir__ingress *in);

/* In a forked child: set TERMINATED and drop the tasks, which are the parent's.
 * The child must have only one thread. */
void weir__ingress_disown(struct weir__ingress *in);

#endif /* WEIR_SRC_INGRESS_H */
