/* SPDX-License-Identifier: MIT */
/*
 * ingress -- one word: what was posted, who sleeps, and how far life has come.
 *
 * Shape     An intrusive stack: many producers push, one consumer takes all
 *           and turns it round, so each producer's tasks come out in the order
 *           it pushed them.  The address of a task ends in three zero bits,
 *           and the loop has eight states:
 *
 *             63                                      3 2      1      0
 *            +------------------------------------------+------+------+------+
 *            |            newest task, or NULL          |  A   | sleep| end  |
 *            +------------------------------------------+------+------+------+
 *
 *           end    TERMINATING or TERMINATED: outsiders are refused
 *           sleep  the loop sleeps, or is about to; then there is no task
 *           A      if it sleeps: in the poller.  Otherwise: it has a thread
 *
 *           So every question that threads race for is answered by one CAS on
 *           this word: may this task come in, must I wake the loop, may the
 *           loop sleep, may it stop, who runs it.
 * Roles     push, close             any thread
 *           claim                   any thread; the winner is the loop's
 *           drain, lie_down, sleep, get_up, leave, terminate
 *                                   the loop's thread
 * Progress  push and close are lock-free, the others wait-free but for sleep.
 *           Nothing allocates.
 *
 * Shared state
 *   word        every role, atomic                                     P1-P3
 *   task.next_  the pusher until P1, the drainer after it, plain          P1
 *
 * Pairs
 *   P1  push, close: CAS, release  -->  drain: CAS, acquire
 *       Hands over next_ and whatever the producer wrote before.  A drain that
 *       reads the newest push also acquires the older ones: everything that
 *       writes the word is a read-modify-write, so each extends the release
 *       sequence of the one before it.
 *   P2  lie_down: CAS, release  -->  push, close: CAS that gets the loop up,
 *       acquire
 *       Hands over the poller in which the loop sleeps.
 *   P3  leave: CAS, release  -->  claim, close: CAS from AWAKE, acquire
 *       Hands over everything that belongs to the loop's thread.
 *   P4  terminate: CAS, release  -->  see_end: load, acquire
 *       Hands over what the loop's thread leaves to others for good.
 *
 * Not paired, on purpose
 *   get_up, relaxed: the loop answers its own lie_down; who got it up hands
 *   over by P1.
 *
 * Why no ABA        push never dereferences the task it covers, and drain
 *                   puts NULL in its place, never a task.
 * Why no lost wake  "asleep" is set by a CAS that fails if there is a task or
 *                   the end has begun.  After it, the next push or close reads
 *                   "asleep" in the very word that it changes, takes it away,
 *                   and wakes: one of them, and nobody looks twice.  A futex
 *                   wake that comes before the loop has gone to sleep finds
 *                   the word changed, and the kernel refuses to sleep.
 * Why TERMINATING is never lost  nobody stores the word, and no CAS of the
 *                   loop clears `end`.
 *
 * Tested by  test/model/ingress.c, test/unit/ingress.c, test/stress/ingress.c
 */
#include "ingress.h"

#include <errno.h>
#include <stddef.h>

#include "check.h"
#include "futex.h"

enum { END = 1, ASLEEP = 2, ACTIVE = 4, IN_POLLER = 4, STATE = WEIR__STATES };

static weir_task *task_of(uintptr_t word)
{
    return (weir_task *)(word & ~(uintptr_t)STATE); // NOLINT
}

static bool is_asleep(uintptr_t word)
{
    return (word & ASLEEP) != 0;
}

/* The same word with its loop on its feet. */
static uintptr_t got_up(uintptr_t word)
{
    return (word & ~(uintptr_t)(ASLEEP | IN_POLLER)) | ACTIVE;
}

static enum weir__wake wake_of(uintptr_t word)
{
    if (!is_asleep(word))
        return WEIR__WAKE_NOBODY;
    return word & IN_POLLER ? WEIR__WAKE_POLLER : WEIR__WAKE_FUTEX;
}

