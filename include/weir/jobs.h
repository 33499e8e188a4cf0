/* SPDX-License-Identifier: MIT */
/*
 * weir/jobs.h -- jobs that survive the process (libweir-jobs).
 *
 * A store is a file of SQLite that any number of processes of one machine open,
 * or a database of PostgreSQL, for processes of any number of machines.  A job
 * that was added runs at least once, in one of them.
 *
 *     weir_jobs *jobs;
 *     weir_jobs_open(&jobs, loop, "jobs.db", NULL);
 *     weir_jobs_add(jobs, &(weir_jobs_spec){.size = sizeof(weir_jobs_spec),
 *                       .queue = "mail", .payload = "to: 42",
 *                       .payload_size = 6}, added, NULL);
 *     weir_jobs_work(jobs, &worker, &(weir_jobs_worker_options){
 *                       .size = sizeof(weir_jobs_worker_options),
 *                       .queue = "mail", .run = send_mail});
 *     static void send_mail(void *arg, weir_jobs_claim *claim)
 *     {
 *         ...
 *         weir_jobs_settle(claim, NULL, NULL, NULL);        it is done
 *     }
 *     weir_jobs_close(jobs, closed, NULL);    and then weir_jobs_free(jobs)
 *
 * The contracts have the form that weir/loop.h explains.
 *
 * Promises.  A callback with status 0 means that the change is on the disk.  A
 * job is claimed under a lease, which a thread of the library renews: neither a
 * callback nor a handler that blocks can delay it.  Each claim has a token that
 * is larger than all tokens before it.  Once a lease has ended, the job may be
 * claimed by another worker, and every change with the old token is refused
 * with WEIR_ELEASE.  A handler whose effects must happen once passes the token
 * on to whatever it changes, which refuses a token smaller than the last.
 *
 * Threads.  A handle belongs to one loop.  Its functions are called on that
 * loop's thread, and its callbacks run there.  All work on the store is done by
 * the handle's own thread.  Everything that one turn of the loop asks for is
 * committed together.
 *
 * Callbacks.  A call that returns 0 has its callback called exactly once, with
 * status 0 or with the reason of the failure:
 *
 *     WEIR_ELEASE     the token of the claim is stale
 *     -ENOENT         there is no such job, or it is in another state
 *     WEIR_ESCHEMA    the store was written by a newer version of weir
 *     WEIR_ESTORE     the store failed: weir_jobs_reply.reason says how
 *     -ENOSPC, -EIO, -EBUSY, -EACCES, -EROFS, -ENOENT, -ENOMEM
 *                     the same, with the error of the system
 *     -ETIMEDOUT      PostgreSQL: the connection was lost during the commit, and
 *                     the server could not be asked within busy_ms how it ended
 *     WEIR_ECANCELED  weir_jobs_free came first
 *
 * A failed change has not happened, except with -ETIMEDOUT, where it may have.
 * The callback may be NULL.
 *
 * Times are in milliseconds.  Delays and schedules follow the system's clock,
 * and survive a restart.  Leases follow a clock that nobody can set.  With
 * PostgreSQL, all times are those of the server's clock.
 */
#ifndef WEIR_JOBS_H
#define WEIR_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/abort.h"
#include "weir/error.h"
#include "weir/export.h"
#include "weir/loop.h"
#include "weir/service.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_jobs weir_jobs;
typedef struct weir_jobs_worker weir_jobs_worker;
typedef struct weir_jobs_claim weir_jobs_claim;

enum {
    WEIR_JOBS_ATTEMPTS = 10,            /* the defaults of a job, ... */
    WEIR_JOBS_BACKOFF_MS = 1000,        /* ... */
    WEIR_JOBS_BACKOFF_MAX_MS = 3600000, /* ... */
    WEIR_JOBS_LEASE_MS = 30000,         /* of a worker, ... */
    WEIR_JOBS_LEASE_MIN_MS = 100,       /* and its smallest lease */
    WEIR_JOBS_NAME_LIMIT = 255,         /* bytes of a name or a key */
    WEIR_JOBS_PAYLOAD_LIMIT = 1 << 20,  /* bytes, unless an option says so */
    WEIR_JOBS_AFTER_LIMIT = 1000,       /* jobs that one job can wait for */
    WEIR_JOBS_LIST_LIMIT = 1000,        /* rows of weir_jobs_list */
};

