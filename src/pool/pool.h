/* SPDX-License-Identifier: MIT */
/*
 * pool -- the declarations that the files of the thread pool share.
 *
 *     pool.c     create, stop and free a pool; post jobs from outside
 *     worker.c   a worker's main loop: choose a job, run it, or sleep
 *     lane.c     concurrency limits for jobs of one kind
 *     group.c    jobs that a thread waits for
 *     report.c   counters and the report
 *
 * A worker sleeps on the parker of its slot, its node in the list of idle
 * workers (idle.h).
 */
#ifndef WEIR_SRC_POOL_H
#define WEIR_SRC_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"
#include "base/check.h"
#include "base/fork.h"
#include "base/lock.h"
#include "base/origin.h"
#include "base/recycler.h"
#include "base/thread.h"
#include "base/tsc.h"
#include "pool/deque.h"
#include "pool/idle.h"
#include "pool/injector.h"
#include "trace/recorder.h"
#include "weir/group.h"
#include "weir/host/sized.h"
#include "weir/pool.h"

/* weir_job.state_ */
enum { WEIR__JOB_HAS_SLOT = 1 }; /* its lane has admitted it */

struct weir__worker {
    struct weir__deque deque[WEIR_PRIORITY_COUNT]; /* by priority */
    /* Worker only, plain. */
    _Alignas(CACHE_APART) weir_pool *pool; /* const */
    uint32_t index;                        /* const: position in pool.worker */
    uint32_t occupied; /* a bit per deque that may hold jobs */
    uint32_t picks;
    bool came_for_few; /* last share was small, and no look failed since */
    int yields;        /* number of yields before it sleeps */
    uint32_t random;
    bool is_blocking;
    struct weir__recycler_tally tally; /* of pool.calls */
    struct weir__idle_slot slot;       /* idle.h */
    struct weir__thread thread; /* pool.c says which thread may read it */
    bool is_joinable;           /* thread has not been joined */
    /* Written by the worker, read by any thread: snapshots and counters. */
    atomic(bool) is_running;
    atomic(const char *) name;
    atomic(uint64_t) since_ticks;
    struct weir__buffer *ring; /* the worker's; NULL: the recorder is off */
    const weir_job *shown;     /* the worker's: the job that runs; an address */
    uint64_t recorded;         /* the worker's: `stolen` at the last steal */
    atomic(const void *) from; /* debug builds: the origin */
    atomic(uint64_t) thread_id;
    atomic(uint64_t) ran, cancelled, stolen, sleeps;
};

struct weir_lane {
    weir_pool *pool;  /* const */
    const char *name; /* const */
    uint32_t limit;   /* const */
    weir_lane *next;  /* const once the lane is in pool.lanes */
    struct weir__lock lock;
    uint32_t running;         /* under lock */
    weir_job *head, *tail;    /* under lock: waiting jobs, oldest first */
    atomic(uint64_t) waiting; /* written under lock, read by any thread */
};

struct weir_pool {
    struct weir__idle idle;
    struct weir__injector injector[WEIR_PRIORITY_COUNT]; /* by priority */
    _Alignas(CACHE_APART) atomic(uint32_t) is_closing;   /* any thread */
    atomic(uint32_t) made;            /* workers in worker[]; only grows */
    atomic(weir_lane *) lanes;        /* newest first; only grows, pool/P2 */
    struct weir__lock lock;           /* held to add a worker */
    uint32_t max_workers;             /* const */
    struct weir__inherited inherited; /* fork.h */
    bool is_foreign;                  /* const, except in a child: pool.c */
    const char *name;                 /* const */
    void *arg;                        /* const */
    void (*done)(void *arg, weir_pool *pool, int status);
    struct weir__tsc_sample birth; /* const; for the ages in a report */
    struct weir__recycler calls;   /* of weir_pool_submit() */
    atomic(uint32_t) blocked;      /* any thread: a counter */
    atomic(uint32_t) threads;      /* any thread: threads that have not ended */
    atomic(uint32_t) finished;     /* futex, pool/P3 */
    atomic(struct weir__worker *) worker[]; /* NULL, then const, pool/P1 */
};

