/* SPDX-License-Identifier: MIT */
/*
 * ingress -- the one door into a loop, and the one word that says what phase
 * the loop is in.
 *
 *     another thread                       the loop's thread
 *     wake = push(in, task)                tasks = drain(in)
 *     if (wake == FUTEX) futex wake        if (lie_down(in, where))
 *     if (wake == POLLER) poller wake          sleep there; get_up(in)
 *
 * ingress.c explains the word.
 */
#ifndef WEIR_SRC_INGRESS_H
#define WEIR_SRC_INGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "atomic.h"
#include "tasks.h"
#include "weir/error.h"
#include "weir/task.h"

/* The low three bits of the word.  The names without a remark are the phases
 * of weir/loop.h, with their numbers. */
enum weir__ingress_state {
    WEIR__AWAKE = 0,
    WEIR__TERMINATED = 1,
    WEIR__SLEEPING = 2,           /* on the word itself, a futex */
    WEIR__TERMINATING_ASLEEP = 3, /* the same */
    WEIR__RUNNING = 4,
    WEIR__TERMINATING = 5,
    WEIR__SLEEPING_IN_POLLER = 6,
    WEIR__TERMINATING_IN_POLLER = 7,
    WEIR__STATES = 7, /* all bits */
};

struct weir__ingress {
    atomic(uintptr_t) word; /* any thread, ingress/P1..P3 */
};

/* Who pushes.  An outsider is refused once the loop terminates; what the loop
 * still waits for is let in until it is TERMINATED. */
enum weir__ticket { WEIR__OUTSIDER, WEIR__EXPECTED };

/* How the caller must wake the loop, after push or close. */
enum weir__wake { WEIR__WAKE_NOBODY, WEIR__WAKE_FUTEX, WEIR__WAKE_POLLER };

/* Where the loop sleeps. */
enum weir__bed { WEIR__BED_FUTEX, WEIR__BED_POLLER };

void weir__ingress_init(struct weir__ingress *in);

/*
 * Put a task in.  The caller whose push found the loop asleep has got it up:
 * nobody else will wake it, so the caller must.
 *
 * Thread   any
 * Returns  enum weir__wake, WEIR_ECLOSED
 * Orders   what came before happens-before the drain that returns the task
 */
int weir__ingress_push(struct weir__ingress *in, weir_task *task,
                       enum weir__ticket ticket);

/* The wake that push or close asked for with WEIR__WAKE_FUTEX.  The loop may
 * be gone by then: uses the address only.  Thread: any. */
void weir__ingress_wake(struct weir__ingress *in);

/*
 * Begin the end: RUNNING and SLEEPING become TERMINATING.  `task`, unless
 * NULL, goes in with the same step, also when the end had begun before.  If
 * nobody ran the loop, the caller does from now on: *is_mine.
 *
 * Thread   any
 * Returns  enum weir__wake, WEIR_ECLOSED (TERMINATED)
 * Orders   as push; *is_mine as claim
 */
int weir__ingress_close(struct weir__ingress *in, weir_task *task,
                        bool *is_mine);

/* After a push that was refused with WEIR__EXPECTED: sees what the loop's thread
 * did before TERMINATED.  Thread: any. */
void weir__ingress_see_end(const struct weir__ingress *in);

/* Which state it is in.  Thread: any. */
static inline enum weir__ingress_state
weir__ingress_look(const struct weir__ingress *in)
{
    /* relaxed: old news for whoever asks; nothing is read through it */
    return (enum weir__ingress_state)(load_relaxed(&in->word) & WEIR__STATES);
}

/* ---- the loop's thread ---- */

/*
 * AWAKE to RUNNING: the caller's thread is the loop's from now on.
 *
 * Thread   any
 * Returns  0, -EBUSY, WEIR_ECLOSED (TERMINATED)
 * Orders   sees what the thread did that left it
 */
int weir__ingress_claim(struct weir__ingress *in);

/* Back to AWAKE.  only_if_empty: false, and nothing has changed, if there is
 * a task or the end has begun.  Otherwise false if the end has begun. */
bool weir__ingress_leave(struct weir__ingress *in, bool only_if_empty);

/* All tasks, each producer's in its order; adds their number to *count. */
struct weir__tasks weir__ingress_drain(struct weir__ingress *in,
                                       uint64_t *count);

/* Whether a drain would find something: a task, or the news that the end has
 * begun.  `was_ending`: this is known already. */
bool weir__ingress_has_news(const struct weir__ingress *in, bool was_ending);

/* Say "asleep", if there is no task; and, unless was_ending, if the end has
 * not begun.  False: there is news, do not sleep. */
bool weir__ingress_lie_down(struct weir__ingress *in, enum weir__bed bed,
                            bool was_ending);

/* Sleep on the word until a push or close gets the loop up, or until the real
 * clock reaches deadline_ns (negative: no deadline).  After lie_down with
 * WEIR__BED_FUTEX. */
void weir__ingress_sleep(struct weir__ingress *in, int64_t deadline_ns);

/* Awake again.  False if somebody else has got the loop up, and so has sent a
 * wake, or will. */
bool weir__ingress_get_up(struct weir__ingress *in);

/* TERMINATING to TERMINATED.  False if there is a task. */
bool weir__ingress_terminate(struct weir__ingress *in);

/* In a child of fork(), alone: TERMINATED, and what was there is the parent's. */
void weir__ingress_disown(struct weir__ingress *in);

#endif /* WEIR_SRC_INGRESS_H */
