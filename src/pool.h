/* SPDX-License-Identifier: MIT */
/*
 * pool -- what its files know of each other.
 *
 *     pool.c     made, stopped and freed; jobs from outside
 *     worker.c   the life of a worker: which job comes next
 *     lane.c     jobs of one kind, so many at once
 *     group.c    jobs that somebody waits for
 *     census.c   counts and the report
 */
#ifndef WEIR_SRC_POOL_H
#define WEIR_SRC_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "atomic.h"
#include "check.h"
#include "deque.h"
#include "docket.h"
#include "fork.h"
#include "injector.h"
#include "lock.h"
#include "place.h"
#include "roster.h"
#include "thread.h"
#include "ticks.h"
#include "weir/group.h"
#include "weir/pool.h"

/* weir_job.state_ */
enum { WEIR__JOB_HAS_SLOT = 1 }; /* its lane has let it through */

struct weir__worker {
    struct weir__deque deque[WEIR_PRIORITIES]; /* by priority */
    /* The worker's own, plain. */
    _Alignas(CACHE_APART) weir_pool *pool; /* const */
    uint32_t index;                        /* const: its place in the pool */
    uint32_t occupied; /* a bit for each deque that may have jobs */
    uint32_t picks;
    bool came_for_few; /* at a door, and has not looked in vain since */
    int yields;        /* before it sleeps */
    uint32_t random;
    bool is_blocking;
    struct weir__tally tally;
    struct weir__bunk bunk;     /* roster.h */
    struct weir__thread thread; /* its own; pool.c says who may read it */
    bool is_joinable;           /* thread has not been joined */
    /* Written by the worker, read by any thread: pictures and counts. */
    atomic(bool) is_running;
    atomic(const char *) name;
    atomic(uint64_t) since_ticks;
    atomic(const void *) from; /* debug builds: where it was submitted */
    atomic(uint64_t) thread_id;
    atomic(uint64_t) ran, cancelled, stolen, sleeps;
};

struct weir_lane {
    weir_pool *pool;  /* const */
    const char *name; /* const */
    uint32_t limit;   /* const */
    weir_lane *next;  /* const after it is in pool.lanes */
    struct weir__lock lock;
    uint32_t running;         /* under lock */
    weir_job *head, *tail;    /* under lock: those that wait, oldest first */
    atomic(uint64_t) waiting; /* written under lock, read by any: a count */
};

struct weir_pool {
    struct weir__roster roster;
    struct weir__injector injector[WEIR_PRIORITIES];   /* by priority */
    _Alignas(CACHE_APART) atomic(uint32_t) is_closing; /* any thread */
    atomic(uint32_t) made;            /* workers in worker[]; only grows */
    atomic(weir_lane *) lanes;        /* newest first; only grows, pool/P2 */
    struct weir__lock lock;           /* of who adds a worker */
    uint32_t max_workers;             /* const */
    struct weir__inherited inherited; /* fork.h */
    bool is_foreign;                  /* const but in a child: pool.c */
    const char *name;                 /* const */
    void *arg;                        /* const */
    void (*done)(void *arg, weir_pool *pool, int status);
    struct weir__moment birth; /* const; for the ages in a report */
    struct weir__dockets dockets;
    atomic(uint32_t) blocked;  /* any thread: a count */
    atomic(uint32_t) threads;  /* any thread: that have not ended */
    atomic(uint32_t) finished; /* futex, pool/P3 */
    atomic(struct weir__worker *) worker[]; /* NULL, then const, pool/P1 */
};

/* ---- pool.c ---- */

/* A job as the options say, which may be NULL. */
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

/* A pool whose workers have no threads yet.  Returns 0, -EINVAL, -ENOMEM */
int weir__pool_make(weir_pool **pool, const weir_pool_options *options);

/* Its threads have ended. */
void weir__pool_unmake(weir_pool *pool);

/* Whether nothing waits at the doors.  As weir__roster_end wants it. */
bool weir__pool_is_empty(void *pool);

/* Adds a worker that the roster has joined and given this bunk, or NULL; or
 * takes it back if there is no memory or no thread. */
void weir__pool_grow(weir_pool *pool, struct weir__bunk *bunk);

/* It blocks no longer; it had said so. */
void weir__worker_unblock(struct weir__worker *worker);

/* A worker's thread is about to end. */
void weir__pool_leave(weir_pool *pool);

/* What a job must be. */
static inline bool weir__pool_is_fit(const weir_pool *pool, const weir_job *job)
{
    return job->run != NULL && (unsigned)job->priority < WEIR_PRIORITIES &&
           (job->lane == NULL || job->lane->pool == pool);
}

/* Before the push of a job: where it comes from, for the report; and that it is
 * in no queue yet. */