/* The values are those in the store's column job.state. */
typedef enum weir_jobs_state {
    WEIR_JOBS_READY = 0,
    WEIR_JOBS_RUNNING = 1,   /* claimed */
    WEIR_JOBS_SCHEDULED = 2, /* delayed, or waits for its next attempt */
    WEIR_JOBS_BEHIND = 3,    /* behind another job with its key */
    WEIR_JOBS_WAITING = 4,   /* for the jobs that it runs after */
    WEIR_JOBS_DONE = 5,      /* as long as its result is kept */
    WEIR_JOBS_DEAD = 6,      /* has used up its attempts */
    WEIR_JOBS_CANCELLED = 7,
} weir_jobs_state;

enum { WEIR_JOBS_STATES = 8 };

/* A job, as it is in the store.  Strings may be NULL.  Later versions may append
 * members to this struct and to the following ones. */
typedef struct weir_jobs_info {
    const struct weir_jobs_info *next; /* in a list; NULL: the last */
    uint64_t id;                       /* never used again */
    uint64_t token;                    /* of its last claim; 0: never claimed */
    weir_jobs_state state;
    uint32_t attempt;  /* 1 in the first one; given back, it does not count */
    uint32_t attempts; /* the most that there are */
    int32_t priority;
    double progress;                          /* 0 to 1 */
    int64_t added_ms, run_at_ms, finished_ms; /* since 1970; 0: not yet */
    int64_t timeout_ms;
    const char *queue, *key, *unique;
    const char *owner;  /* the process that has claimed it */
    const char *reason; /* why the last attempt failed */
    const void *payload, *result;
    size_t payload_size, result_size;
    int64_t lease_ms; /* RUNNING: until its lease ends, unless it is renewed */
} weir_jobs_info;

/* A queue, with the number of its jobs in each state. */
typedef struct weir_jobs_queue {
    const struct weir_jobs_queue *next; /* NULL: the last */
    const char *name;
    bool is_paused;
    uint32_t concurrency;   /* 0: no limit */
    uint32_t rate;          /* 0: no limit */
    int64_t rate_period_ms; /* in which `rate` jobs may begin */
    int64_t oldest_ms;      /* when its oldest READY job was due; 0: none */
    uint64_t jobs[WEIR_JOBS_STATES];
    uint32_t key_concurrency; /* jobs with one key; 0: 1 */
    uint32_t key_rate;        /* 0: no limit */
    int64_t key_rate_period_ms;
} weir_jobs_queue;

/* A schedule, as it is in the store. */
typedef struct weir_jobs_plan {
    const struct weir_jobs_plan *next; /* NULL: the last */
    const char *queue, *name, *cron, *zone;
    int64_t next_ms; /* since 1970 */
} weir_jobs_plan;

/* A claim that a drain had to wait for, or cut off. */
typedef struct weir_jobs_holder {
    const struct weir_jobs_holder *next; /* NULL: the last */
    uint64_t id, token;
    uint32_t attempt;
    int64_t age_ms; /* since it was claimed */
    const char *queue;
} weir_jobs_holder;

/* The answer to a request.  What it points to is valid during the callback.
 * queues, holders, jobs and plans are lists of count rows, linked by next.
 * Members that a function does not mention are 0. */
typedef struct weir_jobs_reply {
    const char *reason; /* of a failure, in words; never NULL */
    uint64_t id;
    bool is_new;
    uint64_t count;
    const weir_jobs_info *job;
    const weir_jobs_queue *queues;
    const weir_jobs_holder *holders;
    const weir_jobs_info *jobs;
    const weir_jobs_plan *plans;
    int64_t next_ms;
    const char *text;
} weir_jobs_reply;

