/* SPDX-License-Identifier: MIT */
/*
 * weir/pool.h -- threads for work that blocks or takes long.
 *
 * A pool has a few workers.  Each worker takes jobs from its own queues and
 * from those filled by other threads.  It steals from other workers when both
 * are empty.
 *
 *     weir_pool *pool;
 *     if (weir_pool_new(&pool, NULL) != 0) ...    as many workers as cores
 *     weir_pool_submit(pool, resize, image, NULL);    any thread, any time
 *     weir_pool_shutdown(pool, -1);               what was accepted has run
 *     weir_pool_free(pool);
 *
 * The contracts have the form that weir/loop.h explains, with these threads:
 *
 *     Thread   any     - callable from every thread, concurrently
 *              worker  - only inside a job of this pool
 *
 * A call that returns an error had no effect, and its job is never called.  A
 * job that was accepted is called exactly once.  Every function that can fail
 * returns -EINVAL for a pool that is NULL.
 *
 * Priorities.  A worker that has finished a job takes the next one in the order
 * HIGH, NORMAL, LOW, from its own jobs and from those posted from outside.
 * When there are none, it steals in the same order.  To prevent starvation, of
 * every WEIR_POOL_FAIRNESS jobs that it takes, one is LOW and one is NORMAL if
 * it can find any.  A worker that waits for a group is an exception: it runs
 * jobs that help the group, its own first, and does not count them.
 *
 * Lanes.  A lane names a kind of job and limits how many jobs of that kind run
 * at once.  The others wait in the lane and do not occupy a worker: four stuck
 * lookups in a lane with a limit of three leave the fourth worker free for
 * everything else.
 *
 * Blocking.  A job that is about to block for long may announce it.  Another
 * worker then takes its place, up to max_workers.  A surplus worker exits
 * afterwards.
 *
 * Signals.  Workers inherit the signal mask of the thread that creates them,
 * and additionally block SIGPIPE.  weir/service.h explains why, and what child
 * processes inherit.
 *
 * Names are shown by weir_pool_report().  They are not copied and must outlive
 * the pool; most are string literals.
 *
 * A child of fork() has none of the workers.  Posting, submitting, spawning,
 * blocking, shutting down and closing return WEIR_EFORKED there, and
 * weir_pool_free releases the memory at once.  A job that forks must call exec
 * or _exit in the child: weir aborts the child if the job returns there.
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

/* One of this many jobs that a worker takes is LOW, if there are any. */
#define WEIR_POOL_FAIRNESS 32

/* The maximum number of workers in a pool. */
#define WEIR_POOL_LIMIT 1024

/* Every member except size may be left 0. */
typedef struct weir_pool_options {
    size_t size;          /* sizeof(weir_pool_options) */
    const char *name;     /* of the pool */
    uint32_t workers;     /* 0: as many as the cores this process may use, at
                             most max_workers */
    uint32_t max_workers; /* including replacements for blocked workers; 0:
                             four times workers */
    void *arg;            /* for done */
    /* Called once, as the last action of the pool, on its last worker, when all
     * jobs have been called.  status is 0 after a shutdown and WEIR_ECANCELED
     * after a close.  It must not free the pool. */
    void (*done)(void *arg, weir_pool *pool, int status);
} weir_pool_options;

/**
 * Create a pool and start its workers.  The pool admits work at once.
 *
 * Thread   any
 * Owns     *pool is the caller's until weir_pool_free
 * Returns  0, -EINVAL (pool is NULL, or an option is invalid), -E2BIG (an
 *          option that this library does not know), -ENOMEM, -EAGAIN (no more
 *          threads can be created)
 */
WEIR_API WEIR_CHECKED int weir_pool_new(weir_pool **pool,
                                        const weir_pool_options *options);