static inline void weir__pool_note_place(const weir_pool *pool,
                                         const weir_job *job)
{
    CHECK(
        weir__place_note(job, pool, job->lane != NULL ? job->lane->name : NULL),
        "a job that is posted already");
}

/* How many places to look at. */
static inline uint32_t weir__pool_made(const weir_pool *pool)
{
    return load_relaxed(&pool->made); /* relaxed: a count; P1 hands over */
}

/* NULL: it is not there yet, as seen from here. */
static inline struct weir__worker *weir__pool_worker(const weir_pool *pool,
                                                     uint32_t index)
{
    /* pool/P1 acquire: receives the worker */
    return load_acquire(&pool->worker[index]);
}

/* Why it refuses something: for the cold path of those who are refused. */
static inline int weir__pool_refusal(const weir_pool *pool)
{
    return pool->is_foreign ? WEIR_EFORKED : WEIR_ECLOSED;
}

static inline bool weir__pool_is_closing(const weir_pool *pool)
{
    /* relaxed: who closed it before us is seen by coherence; who does it now
     * meets the job in its queue */
    return load_relaxed(&pool->is_closing) != 0;
}

/* ---- worker.c ---- */

/* The calling thread, if it is a worker of this pool. */
static inline struct weir__worker *weir__worker_of(const weir_pool *pool)
{
    struct weir__worker *worker = weir__thread_worker();

    return worker != NULL && worker->pool == pool ? worker : NULL;
}

/* Returns 0, -ENOMEM */
int weir__worker_init(struct weir__worker *worker, weir_pool *pool,
                      uint32_t index);
void weir__worker_fini(struct weir__worker *worker);

/* The body of its thread; searches from the beginning. */
void weir__worker_live(void *worker);

/* When there is no memory for the deque.  Thread: the worker. */
__attribute__((cold)) void
weir__worker_push_outside(struct weir__worker *worker, weir_job *job);

/* To its own queue.  Thread: the worker. */
static inline void weir__worker_push(struct weir__worker *worker, weir_job *job)
{
    uint32_t priority = (uint32_t)job->priority;

    if (!(worker->occupied & 1U << priority)) /* a store less */
        worker->occupied |= 1U << priority;
    if (__builtin_expect(!weir__deque_push(&worker->deque[priority], job), 0))
        weir__worker_push_outside(worker, job);
    weir__roster_notify(&worker->pool->roster);
}

/* The newest of its own, by priority.  Thread: the worker. */
weir_job *weir__worker_pop_any(struct weir__worker *worker);

static inline weir_job *weir__worker_pop(struct weir__worker *worker)
{
    weir_job *job = NULL;

    if (__builtin_expect(worker->occupied == 1U << WEIR_PRIORITY_NORMAL, 1))
        job = weir__deque_pop(&worker->deque[WEIR_PRIORITY_NORMAL]);
    return job != NULL ? job : weir__worker_pop_any(worker);
}

/* From anywhere, or NULL: the group is done, or, without one, the worker is to
 * end.  Sleeps.  Thread: the worker. */
weir_job *weir__worker_search(struct weir__worker *worker, weir_group *group);

/* Calls the job, or leaves it to its lane.  Thread: the worker. */
void weir__worker_run(struct weir__worker *worker, weir_job *job);

/* ---- lane.c ---- */

/* Whether the job may run now; otherwise it waits in the lane. */
bool weir__lane_enter(weir_lane *lane, weir_job *job);

/* One has finished.  Returns the next, which has its place; or NULL. */
weir_job *weir__lane_exit(weir_lane *lane);

/* All that wait go to the doors of the pool. */
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
    /* relaxed: old news is no harm */
    return (load_relaxed(&group->word_) & WEIR__GROUP_CANCELLED) != 0;
}

/* Whether nothing is left of it.  Thread: its owner. */
static inline bool weir__group_is_done(const weir_group *group)
{
    /* group/P1 acquire: receives what all jobs did */
    uint64_t word = load_acquire(&group->word_);

    return group->mine_ + weir__group_left(word) == 0;
}

/* The same; otherwise the owner is called when it is. */
bool weir__group_await(weir_group *group);

/* A job of it has returned, on another thread than its owner's. */
void weir__group_leave_other(weir_group *group);

/* A job of it has returned.  worker: the calling one. */
static inline void weir__group_leave(weir_group *group,
                                     struct weir__worker *worker)
{
    if (group->owner_ == worker)
        group->mine_--;
    else
        weir__group_leave_other(group);
}

/* ---- census.c ---- */

struct weir__page;

/* What holds it, for a report (report.h).  Thread: any. */
void weir__page_add_pool(struct weir__page *page, const weir_pool *pool);

#endif /* WEIR_SRC_POOL_H */