typedef void weir_jobs_fn(void *arg, int status, const weir_jobs_reply *reply);

typedef enum weir_jobs_event_kind {
    WEIR_JOBS_EVENT_LOST = 0, /* a lease has ended; what follows is refused */
    WEIR_JOBS_EVENT_TIMEOUT,  /* a handler took too long; the attempt failed */
    WEIR_JOBS_EVENT_ERROR,    /* the store failed while claiming or renewing */
} weir_jobs_event_kind;

typedef struct weir_jobs_event {
    weir_jobs_event_kind kind;
    int status; /* why */
    const char *reason;
    weir_jobs_claim *claim; /* NULL for WEIR_JOBS_EVENT_ERROR */
} weir_jobs_event;

/* Every member except size may be left 0. */
typedef struct weir_jobs_options {
    size_t size;          /* sizeof(weir_jobs_options) */
    const char *name;     /* of this process, for the store's column owner */
    size_t payload_limit; /* 0: WEIR_JOBS_PAYLOAD_LIMIT */
    int64_t busy_ms;      /* the longest wait for another process that writes,
                             or for a server that does not answer; 0: 10
                             seconds */
    void *arg; /* for the two callbacks below, on the loop's thread */
    /* The store is open, or could not be opened: status and reason as in a
     * reply.  In that case every request fails with the same status. */
    void (*opened)(void *arg, weir_jobs *jobs, int status, const char *reason);
    /* Something that no request asked for.  NULL: print one line on stderr. */
    void (*on_event)(void *arg, weir_jobs *jobs, const weir_jobs_event *event);
} weir_jobs_options;

/* ---- the store ---- */

/**
 * Open a store, and create it if it does not exist.  `path` is a file name, a
 * URI of SQLite ("file:..."), or a URL of PostgreSQL ("postgres://...").  The
 * store is opened on the handle's thread: requests may follow at once, and fail
 * if it cannot be opened.
 *
 * Thread   the loop's, or before it runs
 * Owns     *jobs is the caller's until weir_jobs_free; strings are copied.  An
 *          idle handle without workers does not keep the loop running
 * Returns  0, -EINVAL (NULL, an empty path, or a name that is too long), -E2BIG
 *          (an option that this library does not know), -ENOMEM, -EAGAIN (no
 *          more threads can be created)
 */
WEIR_API WEIR_CHECKED int weir_jobs_open(weir_jobs **jobs, weir_loop *loop,
                                         const char *path,
                                         const weir_jobs_options *options);

/**
 * Close a store.  Requests that were accepted are carried out.  Jobs that are
 * still claimed are given back without counting an attempt, even if a handler
 * is running: drain first.  fn is called when all of this is done and the file
 * is closed.
 *
 * Thread   the loop's
 * Owns     weir_jobs_free is still to be called, from fn or later
 * Returns  0, -EINVAL (NULL), WEIR_ECLOSED (it is being closed)
 */
WEIR_API WEIR_CHECKED int weir_jobs_close(weir_jobs *jobs, weir_jobs_fn *fn,
                                          void *arg);

/**
 * Free a handle.  A store that is not closed is closed first, and the call
 * waits for that.  Callbacks that were not called yet are called with
 * WEIR_ECANCELED, and claims that were not settled are freed.  Passing NULL has
 * no effect.
 *
 * Thread   the loop's, or any after the loop has ended; not in a handler of a
 *          worker
 * Owns     the handle, its workers and its claims are no longer the caller's
 */
WEIR_API void weir_jobs_free(weir_jobs *jobs);

/* ---- adding ---- */

