/* SPDX-License-Identifier: MIT */
/*
 * group -- a count of unfinished jobs, split in two.
 *
 * Shape     Most jobs are spawned and finish on one thread: that of the group's
 *           owner, which counts them in `mine`, a plain field.  All other
 *           threads count in the word.  The sum of the two is the number of
 *           unfinished jobs; either alone may be negative.
 *
 *               63                          3       2        1        0
 *              +-----------------------------+----------+---------+--------+
 *              |       left, of others       | finished |cancelled| waiter |
 *              +-----------------------------+----------+---------+--------+
 *
 *           An owner with nothing to do adds `mine` to the word and sets WAITER
 *           in one step.  From then on the thread that takes the word to zero
 *           knows that nothing is left, and wakes the owner.
 * Roles     init, wait          the owner
 *           spawn               the owner, and jobs of the group
 *           leave               the worker that has run a job of the group
 *           cancel              any thread
 * Progress  spawn and leave are wait-free.  wait runs other jobs, and sleeps.
 *
 * Shared state
 *   word          any thread, atomic                                       P1
 *   mine          the owner, plain
 *   owner, pool   const after init
 *
 * Pairs
 *   P1  leave: fetch_sub, release  -->  is_done, await, wait: acquire
 *       Hands over what the job did.  Until all jobs have finished, every
 *       write of the word is a read-modify-write, so a thread that reads zero
 *       acquires every leave.
 *
 * Why zero is final  A job of the group that spawns another counts it before it
 *           is itself counted as finished.  So the word, together with the
 *           matching `mine`, is never zero before all jobs have finished.
 * Why no lost wake  WAITER and the count share one word: either the last leave
 *           sees WAITER and wakes the owner, or await sees zero.  The wake-up
 *           leaves a permit (parker.c).  A thread that is not a worker sleeps
 *           on the word itself.
 * Reclaim   After its fetch_sub, a leave does not access the group, which may
 *           be on a stack frame that is gone.  It has read the owner before,
 *           and workers outlive their jobs.  Of the word it uses only the
 *           address.
 *
 * Tested by  test/unit/pool/group.c, test/model/pool/group.c,
 *            test/stress/pool/group.c
 */
#include "weir/group.h"

#include <errno.h>
#include <stddef.h>

#include "base/check.h"
#include "base/futex.h"
#include "pool/pool.h"

#define WAITER WEIR__GROUP_WAITER
#define CANCELLED WEIR__GROUP_CANCELLED
#define FINISHED WEIR__GROUP_FINISHED
#define ONE WEIR__GROUP_ONE
#define left weir__group_left

void weir_group_init(weir_group *group, weir_pool *pool)
{
    set_unshared(&group->word_, 0);
    group->mine_ = 0;
    group->owner_ = weir__worker_of(pool);
    group->pool_ = pool;
}

/* ---- spawn ---- */

/* Count a job in the word, and post it. */
static int spawn_counted(weir_group *group, weir_job *job,
                         struct weir__worker *worker)
{
    weir_pool *pool = group->pool_;
    int err;

    /* relaxed: own, or the caller is a job of the group and still counted */
    fetch_add_relaxed(&group->word_, ONE);
    if (worker != NULL) {
        weir__worker_push(worker, job);
        return 0;
    }
    err = weir__injector_push(&pool->injector[job->priority], job,
                              WEIR__FROM_OUTSIDE);
    if (err == 0) {
        weir__idle_notify(&pool->idle);
    } else {
        fetch_sub_relaxed(&group->word_, ONE); /* relaxed: own */
        (void)weir__origin_take(job);
    }
    return err;
}

/* The slow path of spawn: called by a thread other than the owner, or not
 * a worker; a job with a priority or a lane; a deque that has to grow; or
 * a refused job. */
__attribute__((noinline)) static int spawn_slowly(weir_group *group,
                                                  weir_job *job)
{
    weir_pool *pool = group->pool_;
    struct weir__worker *worker = weir__worker_of(pool);
    /* relaxed: a concurrent cancel finds the job in its queue */
    uint64_t word = load_relaxed(&group->word_);

    if (pool == NULL || job == NULL || !weir__pool_is_fit(pool, job))
        return -EINVAL;
    if (word & FINISHED)
        return WEIR_ECLOSED;
    if (word & CANCELLED)
        return WEIR_ECANCELED;
    if (weir__pool_is_closing(pool))
        return weir__pool_refusal(pool);
    job->group_ = group;
    job->state_ = 0;
    weir__pool_note_origin(pool, job);
    if (worker == NULL || worker != group->owner_)
        return spawn_counted(group, job, worker);
    group->mine_++;
    weir__worker_push(worker, job);
    return 0;
}

