/* SPDX-License-Identifier: MIT */
/*
 * injector -- a lock-free stack for producers and a locked list for workers.
 *
 * Shape     An intrusive stack in one word.  A job's address ends in zero bits,
 *           and the lowest bit says that pushes from outside are refused:
 *
 *             63                                              1     0
 *            +-------------------------------------------------+--------+
 *            |              newest job, or NULL                | closed |
 *            +-------------------------------------------------+--------+
 *
 *           Behind it is a FIFO list under a lock.  A worker that wants jobs
 *           takes the whole stack, reverses it, appends it to the list, and
 *           removes the first few jobs.  So a producer never waits for a
 *           worker; jobs that have not started stay where every worker can
 *           reach them; and a worker pays for the lock once per share.
 *
 *               push --> [stack] --all, reversed--> [list] --a few--> worker
 *
 * Roles     push, close, is_empty, count, count_all   any thread
 *           take                                      the workers
 * Progress  push and close are lock-free.  take makes one attempt at the lock
 *           unless it may wait; then it blocks while another thread holds the
 *           lock.  Nothing allocates.
 *
 * Shared state
 *   word        any thread, atomic                                         P1
 *   job.next_   the pusher until P1; then the holder of the lock           P1
 *   head, tail  under lock (lock/P1)
 *   sorted      written under lock; other threads read it as a hint
 *
 * Pairs
 *   P1  push: CAS, release  -->  take: CAS; count_all: load; acquire
 *       Hands over next_ and the producer's earlier writes.  Every write of the
 *       word is a read-modify-write, so a thread that reads the newest push
 *       acquires the older ones too.
 *
 * Not paired, on purpose
 *   close, relaxed: it hands nothing over.  A push is refused by the word that
 *   its own CAS would change.
 *   is_empty, relaxed: a caller that must not miss a job provides its own
 *   ordering (idle.c).
 *
 * Why no job is missed  While take moves jobs from the stack to the list,
 *           is_empty may see neither.  The worker that moves them is awake, and
 *           it notifies the others if it leaves some (worker.c).
 * Why no ABA        push never dereferences the job it replaces, and take
 *                   replaces it with NULL, never with a job.
 *
 * Tested by  test/model/pool/injector.c, test/unit/pool/injector.c,
 *            test/stress/pool/injector.c
 */
#include "pool/injector.h"

#include <stddef.h>

enum { CLOSED = WEIR__INJECTOR_CLOSED };

void weir__injector_init(struct weir__injector *in)
{
    set_unshared(&in->word, 0);
    weir__lock_init(&in->lock);
    set_unshared(&in->sorted, 0);
    in->head = NULL;
    in->tail = NULL;
}

void weir__injector_close(struct weir__injector *in)
{
    /* relaxed: hands nothing over */
    fetch_or_relaxed(&in->word, CLOSED);
}

uint64_t weir__injector_count(const struct weir__injector *in)
{
    return load_relaxed(&in->sorted); /* relaxed: count */
}

/* The lock keeps workers from taking the stack, so the jobs counted here
 * stay; a concurrent push only adds jobs above them.  The stack is not moved
 * to the list here: is_empty could see neither for a moment, and only a
 * worker makes up for that. */
uint64_t weir__injector_count_all(struct weir__injector *in)
{
    uint64_t count = load_relaxed(&in->sorted); /* relaxed: count */
    const weir_job *job;

    if (!weir__lock_try(&in->lock))
        return count;
    count = load_relaxed(&in->sorted); /* relaxed: own, under lock */
    /* injector/P1 acquire: receives every push up to the one we read */
    job = weir__injector_job_of(load_acquire(&in->word));
    for (; job != NULL; job = plain_load(&job->next_))
        count++;
    weir__lock_unlock(&in->lock);
    return count;
}

/* Take all jobs from the stack, newest first. */
static weir_job *take_stack(struct weir__injector *in)
{
    /* relaxed: a guess, checked by the CAS */
    uintptr_t seen = load_relaxed(&in->word);

    do {
        if (weir__injector_job_of(seen) == NULL)
            return NULL;
        /* injector/P1 acquire: receives every push up to the one we read */
    } while (!cas_weak_acquire(&in->word, &seen, seen & CLOSED));
    return weir__injector_job_of(seen);
}

/* Append the stack to the list.  Returns the number of jobs in the list. */
static uint64_t sort(struct weir__injector *in)
{
    weir_job *job = take_stack(in), *newest = job, *oldest = NULL;
    /* relaxed: own, under lock */
    uint64_t count = load_relaxed(&in->sorted);

    if (job == NULL)
        return count;
    for (; job != NULL; count++) {
        weir_job *older = plain_load(&job->next_);

        plain_store(&job->next_, oldest);
        oldest = job;
        job = older;
    }
    if (plain_load(&in->head) == NULL)
        plain_store(&in->head, oldest);
    else
        plain_store(&plain_load(&in->tail)->next_, oldest);
    plain_store(&in->tail, newest);
    return count;
}

/* Remove the first `count` jobs of the list, which has at least that many. */
static weir_job *cut(struct weir__injector *in, uint64_t count)
{
    weir_job *first = plain_load(&in->head), *last = first;

    while (--count > 0)
        last = plain_load(&last->next_);
    plain_store(&in->head, plain_load(&last->next_));
    plain_store(&last->next_, NULL);
    return first;
}

static uint64_t share_of(uint64_t count, uint64_t workers, uint64_t limit)
{
    uint64_t share = (count + workers - 1) / workers;

    return share < limit ? share : limit;
}

weir_job *weir__injector_take(struct weir__injector *in, uint64_t workers,
                              uint64_t limit, bool may_wait)
{
    weir_job *jobs = NULL;
    uint64_t count, share;

    if (weir__injector_is_empty(in))
        return NULL;
    if (may_wait)
        weir__lock_lock(&in->lock);
    else if (!weir__lock_try(&in->lock))
        return NULL;
    count = sort(in);
    if (count > 0) {
        share = share_of(count, workers, limit);
        jobs = cut(in, share);
        store_relaxed(&in->sorted, count - share); /* relaxed: a hint */
    }
    weir__lock_unlock(&in->lock);
    return jobs;
}