/**
 * Free a pool.  The pool is closed first, as by weir_pool_close without a time
 * limit, and its threads have ended when the call returns.  Passing NULL has no
 * effect.
 *
 * Thread   any; no other call may be in progress or begin
 * Owns     the pool and its lanes are no longer the caller's to use
 * Returns  0, WEIR_EREENTRANT (inside one of its jobs, or inside done),
 *          -EDEADLK (on a loop's thread, and the pool has not finished yet:
 *          nothing has changed; weir_pool_close with a timeout of 0 begins the
 *          close without waiting)
 */
WEIR_API int weir_pool_free(weir_pool *pool);

/* ---- jobs ---- */

/**
 * Post a job to a pool.  From outside, the pool accepts jobs until it is shut
 * down or closed.  From inside one of its jobs, it accepts them until it is
 * closed.  A job posted from inside belongs to the posting worker, which takes
 * its newest job first; other workers may steal it.
 *
 * The jobs that one thread posts from outside with one priority are taken in
 * the order in which they were posted.
 *
 * Thread   any
 * Owns     the caller keeps the job; weir borrows it until run() is entered
 * Returns  0, WEIR_ECLOSED (the pool no longer admits work), WEIR_EFORKED (the
 *          pool belongs to the parent process), -EINVAL (NULL, no run, an
 *          unknown priority, or a lane of another pool)
 * Orders   everything before the call happens-before run()
 */
WEIR_API WEIR_CHECKED int weir_pool_post(weir_pool *pool, weir_job *job);

/* Every member except size may be left 0. */
typedef struct weir_submit_options {
    size_t size; /* sizeof(weir_submit_options) */
    const char *name;
    weir_priority priority;
    weir_lane *lane;
    weir_abort *abort; /* the caller's; it must outlive the job */
} weir_submit_options;

/**
 * Submit a function and its argument to a pool as a job.  weir provides the
 * storage for the job and reuses it.  The job is accepted and ordered as by
 * weir_pool_post.  options may be NULL.
 *
 * Thread   any
 * Owns     arg is the caller's
 * Returns  0, WEIR_ECLOSED (the pool no longer admits work), WEIR_EFORKED (the
 *          pool belongs to the parent process), -EINVAL (NULL, an unknown
 *          priority, a lane of another pool, or options has no valid size),
 *          -E2BIG (an option that this library does not know), -ENOMEM
 * Orders   everything before the call happens-before fn()
 */
WEIR_API WEIR_CHECKED int weir_pool_submit(weir_pool *pool, weir_fn *fn,
                                           void *arg,
                                           const weir_submit_options *options);

/**
 * Return the pool whose job is running on the calling thread, or NULL.
 *
 * Thread   any
 */
WEIR_API weir_pool *weir_pool_current(void);

/* ---- lanes ---- */

/**
 * Create a lane that runs at most `limit` of its jobs at once.
 *
 * Thread   any
 * Owns     *lane belongs to the pool and is freed with it; name is not copied
 * Returns  0, -EINVAL (NULL, or limit is 0), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_lane_new(weir_lane **lane, weir_pool *pool,
                                        const char *name, uint32_t limit);

/* ---- jobs that block ---- */

/**
 * Announce that the calling job is about to block for long, so that another
 * worker takes its place.  There is no replacement if max_workers exist
 * already, or if no thread can be created; that is not an error.
 *
 * Thread   worker
 * Returns  0, -EPERM (not a worker of this pool), WEIR_EREENTRANT (already
 *          begun), WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_pool_blocking_begin(weir_pool *pool);

/**
 * Announce that the calling job no longer blocks.
 *
 * Thread   worker, the one that called weir_pool_blocking_begin
 * Returns  0, -EPERM (not a worker of this pool), -EINVAL (NULL, or not begun),
 *          WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_pool_blocking_end(weir_pool *pool);

/* ---- stopping ---- */