static bool is_refused(uintptr_t word, enum weir__ticket ticket)
{
    return ticket == WEIR__OUTSIDER ? (word & END) != 0
                                    : (word & STATE) == WEIR__TERMINATED;
}

void weir__ingress_init(struct weir__ingress *in)
{
    set_unshared(&in->word, WEIR__AWAKE);
}

/* For who has lost the word: a cache line that goes to and fro for each task
 * costs both sides more than a pause in which the winner pushes a few more. */
static void let_others_push(void)
{
    for (int i = 0; i < 4; i++)
        cpu_relax();
}

int weir__ingress_push(struct weir__ingress *in, weir_task *task,
                       enum weir__ticket ticket)
{
    DEBUG_CHECK(((uintptr_t)task & STATE) == 0, "a task that is not aligned");
    for (;;) {
        /* relaxed: a guess, checked by the CAS */
        uintptr_t seen = load_relaxed(&in->word);
        uintptr_t next = is_asleep(seen) ? got_up(seen) : seen;

        if (is_refused(seen, ticket))
            return WEIR_ECLOSED;
        plain_store(&task->next_, task_of(seen));
        next = (uintptr_t)task | (next & STATE);
        /* ingress/P1 release: publishes next_ and the caller's writes
         * ingress/P2 acquire: receives the poller, if it sleeps there */
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
        next = got_up(seen) | END;
        if (task != NULL) {
            plain_store(&task->next_, task_of(seen));
            next = (uintptr_t)task | (next & STATE);
        }
        /* ingress/P1 release: publishes next_ and the caller's writes
         * ingress/P2 acquire: receives the poller, if it sleeps there
         * ingress/P3 acquire: receives the loop, if nobody has it */
    } while (!cas_weak_acq_rel(&in->word, &seen, next));
    return wake_of(seen);
}

void weir__ingress_see_end(const struct weir__ingress *in)
{
    /* ingress/P4 acquire: receives what the loop's thread has left */
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
        /* ingress/P3 acquire: receives the loop from who left it */
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
        /* ingress/P3 release: hands the loop to who claims it next */
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
    /* relaxed: a guess; drain and lie_down look for themselves */
    uintptr_t seen = load_relaxed(&in->word);

    return task_of(seen) != NULL || (!was_ending && seen & END);
}

bool weir__ingress_lie_down(struct weir__ingress *in, enum weir__bed bed,
                            bool was_ending)
{
    uintptr_t seen = was_ending ? WEIR__TERMINATING : WEIR__RUNNING;
    uintptr_t asleep = (seen & END) | ASLEEP;

    if (bed == WEIR__BED_POLLER)
        asleep |= IN_POLLER;
    /* ingress/P2 release: publishes the poller in which the loop sleeps */
    return cas_release(&in->word, &seen, asleep);
}

void weir__ingress_sleep(struct weir__ingress *in, int64_t deadline_ns)
{
    for (;;) {
        /* relaxed: only "asleep" is looked at; drain receives the rest */
        uintptr_t seen = load_relaxed(&in->word);

        if (!is_asleep(seen) ||
            weir__futex_wait(futex_low_half(&in->word), (uint32_t)seen,
                             deadline_ns, WEIR__FUTEX_PRIVATE) == -ETIMEDOUT)
            return;
    }
}

bool weir__ingress_get_up(struct weir__ingress *in)
{
    /* relaxed: a guess, checked by the CAS */
    uintptr_t seen = load_relaxed(&in->word);

    /* relaxed: answers our own lie_down; tasks come by drain */
    return is_asleep(seen) && cas_relaxed(&in->word, &seen, got_up(seen));
}

bool weir__ingress_terminate(struct weir__ingress *in)
{
    uintptr_t seen = WEIR__TERMINATING;

    /* ingress/P4 release: leaves to others what was the loop's thread's */
    return cas_release(&in->word, &seen, WEIR__TERMINATED);
}

void weir__ingress_disown(struct weir__ingress *in)
{
    set_unshared(&in->word, WEIR__TERMINATED);
}
