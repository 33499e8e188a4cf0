/* SPDX-License-Identifier: MIT */
/*
 * weir/group.h -- fork and join: spawn jobs and wait for them.
 *
 *     weir_group group;
 *     weir_group_init(&group, pool);
 *     weir_group_spawn(&group, &left.job);     another worker may take it
 *     walk(right);                             meanwhile
 *     weir_group_wait(&group);                 all that was spawned is done
 *
 * A group and its jobs may live on the stack.  A worker that waits runs other
 * jobs, of the group or of the pool, on top of the waiting job.  Groups can
 * therefore nest, and waiting never takes a worker out of service.  A thread
 * that is not a worker sleeps.
 *
 * The thread that initializes the group waits for it.  That thread and the
 * group's own jobs may spawn.  Do not wait while holding a lock that other jobs
 * need: the waiter may run one of them.
 */
#ifndef WEIR_GROUP_H
#define WEIR_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/job.h"
#include "weir/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The struct is open so that it can live on the stack; its members are
 * private. */
typedef struct weir_group {
    struct {
        uint64_t v_;
    } word_;                     /* any thread, group/P1 */
    int64_t mine_;               /* owner only */
    struct weir__worker *owner_; /* const after init; NULL: not a worker */
    weir_pool *pool_;            /* const after init */
} weir_group;

/**
 * Initialize an empty group of jobs for a pool.
 *
 * Thread   the one that will wait for the group
 * Owns     the group stays the caller's; the pool must outlive it
 */
WEIR_API void weir_group_init(weir_group *group, weir_pool *pool);

/**
 * Post a job that the group waits for.
 *
 * Thread   the one that called weir_group_init, and jobs of the group
 * Owns     the caller keeps the job; weir borrows it until run() is entered
 * Returns  0, WEIR_ECLOSED (the pool no longer admits work, or the group has
 *          been waited for), WEIR_ECANCELED (the group was cancelled), -EINVAL
 *          (the pool or the job is NULL, no run, an unknown priority, or a
 *          lane of another pool), WEIR_EFORKED
 * Orders   everything before the call happens-before run()
 */
WEIR_API WEIR_CHECKED int weir_group_spawn(weir_group *group, weir_job *job);

/**
 * Wait until all jobs of a group have been called and have returned.  The group
 * is finished then; weir_group_init makes it usable again.
 *
 * Thread   the one that called weir_group_init, except a loop's, which must not
 *          block
 * Returns  0, WEIR_ECANCELED (all jobs have returned, but the group was
 *          cancelled: some of them may have been called with WEIR_ECANCELED),
 *          -EPERM (not the thread of weir_group_init, and at least one of the
 *          two threads is a worker), -EDEADLK (on a loop's thread)
 * Orders   sees what the jobs did
 */
WEIR_API int weir_group_wait(weir_group *group);

/**
 * Cancel the jobs of a group that have not begun.  Their functions are called
 * with WEIR_ECANCELED when their turn comes, and no more jobs can be spawned.
 * Running jobs may check weir_group_is_cancelled.
 *
 * Thread   any, while the group is not finished
 */
WEIR_API void weir_group_cancel(weir_group *group);

/**
 * Return whether a group was cancelled.
 *
 * Thread   any, while the group is not finished
 */
WEIR_API bool weir_group_is_cancelled(const weir_group *group);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_GROUP_H */
