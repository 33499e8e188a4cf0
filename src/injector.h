/* SPDX-License-Identifier: MIT */
/*
 * injector -- the door into a pool for jobs of one priority.
 *
 *     any thread                           a worker
 *     err = weir__injector_push(in, job)   jobs = weir__injector_take(in, ...)
 *     weir__injector_close(in)             first to itself, others may steal
 *
 * First in, first out for each producer; each job comes out once.  injector.c
 * explains the word.
 */
#ifndef WEIR_SRC_INJECTOR_H
#define WEIR_SRC_INJECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "atomic.h"
#include "check.h"
#include "lock.h"
#include "weir/error.h"
#include "weir/job.h"

enum { WEIR__INJECTOR_CLOSED = 1 }; /* in `word` */

struct weir__injector {
    atomic(uintptr_t) word; /* any thread, injector/P1 */
    /* The workers' line. */
    _Alignas(CACHE_APART) struct weir__lock lock;
    atomic(uint64_t) sorted; /* how many are in the list; lock to write */
    weir_job *head;          /* under lock: the oldest */
    weir_job *tail;          /* under lock, if head is not NULL */
};

/* Who pushes.  An outsider is refused when it is closed; a job that runs on the
 * pool, and what it posts, is not. */
enum weir__origin { WEIR__FROM_OUTSIDE, WEIR__FROM_INSIDE };

void weir__injector_init(struct weir__injector *in);

static inline weir_job *weir__injector_job_of(uintptr_t word)
{
    return (weir_job *)(word & ~(uintptr_t)WEIR__INJECTOR_CLOSED); // NOLINT
}

/*
 * Put a job in.
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

/* From now on outsiders are refused.  Thread: any, any number of times. */
void weir__injector_close(struct weir__injector *in);

/* Whether there is nothing to take.  Thread: any; a guess, but exact when
 * nobody is inside push or take. */
static inline bool weir__injector_is_empty(const struct weir__injector *in)
{
    /* relaxed: a guess */
    return load_relaxed(&in->word) <= WEIR__INJECTOR_CLOSED &&
           /* relaxed: the same */
           load_relaxed(&in->sorted) == 0;
}

/* What came last, if nobody has taken it: to be compared, not to be looked at.
 * Thread: any; a guess. */
static inline const weir_job *
weir__injector_newest(const struct weir__injector *in)
{
    return weir__injector_job_of(load_relaxed(&in->word)); /* relaxed: guess */
}

/* How many there are, about; those that were not looked at are not counted.
 * Thread: any. */
uint64_t weir__injector_count(const struct weir__injector *in);

/* How many there are, those that were not looked at included.  It walks over
 * them, with the lock that the workers want; if another thread has that, they are
 * not counted.  Thread: any. */
uint64_t weir__injector_count_all(struct weir__injector *in);

/*
 * Take some, oldest first, in a list: a fair share if `workers` want some, and
 * `limit` at the most.
 *
 * Thread   a worker's
 * Returns  the list, or NULL: empty, or (unless it may wait) another worker is
 *          at it
 */
weir_job *weir__injector_take(struct weir__injector *in, uint64_t workers,
                              uint64_t limit, bool may_wait);

#endif /* WEIR_SRC_INJECTOR_H */
