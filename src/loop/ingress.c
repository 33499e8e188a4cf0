/* SPDX-License-Identifier: MIT */
/*
 * ingress -- one word: the posted tasks, the sleep state and the phase.
 *
 * Shape     An intrusive stack: many producers push, one consumer takes all
 *           tasks and reverses them, so each producer's tasks come out in the
 *           order in which it pushed them.  The address of a task ends in three
 *           zero bits, which hold one of eight states:
 *
 *             63                                      3 2      1      0
 *            +------------------------------------------+------+------+------+
 *            |            newest task, or NULL          |  A   | sleep| end  |
 *            +------------------------------------------+------+------+------+
 *
 *           end    TERMINATING or TERMINATED: outsiders are refused
 *           sleep  the loop sleeps, or is about to; then there is no task
 *           A      while asleep: in the poller.  Otherwise: a thread owns it
 *
 *           So one CAS on this word decides every race: whether a task is
 *           accepted, whether its producer must wake the loop, whether the loop
 *           may sleep or stop, and which thread runs it.
 * Roles     push, close             any thread
 *           claim                   any thread; the winner is the loop's thread
 *           drain, prepare_sleep, sleep, finish_sleep, leave, terminate
 *                                   the loop's thread
 * Progress  push, close, claim, drain and leave are lock-free.  prepare_sleep,
 *           finish_sleep and terminate are wait-free.  sleep blocks.  Nothing
 *           allocates.
 *
 * Shared state
 *   word        every role, atomic                                     P1-P4
 *   task.next_  the pusher until P1, the drainer after it, plain          P1
 *
 * Pairs
 *   P1  push, close: CAS, release  -->  drain: CAS, acquire
 *       Publishes next_ and whatever the producer wrote before.  A drain that
 *       reads the newest push also acquires the older ones: every write of the
 *       word is a read-modify-write, so each extends the release sequence of
 *       the one before it.
 *   P2  prepare_sleep: CAS, release  -->  push, close: CAS that wakes the loop,
 *       acquire
 *       Publishes the poller in which the loop sleeps.
 *   P3  leave: CAS, release  -->  claim, close: CAS from AWAKE, acquire
 *       Hands over everything that belongs to the loop's thread.
 *   P4  terminate: CAS, release  -->  see_end: load, acquire
 *       Hands over what the loop's thread leaves behind for good.
 *
 * Not paired, on purpose
 *   finish_sleep, relaxed: it undoes the loop's own prepare_sleep.  The tasks
 *   of a thread that woke the loop are received by drain (P1).
 *
 * Why no ABA        push never dereferences the task that it replaces as head,
 *                   and drain replaces the head with NULL, never with a task.
 * Why no lost wake  "asleep" is set by a CAS that fails if there is a task or
 *                   termination has started.  The next push or close then reads
 *                   "asleep" in the same word that it changes, clears it, and
 *                   wakes the loop.  Exactly one thread does so.  If its futex
 *                   wake comes before the loop sleeps, the kernel finds the
 *                   word changed and does not put the loop to sleep.
 * Why TERMINATING is never lost  No operation is a plain store, and no CAS by
 *                   the loop clears `end`.
 *
 * Tested by  test/model/loop/ingress.c, test/unit/loop/ingress.c,
 *            test/stress/loop/ingress.c
 */
#include "loop/ingress.h"

#include <errno.h>
#include <stddef.h>

#include "base/check.h"
#include "base/futex.h"

enum { END = 1, ASLEEP = 2, ACTIVE = 4, IN_POLLER = 4, STATE = WEIR__STATES };

static weir_task *task_of(uintptr_t word)
{
    return (weir_task *)(word & ~(uintptr_t)STATE); // NOLINT
}

static bool is_asleep(uintptr_t word)
{
    return (word & ASLEEP) != 0;
}

/* The same word with the loop awake and running. */
static uintptr_t without_sleep(uintptr_t word)
{
    return (word & ~(uintptr_t)(ASLEEP | IN_POLLER)) | ACTIVE;
}

static enum weir__wake wake_of(uintptr_t word)
{
    if (!is_asleep(word))
        return WEIR__WAKE_NOBODY;
    return word & IN_POLLER ? WEIR__WAKE_POLLER : WEIR__WAKE_FUTEX;
}

static bool is_refused(uintptr_t word, enum weir__sender sender)
{
    return sender == WEIR__OUTSIDER ? (word & END) != 0
                                    : (word & STATE) == WEIR__TERMINATED;
}

void weir__ingress_init(struct weir__ingress *in)
{
    set_unshared(&in->word, WEIR__AWAKE);
}

/* Back off after a failed CAS: bouncing the cache line on every push costs both
 * sides more than a short pause in which the winner pushes several tasks. */
static void let_others_push(void)
{
    for (int i = 0; i < 4; i++)
        cpu_relax();
}

int weir__ingress_push(struct weir__ingress *in, weir_task *task,
                       enum weir__sender sender)
{
    DEBUG_CHECK(((uintptr_t)task & STATE) == 0, "a task that is not aligned");
    for (;;) {
        /* relaxed: a guess, checked by the CAS */
        uintptr_t seen = load_relaxed(&in->word);
        uintptr_t next = is_asleep(seen) ? without_sleep(seen) : seen;

        if (is_refused(seen, sender))
            return WEIR_ECLOSED;
        plain_store(&task->next_, task_of(seen));
        next = (uintptr_t)task | (next & STATE);
        /* ingress/P1 release: publishes next_ and the caller's writes
         * ingress/P2 acquire: receives the poller, if the loop sleeps there */
        if (cas_weak_acq_rel(&in->word, &seen, next))
            return wake_of(seen);
        let_others_push();
    }
}

