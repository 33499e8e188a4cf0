/* SPDX-License-Identifier: MIT */
/*
 * weir/group.h -- fork and join: jobs that somebody waits for.
 *
 *     weir_group group;
 *     weir_group_init(&group, pool);
 *     weir_group_spawn(&group, &left.job);     another worker may take it
 *     walk(right);                             meanwhile
 *     weir_group_wait(&group);                 all that was spawned is done
 *
 * A group and its jobs may lie on the stack.  A worker that waits runs other
 * jobs, of the group or of the pool, on top of the job that waits; so groups
 * nest, and no worker is lost to waiting.  A thread that is no worker sleeps.
 *
 * Who makes the group waits for it.  It and the group's own jobs may spawn.
 * Do not wait while holding a lock that other jobs want: one of them may be
 * run by the waiter.
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

/* Open, so that it can lie on the stack; its members are private. */
typedef struct weir_group {
    struct {
        uint64_t v_;
    } word_;                     /* any thread, group/P1 */
    int64_t mine_;               /* owner only */
    struct weir__worker *owner_; /* const after init; NULL: no worker */
    weir_pool *pool_;            /* const after init */
} weir_group;

/**
 * Begin a group.
 *
 * Thread   that which will wait for it
 * Owns     the group stays the caller's; the pool outlives it
 */
WEIR_API void weir_group_init(weir_group *group, weir_pool *pool);

/**
 * Post a job that the group waits for.
 *
 * Thread   that of init, and jobs of the group
 * Owns     the caller keeps the job; weir borrows it until run() is entered
 * Returns  0, WEIR_ECLOSED (the pool no longer admits work, or the group has
 *          been waited for), WEIR_ECANCELED (the group was cancelled), -EINVAL
 *          (as weir_pool_post)
 * Orders   everything before the call happens-before run()
 */
WEIR_API WEIR_CHECKED int weir_group_spawn(weir_group *group, weir_job *job);

/**
 * Wait until all jobs of the group were called and have returned.  The group is
 * finished then; weir_group_init makes a new one of it.
 *
 * Thread   that of init; a loop's must not block
 * Returns  0, WEIR_ECANCELED (all is done, but the group was cancelled: some
 *          jobs may have been told so), -EPERM (not the thread of init, though
 *          one of them is a worker), -EDEADLK (on a loop's thread)
 * Orders   sees what the jobs did
 */
WEIR_API int weir_group_wait(weir_group *group);

/**
 * Jobs of the group that have not begun are called with WEIR_ECANCELED when
 * their turn comes, and no more can be spawned.  Those that run may look at
 * weir_group_is_cancelled.
 *
 * Thread   any; the group is not finished
 */
WEIR_API void weir_group_cancel(weir_group *group);

/**
 * Whether it was cancelled.
 *
 * Thread   any; the group is not finished
 */
WEIR_API bool weir_group_is_cancelled(const weir_group *group);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_GROUP_H */