/* A job to add.  Every member except size and queue may be left 0. */
typedef struct weir_jobs_spec {
    size_t size; /* sizeof(weir_jobs_spec) */
    const char *queue;
    const void *payload;
    size_t payload_size;
    /* Jobs of one queue with the same key run one at a time, in the order in
     * which they were added.  A job that is to be tried again, or is delayed,
     * holds up those behind it; one that is dead or cancelled does not. */
    const char *key;
    /* While a job of the queue with the same string is not finished, adding
     * another one finds that job instead. */
    const char *unique;
    int32_t priority;       /* a larger one is claimed first */
    int64_t delay_ms;       /* from now on */
    int64_t run_at_ms;      /* since 1970, instead of a delay */
    uint32_t attempts;      /* 0: WEIR_JOBS_ATTEMPTS */
    int64_t backoff_ms;     /* before the second attempt, doubled for each
                                 further one, minus up to a half at random; 0:
                                 WEIR_JOBS_BACKOFF_MS */
    int64_t backoff_max_ms; /* 0: WEIR_JOBS_BACKOFF_MAX_MS */
    int64_t timeout_ms;     /* of an attempt, even if its thread is blocked;
                                 0: none */
    int64_t keep_ms;        /* how long the result is kept; 0: the job is
                                 removed when it is done; negative: forever */
    const uint64_t *after;  /* jobs that must be done first.  One that does
                                 not exist any more is done.  If one of them is
                                 cancelled, so is this one */
    size_t after_count;
} weir_jobs_spec;

/**
 * Add a job.  reply.id is its id; reply.is_new is false if a job with the same
 * `unique` was found instead.
 *
 * Thread   the loop's
 * Owns     everything is copied
 * Returns  0, -EINVAL (NULL, no queue, a name or key that is empty, too long or
 *          not UTF-8, or a number out of range), -E2BIG (a member that this
 *          library does not know), WEIR_ELIMIT (the payload is too large, or
 *          `after` too long), WEIR_ECLOSED, -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_jobs_add(weir_jobs *jobs,
                                        const weir_jobs_spec *spec,
                                        weir_jobs_fn *fn, void *arg);

/* ---- working ---- */

/* Every member except size, queue and run may be left 0. */
typedef struct weir_jobs_worker_options {
    size_t size; /* sizeof(weir_jobs_worker_options) */
    const char *queue;
    uint32_t concurrency; /* handlers at once; 0: 1 */
    uint32_t prefetch;    /* jobs that are claimed in advance */
    int64_t lease_ms;     /* 0: WEIR_JOBS_LEASE_MS.  How long the jobs of a
                             process that has died wait for another one */
    void *arg;
    /* Handle a job.  Settle the claim now or later. */
    void (*run)(void *arg, weir_jobs_claim *claim);
} weir_jobs_worker_options;

/**
 * Start a worker, which claims jobs of a queue and calls run for each.  It
 * keeps the loop running.
 *
 * Thread   the loop's
 * Owns     *worker is valid until weir_jobs_worker_stop or weir_jobs_free;
 *          strings are copied
 * Returns  0, -EINVAL (NULL, no queue or run, a name that is too long, or a
 *          lease below WEIR_JOBS_LEASE_MIN_MS), -E2BIG (an option that this
 *          library does not know), WEIR_ECLOSED (the store is being closed or
 *          drained), -ENOMEM
 */
WEIR_API WEIR_CHECKED int
weir_jobs_work(weir_jobs *jobs, weir_jobs_worker **worker,
               const weir_jobs_worker_options *options);

/**
 * Stop a worker.  It claims no more jobs, and gives back those that have not
 * begun, without counting an attempt.  Handlers that are running go on, and
 * their leases are renewed.
 *
 * Thread   the loop's
 * Owns     the worker is no longer the caller's
 */
WEIR_API void weir_jobs_worker_stop(weir_jobs_worker *worker);

/**
 * Get the job of a claim.
 *
 * Thread   any, until the claim is settled
 * Owns     the result belongs to the claim
 */
WEIR_API const weir_jobs_info *
weir_jobs_claim_info(const weir_jobs_claim *claim);

/**
 * Get the abort of a claim.  It is raised on the loop's thread when the handler
 * should stop: with WEIR_ELEASE (the lease was lost), -ETIMEDOUT, or
 * WEIR_ECANCELED (the job was cancelled, or a drain has passed its soft
 * deadline).
 *
 * Thread   any, until the claim is settled
 * Owns     the abort belongs to the claim; take a reference to keep it
 */