void weir__ingress_wake(struct weir__ingress *in)
{
    weir__futex_wake_one(futex_low_half(&in->word), WEIR__FUTEX_PRIVATE);
}

int weir__ingress_close(struct weir__ingress *in, weir_task *task,
                        bool *is_mine)
{
    /* relaxed: a guess, checked by the CAS */
    uintptr_t seen = load_relaxed(&in->word);
    uintptr_t next;

    do {
        if ((seen & STATE) == WEIR__TERMINATED)
            return WEIR_ECLOSED;
        *is_mine = (seen & STATE) == WEIR__AWAKE;
        next = without_sleep(seen) | END;
        if (task != NULL) {
            plain_store(&task->next_, task_of(seen));
            next = (uintptr_t)task | (next & STATE);
        }
        /* ingress/P1 release: publishes next_ and the caller's writes
         * ingress/P2 acquire: receives the poller, if the loop sleeps there
         * ingress/P3 acquire: receives the loop, if no thread owns it */
    } while (!cas_weak_acq_rel(&in->word, &seen, next));
    return wake_of(seen);
}

void weir__ingress_see_end(const struct weir__ingress *in)
{
    /* ingress/P4 acquire: receives what the loop's thread left behind */
    (void)load_acquire(&in->word);
}

/* ---- the loop's thread ---- */

int weir__ingress_claim(struct weir__ingress *in)
{
    /* relaxed: a guess, checked by the CAS */
    uintptr_t seen = load_relaxed(&in->word);

    do {
        if ((seen & STATE) == WEIR__TERMINATED)
            return WEIR_ECLOSED;
        if ((seen & STATE) != WEIR__AWAKE)
            return -EBUSY;
        /* ingress/P3 acquire: receives the loop from the thread that left it */
    } while (!cas_weak_acquire(&in->word, &seen, seen | WEIR__RUNNING));
    return 0;
}

bool weir__ingress_leave(struct weir__ingress *in, bool only_if_empty)
{
    /* relaxed: a guess, checked by the CAS */
    uintptr_t seen = load_relaxed(&in->word);

    do {
        if (seen & END || (only_if_empty && task_of(seen) != NULL))
            return false;
        /* ingress/P3 release: hands the loop to the thread that claims it
         * next */
    } while (!cas_weak_release(&in->word, &seen, seen & ~(uintptr_t)ACTIVE));
    return true;
}

struct weir__tasks weir__ingress_drain(struct weir__ingress *in,
                                       uint64_t *count)
{
    /* relaxed: a guess, checked by the CAS */
    uintptr_t seen = load_relaxed(&in->word);
    struct weir__tasks tasks = {NULL, NULL};
    weir_task *task;

    do {
        if (task_of(seen) == NULL)
            return tasks;
        /* ingress/P1 acquire: receives every push up to the one we read */
    } while (!cas_weak_acquire(&in->word, &seen, seen & STATE));

    tasks.tail = task_of(seen);
    for (task = tasks.tail; task != NULL; ++*count) {
        weir_task *older = plain_load(&task->next_);

        plain_store(&task->next_, tasks.head);
        tasks.head = task;
        task = older;
    }
    return tasks;
}

bool weir__ingress_has_news(const struct weir__ingress *in, bool was_ending)
{
    /* relaxed: a guess; drain and prepare_sleep check for themselves */
    uintptr_t seen = load_relaxed(&in->word);

    return task_of(seen) != NULL || (!was_ending && seen & END);
}

bool weir__ingress_prepare_sleep(struct weir__ingress *in,
                                 enum weir__sleep_on on, bool was_ending)
{
    uintptr_t seen = was_ending ? WEIR__TERMINATING : WEIR__RUNNING;
    uintptr_t asleep = (seen & END) | ASLEEP;

    if (on == WEIR__SLEEP_ON_POLLER)
        asleep |= IN_POLLER;
    /* ingress/P2 release: publishes the poller in which the loop sleeps */
    return cas_release(&in->word, &seen, asleep);
}

void weir__ingress_sleep(struct weir__ingress *in, int64_t deadline_ns)
{
    for (;;) {
        /* relaxed: only "asleep" is tested; drain receives the rest */
        uintptr_t seen = load_relaxed(&in->word);

        if (!is_asleep(seen) ||
            weir__futex_wait(futex_low_half(&in->word), (uint32_t)seen,
                             deadline_ns, WEIR__FUTEX_PRIVATE) == -ETIMEDOUT)
            return;
    }
}

bool weir__ingress_finish_sleep(struct weir__ingress *in)
{
    /* relaxed: a guess, checked by the CAS */
    uintptr_t seen = load_relaxed(&in->word);

    /* relaxed: undoes our own prepare_sleep; drain receives the tasks */
    return is_asleep(seen) &&
           cas_relaxed(&in->word, &seen, without_sleep(seen));
}

bool weir__ingress_terminate(struct weir__ingress *in)
{
    uintptr_t seen = WEIR__TERMINATING;

    /* ingress/P4 release: publishes what the loop's thread leaves behind */
    return cas_release(&in->word, &seen, WEIR__TERMINATED);
}

void weir__ingress_disown(struct weir__ingress *in)
{
    set_unshared(&in->word, WEIR__TERMINATED);
}