__attribute__((cold, noinline)) static int wake_one(weir_pool *pool)
{
    weir__idle_wake_one(&pool->idle);
    return 0;
}

/* The fast path: the owner, a worker of the pool, spawns a plain job.  All
 * calls in it are tail calls, so it needs no stack frame. */
int weir_group_spawn(weir_group *group, weir_job *job)
{
    weir_pool *pool = group->pool_;
    struct weir__worker *worker = weir__thread_worker();

    weir__origin_begin();
    if (__builtin_expect(
            job == NULL || job->run == NULL || job->lane != NULL ||
                job->priority != WEIR_PRIORITY_NORMAL || worker == NULL ||
                worker != group->owner_ ||
                !(worker->occupied & 1U << WEIR_PRIORITY_NORMAL) ||
                weir__pool_is_closing(pool) ||
                /* relaxed: a concurrent cancel finds the job in its queue */
                load_relaxed(&group->word_) & (FINISHED | CANCELLED),
            0))
        return spawn_slowly(group, job);
    job->group_ = group;
    job->state_ = 0;
    weir__pool_note_origin(pool, job);
    if (__builtin_expect(
            !weir__deque_push_quick(&worker->deque[WEIR_PRIORITY_NORMAL], job),
            0)) {
        (void)weir__origin_take(job);
        return spawn_slowly(group, job);
    }
    group->mine_++;
    if (weir__idle_must_wake(&pool->idle))
        return wake_one(pool);
    return 0;
}

/* ---- join ---- */

void weir__group_leave_other(weir_group *group)
{
    struct weir__worker *owner = group->owner_;
    const void *word = &group->word_;
    uint64_t old;

    /* group/P1 release: publishes what the job did */
    old = fetch_sub_release(&group->word_, ONE);
    if (left(old) != 1 || !(old & WAITER))
        return;
    if (owner != NULL)
        weir__idle_call(&owner->slot);
    else
        weir__futex_wake_all(futex_low_half(word), WEIR__FUTEX_PRIVATE);
}

bool weir__group_await(weir_group *group)
{
    /* relaxed: a guess, checked by the CAS */
    uint64_t seen = load_relaxed(&group->word_);
    uint64_t next;

    do
        next = (seen | WAITER) + (uint64_t)group->mine_ * ONE;
    /* group/P1 acquire: receives what all jobs did, if none is left */
    while (!cas_weak_acquire(&group->word_, &seen, next));
    group->mine_ = 0;
    return left(next) == 0;
}

static void wait_as_worker(weir_group *group, struct weir__worker *worker)
{
    while (!weir__group_is_done(group)) {
        weir_job *job = weir__worker_pop(worker);

        if (job == NULL)
            job = weir__worker_search(worker, group);
        if (job != NULL)
            weir__worker_run(worker, job);
    }
}

static void wait_asleep(weir_group *group)
{
    while (!weir__group_await(group)) {
        /* relaxed: await receives what the jobs did */
        uint64_t word = load_relaxed(&group->word_);

        if (left(word) != 0)
            (void)weir__futex_wait(futex_low_half(&group->word_),
                                   (uint32_t)word, -1, WEIR__FUTEX_PRIVATE);
    }
}

int weir_group_wait(weir_group *group)
{
    struct weir__worker *worker = weir__worker_of(group->pool_);
    uint64_t word;

    if (__builtin_expect(worker != group->owner_, 0))
        return -EPERM;
    if (weir__thread_is_loop()) /* even one that a worker runs inside a job */
        return -EDEADLK;
    if (worker != NULL)
        wait_as_worker(group, worker);
    else
        wait_asleep(group);
    word = load_relaxed(&group->word_); /* relaxed: all jobs have finished */
    /* relaxed: the same; atomic so that a late cancel is not a data race */
    store_relaxed(&group->word_, (word & CANCELLED) | FINISHED);
    return word & CANCELLED ? WEIR_ECANCELED : 0;
}

void weir_group_cancel(weir_group *group)
{
    /* relaxed: hands nothing over */
    fetch_or_relaxed(&group->word_, CANCELLED);
}

bool weir_group_is_cancelled(const weir_group *group)
{
    return weir__group_is_cancelled(group);
}