WEIR_API weir_abort *weir_jobs_claim_abort(const weir_jobs_claim *claim);

typedef enum weir_jobs_outcome_kind {
    WEIR_JOBS_OUTCOME_DONE = 0,
    WEIR_JOBS_OUTCOME_FAILED,
    WEIR_JOBS_OUTCOME_RELEASED, /* given back; the attempt does not count */
    /* A transaction of the handler's own has settled the job, with
     * weir_jobs.complete or weir_jobs.fail of PostgreSQL.  If none has, the
     * attempt has failed, and the status is WEIR_ESTORE. */
    WEIR_JOBS_OUTCOME_ELSEWHERE,
} weir_jobs_outcome_kind;

/* How an attempt has ended.  Every member except size may be left 0. */
typedef struct weir_jobs_outcome {
    size_t size; /* sizeof(weir_jobs_outcome) */
    weir_jobs_outcome_kind kind;
    const void *result; /* DONE */
    size_t result_size;
    const char *reason; /* FAILED: for people */
    bool is_final;      /* FAILED: no further attempt */
    int64_t delay_ms;   /* FAILED, RELEASED: before the next attempt; 0: the
                           back-off of the job, or none */
} weir_jobs_outcome;

/**
 * Settle a claim.  An outcome of NULL means that the job is done.  The status
 * of fn says whether this claim has settled the job.
 *
 * Thread   the loop's
 * Owns     the claim is no longer the caller's; everything is copied
 * Returns  0, -EINVAL (NULL, an unknown kind, a negative delay, or a reason that
 *          is not UTF-8), -E2BIG (a member that this library does not know),
 *          WEIR_ELIMIT (the result is larger than the limit of a payload, or the
 *          reason than that and WEIR_JOBS_PAYLOAD_LIMIT), WEIR_ECLOSED, -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_jobs_settle(weir_jobs_claim *claim,
                                           const weir_jobs_outcome *outcome,
                                           weir_jobs_fn *fn, void *arg);

/**
 * Record the progress of a job, from 0 to 1.
 *
 * Thread   the loop's
 * Returns  0, -EINVAL (NULL, or not between 0 and 1), WEIR_ECLOSED, -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_jobs_progress(weir_jobs_claim *claim,
                                             double progress, weir_jobs_fn *fn,
                                             void *arg);

/* ---- queues ---- */

/* Limits of a queue, for all processes together. */
typedef struct weir_jobs_limits {
    size_t size;            /* sizeof(weir_jobs_limits) */
    uint32_t concurrency;   /* claimed jobs; 0: no limit */
    uint32_t rate;          /* jobs that begin in rate_period_ms; 0: no limit */
    int64_t rate_period_ms; /* 0: one second */
    /* Unfinished jobs with one key that are not behind others; 0: 1.  They are
     * claimed in the order of adding.  A lower limit holds for jobs that are
     * added, or become the next of their key, from then on. */
    uint32_t key_concurrency;
    /* Jobs with one key that begin in key_rate_period_ms; 0: no limit.  They
     * are spread over the period: after each the key waits for its part of it,
     * and its jobs are behind. */
    uint32_t key_rate;
    int64_t key_rate_period_ms; /* 0: one second */
} weir_jobs_limits;

/**
 * Set the limits of a queue.  They are part of the store, and hold for every
 * process until they are set again.  In no interval of rate_period_ms more than
 * `rate` jobs are claimed, and in none of key_rate_period_ms more than key_rate
 * jobs with one key.
 *
 * Thread   the loop's
 * Returns  0, -EINVAL (NULL, a name that is too long, or a number out of
 *          range), -E2BIG (a member that this library does not know),
 *          WEIR_ECLOSED, -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_jobs_limit(weir_jobs *jobs, const char *queue,
                                          const weir_jobs_limits *limits,
                                          weir_jobs_fn *fn, void *arg);

/**
 * Pause a queue, or let it go on.  No process claims jobs of a paused queue.
 * Jobs that were claimed before go on.
 *
 * Thread   the loop's
 * Returns  0, -EINVAL (NULL, or a name that is too long), WEIR_ECLOSED, -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_jobs_pause(weir_jobs *jobs, const char *queue,
                                          bool is_paused, weir_jobs_fn *fn,
                                          void *arg);

/**
 * Look at all queues.  reply.queues lists reply.count rows, sorted by name.
 *
 * Thread   the loop's
 * Returns  0, -EINVAL (NULL), WEIR_ECLOSED, -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_jobs_look(weir_jobs *jobs, weir_jobs_fn *fn,
                                         void *arg);

/* ---- schedules ---- */

