/* SPDX-License-Identifier: MIT */
/*
 * lane -- a concurrency limit for jobs of one kind.
 *
 * Shape     A count of running jobs and a FIFO list of waiting ones, under a
 *           lock that is held for a few instructions.  If the lane is full when
 *           a worker takes one of its jobs, the worker puts the job on the list
 *           and goes on with other work.  A job that finishes passes its slot
 *           to the oldest waiting job, which goes to the worker's own deque
 *           marked as having a slot (WEIR__JOB_HAS_SLOT).
 * Roles     enter, exit   workers
 *           flush         the thread that closes the pool
 * Progress  no thread waits for a job, only for the lock.
 *
 * Shared state
 *   running, head, tail   under lock (lock/P1)
 *   waiting               written under lock; others read it as a count
 *
 * Why no job is stranded  Jobs wait only while `limit` jobs have a slot, and
 *           each of these passes its slot on.  flush is called by a thread that
 *           has a hold (idle.h), so the pool cannot terminate before the
 *           flushed jobs are in an injector.
 *
 * Tested by  test/unit/pool/lane.c, test/model/pool/pool.c,
 *            test/stress/pool/pool.c
 */
#include <errno.h>
#include <stddef.h>

#include "base/memory.h"
#include "pool/pool.h"

int weir_lane_new(weir_lane **lane, weir_pool *pool, const char *name,
                  uint32_t limit)
{
    weir_lane *made;

    if (lane == NULL || pool == NULL || limit == 0)
        return -EINVAL;
    made = weir__memory_alloc(sizeof(*made), CACHE_LINE);
    if (made == NULL)
        return -ENOMEM;
    *made = (weir_lane){.pool = pool, .name = name, .limit = limit};
    weir__lock_init(&made->lock);
    set_unshared(&made->waiting, 0);
    /* relaxed: a guess, checked by the CAS */
    made->next = load_relaxed(&pool->lanes);
    /* pool/P2 release: publishes the lane */
    while (!cas_weak_release(&pool->lanes, &made->next, made))
        ;
    *lane = made;
    return 0;
}

/* Called under lock. */
static void count(weir_lane *lane, int64_t change)
{
    /* relaxed: own, under lock */
    store_relaxed(&lane->waiting,
                  load_relaxed(&lane->waiting) + (uint64_t)change);
}

bool weir__lane_enter(weir_lane *lane, weir_job *job)
{
    bool is_free;

    weir__lock_lock(&lane->lock);
    is_free = lane->running < lane->limit;
    if (is_free) {
        lane->running++;
    } else {
        job->next_ = NULL;
        if (lane->head == NULL)
            lane->head = job;
        else
            lane->tail->next_ = job;
        lane->tail = job;
        count(lane, 1);
    }
    weir__lock_unlock(&lane->lock);
    return is_free;
}

weir_job *weir__lane_exit(weir_lane *lane)
{
    weir_job *next;

    weir__lock_lock(&lane->lock);
    next = lane->head;
    if (next == NULL) {
        lane->running--;
    } else {
        lane->head = next->next_;
        next->state_ |= WEIR__JOB_HAS_SLOT;
        count(lane, -1);
    }
    weir__lock_unlock(&lane->lock);
    return next;
}

void weir__lane_flush(weir_lane *lane)
{
    weir_job *job, *next;

    weir__lock_lock(&lane->lock);
    job = lane->head;
    lane->head = NULL;
    store_relaxed(&lane->waiting, 0); /* relaxed: under lock */
    weir__lock_unlock(&lane->lock);
    for (; job != NULL; job = next) {
        next = job->next_;
        (void)weir__injector_push(&lane->pool->injector[job->priority], job,
                                  WEIR__FROM_INSIDE);
    }
}
