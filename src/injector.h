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
#include "lock.h"
#include "weir/error.h"
#include "weir/job.h"

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

/*
 * Put a job in.
 *
 * Thread   any
 * Returns  0, WEIR_ECLOSED (from outside, after close)
 * Orders   what came before happens-before the take that returns the job
 */
int weir__injector_push(struct weir__injector *in, weir_job *job,
                        enum weir__origin origin);

/* From now on outsiders are refused.  Thread: any, any number of times. */
void weir__injector_close(struct weir__injector *in);

/* Whether there is nothing to take.  Thread: any; a guess, but exact when
 * nobody is inside push or take. */
bool weir__injector_is_empty(const struct weir__injector *in);

/* How many there are, about; those that were not looked at are not counted.
 * Thread: any. */
uint64_t weir__injector_count(const struct weir__injector *in);

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