typedef enum weir_jobs_missed {
    WEIR_JOBS_MISSED_SKIP = 0, /* a run that is five minutes late is left out */
    WEIR_JOBS_MISSED_ONE, /* if any runs were missed, one makes up for all */
} weir_jobs_missed;

/* A schedule.  Every member except size, name, cron and job may be left 0. */
typedef struct weir_jobs_schedule_spec {
    size_t size; /* sizeof(weir_jobs_schedule_spec) */
    /* In its queue, at most WEIR_JOBS_SCHEDULE_LIMIT bytes. */
    const char *name;
    /* minute hour day-of-month month day-of-week, with *, numbers, names,
     * ranges, steps and lists; or @hourly, @daily, @weekly, @monthly, @yearly.
     * If the zone's clocks skip a time, it runs after the gap; if they show it
     * twice, the first time.  With * as the hour, it runs whenever they show a
     * time that matches. */
    const char *cron;
    const char *zone; /* such as "Europe/Berlin"; NULL: "UTC" */
    weir_jobs_missed missed;
    /* What a run adds: run_at_ms is the time of the run.  Its unique, delay_ms,
     * run_at_ms and after are not used. */
    const weir_jobs_spec *job;
} weir_jobs_schedule_spec;

enum { WEIR_JOBS_SCHEDULE_LIMIT = 246 }; /* bytes of a schedule's name */

/**
 * Add a schedule to the store, or change the one with this name.  When a run is
 * due, one of the processes adds its job, unless that of the last run is not
 * finished.  A schedule whose cron and zone are as before keeps its next run.
 * reply.next_ms is that run.  fn gets -EINVAL, with a reason, if the cron or the
 * zone is not valid.
 *
 * Thread   the loop's
 * Owns     everything is copied
 * Returns  0, -EINVAL (NULL, a name that is empty or too long, a cron that is
 *          empty or too long, or a job that weir_jobs_add would refuse), -E2BIG
 *          (a member that this library does not know), WEIR_ELIMIT (the payload
 *          is too large), WEIR_ECLOSED, -ENOMEM
 */
WEIR_API WEIR_CHECKED int
weir_jobs_schedule(weir_jobs *jobs, const weir_jobs_schedule_spec *spec,
                   weir_jobs_fn *fn, void *arg);

/**
 * Remove a schedule.  Jobs that it has added stay.  fn gets -ENOENT if there is
 * none.
 *
 * Thread   the loop's
 * Returns  0, -EINVAL (NULL, or a name that is too long), WEIR_ECLOSED, -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_jobs_unschedule(weir_jobs *jobs,
                                               const char *queue,
                                               const char *name,
                                               weir_jobs_fn *fn, void *arg);

/**
 * Look at all schedules.  reply.plans lists reply.count rows, sorted by queue
 * and name.
 *
 * Thread   the loop's
 * Returns  0, -EINVAL (NULL), WEIR_ECLOSED, -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_jobs_plans(weir_jobs *jobs, weir_jobs_fn *fn,
                                          void *arg);

/* ---- single jobs ---- */