/* ---- pool.c ---- */

/* Replace the caller's options, which may be NULL, by a copy in `own` that has
 * all members.  Returns  0, -EINVAL, -E2BIG */
static inline int weir__submit_options_read(weir_submit_options *own,
                                            const weir_submit_options **options)
{
    const weir_submit_options *given = *options;

    if (given == NULL)
        return 0;
    *options = own;
    return weir_sized_read(own, sizeof(*own), given);
}

/* Make a job from options, which may be NULL. */
static inline weir_job weir__job_of(void (*run)(weir_job *job, int status),
                                    const weir_submit_options *options)
{
    weir_job job = {.run = run};

    if (options != NULL) {
        job.name = options->name;
        job.priority = options->priority;
        job.lane = options->lane;
        job.abort = options->abort;
    }
    return job;
}

/* Create a pool whose workers have no threads yet.  Returns  0,
 * -EINVAL, -E2BIG, -ENOMEM */
int weir__pool_make(weir_pool **pool, const weir_pool_options *options);

/* Free a pool.  Its threads must have ended. */
void weir__pool_unmake(weir_pool *pool);

/* Whether all injectors are empty.  This is the is_empty of
 * weir__idle_end(). */
bool weir__pool_is_empty(void *pool);

/* Start a worker that weir__idle_block() has counted.  `slot` is the
 * one it got from there, or NULL.  Undo the count if there is no
 * memory or no thread. */
void weir__pool_grow(weir_pool *pool, struct weir__idle_slot *slot);

/* End the worker's blocking section.  It must be in one. */
void weir__worker_unblock(struct weir__worker *worker);

/* Record that the calling worker's thread is about to end. */
void weir__pool_leave(weir_pool *pool);

/* Whether a job is valid for this pool. */
static inline bool weir__pool_is_fit(const weir_pool *pool, const weir_job *job)
{
    return job->run != NULL && (unsigned)job->priority < WEIR_PRIORITY_COUNT &&
           (job->lane == NULL || job->lane->pool == pool);
}

/* Record where a job comes from, for the report, and check that it is in no
 * queue yet.  Call this before the push. */
static inline void weir__pool_note_origin(const weir_pool *pool,
                                          const weir_job *job)
{
    CHECK(weir__origin_note(job, pool,
                            job->lane != NULL ? job->lane->name : NULL),
          "a job that is posted already");
}

/* Return the number of entries of worker[] to look at. */
static inline uint32_t weir__pool_made(const weir_pool *pool)
{
    return load_relaxed(&pool->made); /* relaxed: a count; P1 hands over */
}

/* Return a worker, or NULL: this thread does not see it yet. */
static inline struct weir__worker *weir__pool_worker(const weir_pool *pool,
                                                     uint32_t index)
{
    /* pool/P1 acquire: receives the worker */
    return load_acquire(&pool->worker[index]);
}

/* Return the error for a refused job.  Only the cold path needs it. */
static inline int weir__pool_refusal(const weir_pool *pool)
{
    return pool->is_foreign ? WEIR_EFORKED : WEIR_ECLOSED;
}

static inline bool weir__pool_is_closing(const weir_pool *pool)
{
    /* relaxed: a close that came before is seen by coherence; a concurrent one
     * finds the job in its queue */
    return load_relaxed(&pool->is_closing) != 0;
}

/* ---- worker.c ---- */

/* Return the calling thread's worker, or NULL if it has none in this pool. */
static inline struct weir__worker *weir__worker_of(const weir_pool *pool)
{
    struct weir__worker *worker = weir__thread_worker();

    return worker != NULL && worker->pool == pool ? worker : NULL;
}

/* Returns 0, -ENOMEM */
int weir__worker_init(struct weir__worker *worker, weir_pool *pool,
                      uint32_t index);
void weir__worker_fini(struct weir__worker *worker);

