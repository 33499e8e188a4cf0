/* SPDX-License-Identifier: MIT */
/*
 * weir/pool.h -- threads for work that may block or takes long.
 *
 * A pool has a few workers.  Each takes jobs from its own queues, from those
 * that outsiders have brought, and, when it has none, from other workers.
 *
 *     weir_pool *pool;
 *     if (weir_pool_new(&pool, NULL) != 0) ...    as many workers as cores
 *     weir_pool_submit(pool, resize, image, NULL);    any thread, any time
 *     weir_pool_shutdown(pool, -1);               what was accepted has run
 *     weir_pool_free(pool);
 *
 * The contracts have the form that weir/loop.h explains.  In them
 *
 *     Thread   any     - callable from every thread, concurrently
 *              worker  - only inside a job of this pool
 *
 * On any error the call had no effect and the job is never called.  A job that
 * was accepted is called exactly once.  Every function that can fail returns
 * -EINVAL for a pool that is NULL.
 *
 * Priorities.  A worker that has finished a job takes the next one HIGH before
 * NORMAL before LOW, of its own jobs and of those from outside; when it has
 * neither, it steals in the same order.  But of each WEIR_POOL_FAIRNESS jobs
 * that it takes, one is LOW and one NORMAL if there are any in its reach, so
 * none is starved.  (While it waits for a group it runs what helps, its own
 * jobs first, and does not count them.)
 *
 * Lanes.  A lane is a name for a kind of job, and a limit of how many of them
 * run at once.  The others wait in the lane and occupy no worker: four stuck
 * look-ups in a lane for three leave the fourth worker to everybody else.
 *
 * Blocking.  A job that will block for long may say so: then another worker
 * takes its place, up to max_workers; afterwards one too many goes home.
 *
 * Signals.  Workers have the signal mask of the thread that makes them, and
 * SIGPIPE blocked in addition: weir/service.h says why, and what children get.
 *
 * Names are shown by weir_pool_report().  They are not copied and must outlive
 * the pool: string literals, mostly.
 *
 * A child of fork() has none of the workers: to post, submit, spawn, block, shut
 * down or close returns WEIR_EFORKED there, and weir_pool_free gives the memory
 * back at once.  A job that forks must exec or _exit in the child: if it returns
 * there, weir aborts the child.
 */
#ifndef WEIR_POOL_H
#define WEIR_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/job.h"
#include "weir/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_pool weir_pool;

/* Of so many jobs that a worker takes, one is LOW, if there are any. */
#define WEIR_POOL_FAIRNESS 32

/* The most workers that a pool can have. */
#define WEIR_POOL_LIMIT 1024

/* All may be left 0. */
typedef struct weir_pool_options {
    size_t size;          /* sizeof(weir_pool_options) */
    const char *name;     /* of the pool */
    uint32_t workers;     /* 0: as many as this process may use cores */
    uint32_t max_workers; /* with those in place of blocked ones; 0: four times
                             as many as workers */
    void *arg;            /* of done */
    /* The last thing that a pool does, on its last worker: once, when all jobs
     * were called.  status is 0 after a shutdown, WEIR_ECANCELED after a close.
     * It must not free the pool. */
    void (*done)(void *arg, weir_pool *pool, int status);
} weir_pool_options;

/**
 * Make a pool.  Its workers run, and it admits work at once.
 *
 * Thread   any
 * Owns     *pool is the caller's until weir_pool_free
 * Returns  0, -EINVAL (pool is NULL, or an option makes no sense), -ENOMEM,
 *          -EAGAIN (no more threads can be made)
 */
WEIR_API WEIR_CHECKED int weir_pool_new(weir_pool **pool,
                                        const weir_pool_options *options);

/**
 * Give back the pool.  It is closed first, as by weir_pool_close without a
 * limit of time, and its threads have ended when this returns.  NULL is
 * nothing.
 *
 * Thread   any; no other call may be going on, or begin
 * Owns     the pointer, and the pool's lanes, are no longer the caller's
 * Returns  0, WEIR_EREENTRANT (inside a job of it, or done), -EDEADLK (on a
 *          loop's thread, and it has not finished yet: nothing has changed;
 *          weir_pool_close with a timeout of 0 begins without waiting)
 */
WEIR_API int weir_pool_free(weir_pool *pool);

/* ---- jobs ---- */

/**
 * Post a job.  From outside: while the pool is neither shut down nor closed.
 * Inside one of its jobs: until it is closed; the job then belongs to this
 * worker, which takes its newest first, and others may steal it.
 *
 * What one thread posts from outside, with one priority, is taken in its order.
 *
 * Thread   any
 * Owns     the caller keeps the job; weir borrows it until run() is entered
 * Returns  0, WEIR_ECLOSED (the pool no longer admits work), WEIR_EFORKED (it
 *          is the parent process's), -EINVAL (NULL, no run, a priority that
 *          there is not, or a lane of another pool)
 * Orders   everything before the call happens-before run()
 */
WEIR_API WEIR_CHECKED int weir_pool_post(weir_pool *pool, weir_job *job);