/**
 * Shut down a pool gracefully.  The pool refuses new work from outside, runs
 * the jobs that it has accepted and those that they post, ends its workers, and
 * calls done.  The call waits for that for at most timeout_ns.  A negative
 * timeout means no limit; a timeout of 0 begins the shutdown and checks once.
 * From inside a job of the pool, the call begins the shutdown and returns at
 * once.
 *
 * Thread   any, any number of times
 * Returns  0 (finished, or begun from inside), -ETIMEDOUT (the shutdown
 *          continues; weir_pool_report shows what holds it), -EDEADLK (on a
 *          loop's thread, with a timeout other than 0; nothing has begun),
 *          WEIR_EFORKED
 * Orders   0: all jobs happened before
 */
WEIR_API WEIR_CHECKED int weir_pool_shutdown(weir_pool *pool,
                                             int64_t timeout_ns);

/**
 * Close a pool at once.  Running jobs finish.  All other accepted jobs are
 * called with WEIR_ECANCELED, on the workers.  Jobs can no longer post either.
 * The call waits for the end, for at most timeout_ns.  A negative timeout means
 * no limit; a timeout of 0 begins the close and checks once.  From inside a job
 * of the pool, the call begins the close and returns at once.
 *
 * Thread   any, any number of times, even during a shutdown
 * Returns  0 (finished, or begun from inside), -ETIMEDOUT (the close continues;
 *          weir_pool_report shows what holds it), -EDEADLK (on a loop's thread,
 *          with a timeout other than 0; nothing has begun), WEIR_EFORKED
 * Orders   0: all jobs happened before
 */
WEIR_API WEIR_CHECKED int weir_pool_close(weir_pool *pool, int64_t timeout_ns);

/* ---- inspection ---- */

/**
 * Report what holds a pool.  The running jobs come first, with name, age and
 * thread, the longest-running one first.  Then come the jobs that wait in a
 * lane, by the lane's name, and a count of the other waiting jobs.  A job that
 * a worker runs while it waits for a group counts towards the job that waits.
 * weir_holder describes what happens if capacity is too small.  The call never
 * blocks and never allocates; its result may be slightly out of date.
 *
 * Thread   any
 * Owns     fills holders[0 .. capacity - 1]; size is sizeof(weir_holder)
 * Returns  the number of rows that exist, which may exceed capacity
 */
WEIR_API size_t weir_pool_report(const weir_pool *pool, weir_holder *holders,
                                 size_t capacity, size_t size);

/* A lane at one moment.  Later versions may append members. */
typedef struct weir_lane_stats {
    const char *name; /* as it was given to weir_lane_new; may be NULL */
    uint32_t limit;   /* jobs that may run at once */
    uint32_t running; /* jobs that run, or are about to */
    uint64_t waiting; /* jobs that wait for one of these to end */
} weir_lane_stats;

/**
 * Report the lanes of a pool, the newest first.  The call never allocates, and
 * waits for nothing but locks that are held for a few instructions.
 *
 * Thread   any
 * Owns     fills rows[0 .. capacity - 1]; size is sizeof(weir_lane_stats)
 * Returns  the number of lanes, which may exceed capacity
 */
WEIR_API size_t weir_pool_lanes(const weir_pool *pool, weir_lane_stats *rows,
                                size_t capacity, size_t size);

typedef struct weir_pool_stats {
    size_t size;        /* sizeof(weir_pool_stats); set it before the call */
    uint32_t workers;   /* existing threads */
    uint32_t asleep;    /* of these, sleeping */
    uint32_t blocked;   /* of these, between blocking_begin and _end */
    uint64_t ran;       /* jobs called with 0 */
    uint64_t cancelled; /* jobs called with WEIR_ECANCELED */
    uint64_t stolen;    /* jobs taken from another worker's queues */
    uint64_t sleeps;    /* how often a worker has gone to sleep */
    uint64_t queued;    /* waiting jobs, approximately */
} weir_pool_stats;

/**
 * Read approximate counters of a pool.  They are exact only while the pool is
 * quiescent.
 *
 * Thread   any
 * Returns  0, -EINVAL (NULL, or stats has no valid size)
 */
WEIR_API WEIR_CHECKED int weir_pool_look(const weir_pool *pool,
                                         weir_pool_stats *stats);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_POOL_H */