/**
 * List jobs of a queue that are in a state, by their ids: the first `most` whose
 * ids are larger than `after`.  reply.jobs lists reply.count rows.
 *
 * Thread   the loop's
 * Returns  0, -EINVAL (NULL, a name that is too long, an unknown state, or
 *          `most` is 0 or above WEIR_JOBS_LIST_LIMIT), WEIR_ECLOSED, -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_jobs_list(weir_jobs *jobs, const char *queue,
                                         weir_jobs_state state, uint64_t after,
                                         uint32_t most, weir_jobs_fn *fn,
                                         void *arg);

/**
 * Get a job by its id.  reply.job is the job.
 *
 * Thread   the loop's
 * Returns  0, -EINVAL (NULL), WEIR_ECLOSED, -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_jobs_get(weir_jobs *jobs, uint64_t id,
                                        weir_jobs_fn *fn, void *arg);

/**
 * Cancel a job that is not finished, and the jobs that wait for it.  If it is
 * running, its lease ends, and its abort is raised when the worker's process
 * learns of it: at once in this process, at the next renewal in others.
 *
 * Thread   the loop's
 * Returns  0, -EINVAL (NULL), WEIR_ECLOSED, -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_jobs_cancel(weir_jobs *jobs, uint64_t id,
                                           weir_jobs_fn *fn, void *arg);

/**
 * Retry a dead job: it is ready again, with all of its attempts.  If id is 0,
 * retry all dead jobs of a queue.  reply.count is their number.
 *
 * Thread   the loop's
 * Returns  0, -EINVAL (NULL, neither an id nor a queue, or a name that is too
 *          long), WEIR_ECLOSED, -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_jobs_retry(weir_jobs *jobs, uint64_t id,
                                          const char *queue, weir_jobs_fn *fn,
                                          void *arg);

/* ---- moving ---- */

/**
 * Carry out a step of moving jobs to or from a database of PostgreSQL, for `weir
 * jobs`.  Each step takes and answers text, and is one transaction:
 *
 *     "store"   what the store has besides its jobs, as JSON
 *     "export"  JSON of the first 500 jobs whose ids are larger than the text
 *     "stage"   put a JSON array of jobs aside; those that are there are replaced
 *     "staged"  the number of jobs that are aside, and their checksum, as JSON
 *     "import"  make jobs of those that are aside.  The text is what "store" and
 *               "staged" have answered.  It fails if they differ from that, or
 *               if the store has jobs, unless they are those of such a step
 *     "clear"   forget what is aside
 *
 * reply.text is the answer.  fn gets -ENOTSUP for a file of SQLite, which can be
 * read and written itself.
 *
 * Thread   the loop's
 * Owns     everything is copied
 * Returns  0, -EINVAL (NULL, or an unknown step), WEIR_ECLOSED, -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_jobs_transfer(weir_jobs *jobs, const char *step,
                                             const char *text, weir_jobs_fn *fn,
                                             void *arg);

/* ---- the end ---- */

/**
 * Drain the workers of a handle.  They claim no more jobs, and give back those
 * that have not begun, without counting an attempt.  Leases are still renewed.
 * After soft_ms, the aborts of the running handlers are raised.  After hard_ms
 * their jobs are given back, and what they do later is refused.  A time that is
 * negative never comes.
 *
 * status is 0 if all handlers have finished, or WEIR_EFORCED: then
 * reply.holders names reply.count jobs that were cut off.  The deadlines hold
 * even if the loop's thread is blocked, but fn has to wait for it.
 *
 * Thread   the loop's
 * Returns  0, -EINVAL (NULL), -EALREADY (the drain has begun), WEIR_ECLOSED,
 *          -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_jobs_drain(weir_jobs *jobs, int64_t soft_ms,
                                          int64_t hard_ms, weir_jobs_fn *fn,
                                          void *arg);

/**
 * Make a handle part of a service.  When the service drains, the handle drains,
 * as by weir_jobs_drain, even if the loop's thread is blocked.  Each claimed job
 * is a request inside the service's gate.
 *
 * Thread   the loop's, before weir_service_start
 * Owns     the service must remain valid until weir_jobs_free
 * Returns  0, -EINVAL (NULL), -EALREADY (the handle is part of a service, or
 *          the service was started), WEIR_ECLOSED, -ENOMEM, WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_jobs_join(weir_jobs *jobs, weir_service *service,
                                         int64_t soft_ms, int64_t hard_ms);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_JOBS_H */