/* The thread function of a worker.  The worker starts out as a searcher. */
void weir__worker_live(void *worker);

/* Push a job to the injector because the deque cannot grow.
 * Thread: the worker. */
__attribute__((cold)) void
weir__worker_push_outside(struct weir__worker *worker, weir_job *job);

/* Push a job to the worker's own deque.  Thread: the worker. */
static inline void weir__worker_push(struct weir__worker *worker, weir_job *job)
{
    uint32_t priority = (uint32_t)job->priority;

    if (!(worker->occupied & 1U << priority)) /* saves a store */
        worker->occupied |= 1U << priority;
    if (__builtin_expect(!weir__deque_push(&worker->deque[priority], job), 0))
        weir__worker_push_outside(worker, job);
    weir__idle_notify(&worker->pool->idle);
}

/* Pop the newest job of the highest priority from the worker's own deques.
 * Thread: the worker. */
weir_job *weir__worker_pop_any(struct weir__worker *worker);

static inline weir_job *weir__worker_pop(struct weir__worker *worker)
{
    weir_job *job = NULL;

    if (__builtin_expect(worker->occupied == 1U << WEIR_PRIORITY_NORMAL, 1))
        job = weir__deque_pop(&worker->deque[WEIR_PRIORITY_NORMAL]);
    return job != NULL ? job : weir__worker_pop_any(worker);
}

/* Find a job anywhere, and sleep until there is one.  Returns NULL once
 * the group is done or, without a group, when the worker must end.
 * Thread: the worker. */
weir_job *weir__worker_search(struct weir__worker *worker, weir_group *group);

/* Run a job, or leave it waiting in its lane.  Thread: the worker. */
void weir__worker_run(struct weir__worker *worker, weir_job *job);

/* ---- lane.c ---- */

/* Admit a job.  False: the lane is full, and the job waits in it. */
bool weir__lane_enter(weir_lane *lane, weir_job *job);

/* Record that a job of the lane has finished.  Returns the next job, which
 * takes over the slot, or NULL. */
weir_job *weir__lane_exit(weir_lane *lane);

/* Move all jobs that wait in the lane to the pool's injectors. */
void weir__lane_flush(weir_lane *lane);

/* ---- group.c ---- */

/* weir_group.word_; group.c explains it. */
#define WEIR__GROUP_WAITER UINT64_C(1)
#define WEIR__GROUP_CANCELLED UINT64_C(2)
#define WEIR__GROUP_FINISHED UINT64_C(4)
#define WEIR__GROUP_ONE UINT64_C(8)

static inline int64_t weir__group_left(uint64_t word)
{
    return (int64_t)word >> 3;
}

static inline bool weir__group_is_cancelled(const weir_group *group)
{
    /* relaxed: a stale value does no harm */
    return (load_relaxed(&group->word_) & WEIR__GROUP_CANCELLED) != 0;
}

/* Whether all jobs of the group have finished.  Thread: its owner. */
static inline bool weir__group_is_done(const weir_group *group)
{
    /* group/P1 acquire: receives what all jobs did */
    uint64_t word = load_acquire(&group->word_);

    return group->mine_ + weir__group_left(word) == 0;
}

/* Whether all jobs of the group have finished.  If not, the owner is woken when
 * they have.  Thread: its owner. */
bool weir__group_await(weir_group *group);

/* Record that a job of the group has returned on a thread other
 * than its owner's. */
void weir__group_leave_other(weir_group *group);

/* Record that a job of the group has returned on the calling worker. */
static inline void weir__group_leave(weir_group *group,
                                     struct weir__worker *worker)
{
    if (group->owner_ == worker)
        group->mine_--;
    else
        weir__group_leave_other(group);
}

/* ---- report.c ---- */

struct weir__page;

/* Add what keeps the pool running to a report (report.h).  Thread: any. */
void weir__page_add_pool(struct weir__page *page, const weir_pool *pool);

#endif /* WEIR_SRC_POOL_H */