/* A job without a struct.  status as weir_job's. */
typedef void weir_job_fn(void *arg, int status);

/* All may be left 0. */
typedef struct weir_submit_options {
    size_t size; /* sizeof(weir_submit_options) */
    const char *name;
    weir_priority priority;
    weir_lane *lane;
    weir_abort *abort; /* the caller's, and outlives the job */
} weir_submit_options;

/**
 * The same with a function and its argument; weir keeps the storage, and uses
 * it again.  options may be NULL.
 *
 * Thread   any
 * Owns     arg is the caller's
 * Returns  0, WEIR_ECLOSED, -EINVAL (as weir_pool_post, or options of a size
 *          that this library does not know), -ENOMEM
 * Orders   everything before the call happens-before fn()
 */
WEIR_API WEIR_CHECKED int weir_pool_submit(weir_pool *pool, weir_job_fn *fn,
                                           void *arg,
                                           const weir_submit_options *options);

/**
 * The pool one of whose jobs runs on this thread, or NULL.
 *
 * Thread   any
 */
WEIR_API weir_pool *weir_pool_current(void);

/* ---- lanes ---- */

/**
 * Make a lane: at most `limit` of its jobs run at once.
 *
 * Thread   any
 * Owns     *lane is the pool's, and is freed with it; name is not copied
 * Returns  0, -EINVAL (NULL, or limit 0), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_lane_new(weir_lane **lane, weir_pool *pool,
                                        const char *name, uint32_t limit);

/* ---- jobs that block ---- */

/**
 * This job is about to block for long: let another worker take its place.  If
 * there are max_workers already, or no thread can be made, there is none; that
 * is no error.
 *
 * Thread   worker
 * Returns  0, -EPERM (not a worker of this pool), WEIR_EREENTRANT (begun
 *          already)
 */
WEIR_API WEIR_CHECKED int weir_pool_blocking_begin(weir_pool *pool);

/**
 * It no longer blocks.
 *
 * Thread   worker, that which began it
 * Returns  0, -EPERM (not a worker of this pool), -EINVAL (NULL, or not begun)
 */
WEIR_API WEIR_CHECKED int weir_pool_blocking_end(weir_pool *pool);

/* ---- stopping ---- */

/**
 * Stop gracefully: refuse new work from outside, run what was accepted and what
 * its jobs post; then the workers end, and done is called.  Waits for that, for
 * timeout_ns at the most (negative: no limit; 0: begins it and looks).  Inside
 * a job of the pool it begins the shutdown and returns at once.
 *
 * Thread   any, any number of times
 * Returns  0 (finished, or begun from inside), -ETIMEDOUT (it goes on;
 *          weir_pool_report says what holds it), -EDEADLK (on a loop's thread,
 *          with a timeout that is not 0; nothing has begun)
 * Orders   0: all jobs happened before
 */
WEIR_API WEIR_CHECKED int weir_pool_shutdown(weir_pool *pool,
                                             int64_t timeout_ns);

/**
 * Stop at once: jobs that run finish; all others that were accepted are called
 * with WEIR_ECANCELED, on the workers.  Jobs can post no more, either.
 *
 * Thread   any, any number of times; also during a shutdown
 * Returns  0 (finished, or begun from inside), -ETIMEDOUT, -EDEADLK; all as
 *          weir_pool_shutdown
 * Orders   0: all jobs happened before
 */
WEIR_API WEIR_CHECKED int weir_pool_close(weir_pool *pool, int64_t timeout_ns);

/* ---- looking ---- */

/**
 * Report what holds the pool: the jobs that run, the longest-running one first,
 * with name, age and thread; then those that wait in a lane, by the lane's name;
 * and the others that wait, as a number.  A job that a worker runs while it
 * waits for a group counts to the job that waits.  weir_holder says what happens
 * if there is too little room.  Never blocks and never allocates; what it shows
 * may be a moment old.
 *
 * Thread   any
 * Owns     fills holders[0 .. capacity - 1]
 * Returns  how many rows there are, which may be more than capacity
 */
WEIR_API size_t weir_pool_report(const weir_pool *pool, weir_holder *holders,
                                 size_t capacity);

typedef struct weir_pool_stats {
    size_t size;        /* sizeof(weir_pool_stats); set it before the call */
    uint32_t workers;   /* threads there are */
    uint32_t asleep;    /* of these */
    uint32_t blocked;   /* of these, between blocking_begin and _end */
    uint64_t ran;       /* jobs called with 0 */
    uint64_t cancelled; /* jobs called with WEIR_ECANCELED */
    uint64_t stolen;    /* jobs that another worker had in its queues */
    uint64_t sleeps;    /* how often a worker has gone to sleep */
    uint64_t queued;    /* jobs that wait, about */
} weir_pool_stats;

/**
 * Counts, about now; exact when nothing moves.
 *
 * Thread   any
 * Returns  0, -EINVAL (NULL, or a size that this library does not know)
 */
WEIR_API WEIR_CHECKED int weir_pool_look(const weir_pool *pool,
                                         weir_pool_stats *stats);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_POOL_H */
