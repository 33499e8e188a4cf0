/* SPDX-License-Identifier: MIT */
/*
 * injector -- the shared queue of a pool for jobs of one priority.
 *
 *     any thread                           a worker
 *     err = weir__injector_push(in, job)   jobs = weir__injector_take(in, ...)
 *     weir__injector_close(in)
 *
 * Jobs of one producer come out in FIFO order, and each job comes out once.  A
 * worker runs the first job it takes and puts the rest into its own deque,
 * where other workers can steal them.  injector.c explains the word.
 */
#ifndef WEIR_SRC_INJECTOR_H
#define WEIR_SRC_INJECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"
#include "base/check.h"
#include "base/lock.h"
#include "weir/error.h"
#include "weir/job.h"

enum { WEIR__INJECTOR_CLOSED = 1 }; /* in `word` */

struct weir__injector {
    atomic(uintptr_t) word; /* any thread, injector/P1 */
    /* The workers' cache line. */
    _Alignas(CACHE_APART) struct weir__lock lock;
    atomic(uint64_t) sorted; /* jobs in the list; written under lock */
    weir_job *head;          /* under lock: the oldest job */
    weir_job *tail;          /* under lock, if head is not NULL */
};

/* Where a push comes from.  A closed injector refuses pushes from outside the
 * pool, but not those of the pool's own workers, whose jobs may still post. */
enum weir__origin { WEIR__FROM_OUTSIDE, WEIR__FROM_INSIDE };

void weir__injector_init(struct weir__injector *in);

static inline weir_job *weir__injector_job_of(uintptr_t word)
{
    return (weir_job *)(word & ~(uintptr_t)WEIR__INJECTOR_CLOSED); // NOLINT
}

/*
 * Push a job.
 *
 * Thread   any
 * Returns  0, WEIR_ECLOSED (from outside, after close)
 * Orders   what came before happens-before the take that returns the job
 */
static inline int weir__injector_push(struct weir__injector *in, weir_job *job,
                                      enum weir__origin origin)
{
    /* relaxed: a guess, checked by the CAS */
    uintptr_t seen = load_relaxed(&in->word);

    DEBUG_CHECK(((uintptr_t)job & WEIR__INJECTOR_CLOSED) == 0,
                "a job that is not aligned");
    do {
        if (seen & WEIR__INJECTOR_CLOSED && origin == WEIR__FROM_OUTSIDE)
            return WEIR_ECLOSED;
        plain_store(&job->next_, weir__injector_job_of(seen));
        /* injector/P1 release: publishes next_ and the caller's writes */
    } while (!cas_weak_release(
        &in->word, &seen, (uintptr_t)job | (seen & WEIR__INJECTOR_CLOSED)));
    return 0;
}

/* Refuse pushes from outside from now on.  Idempotent.  Thread: any. */
void weir__injector_close(struct weir__injector *in);

/* Whether there is nothing to take.  Thread: any.  The answer is a guess, and
 * is exact while no thread is inside push or take. */
static inline bool weir__injector_is_empty(const struct weir__injector *in)
{
    /* relaxed: a guess */
    return load_relaxed(&in->word) <= WEIR__INJECTOR_CLOSED &&
           /* relaxed: a guess too */
           load_relaxed(&in->sorted) == 0;
}

/* Return the newest job that no worker has taken.  The pointer may be compared
 * but not dereferenced.  Thread: any.  The answer is a guess. */
static inline const weir_job *
weir__injector_newest(const struct weir__injector *in)
{
    return weir__injector_job_of(load_relaxed(&in->word)); /* relaxed: guess */
}

/* Return the approximate number of jobs in the list, without those still on the
 * stack.  Thread: any. */
uint64_t weir__injector_count(const struct weir__injector *in);

/* Count all jobs, including those still on the stack.  This walks the stack
 * under the workers' lock.  If another thread holds the lock, the stack is not
 * counted.  Thread: any. */
uint64_t weir__injector_count_all(struct weir__injector *in);

/*
 * Take a list of jobs, oldest first: the fair share of one of `workers`
 * workers, but at most `limit`.
 *
 * Thread   a worker's
 * Returns  the list, or NULL: the injector is empty, or another thread holds
 *          the lock and may_wait is false
 */
weir_job *weir__injector_take(struct weir__injector *in, uint64_t workers,
                              uint64_t limit, bool may_wait);

#endif /* WEIR_SRC_INJECTOR_H */
